// A function decoded: instructions that name rows of registers, and what runs each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/memory.hpp"
#include "emulator/program.hpp"

namespace kiln::emulator {

/// A bit for each lane of a warp.
using Mask = std::uint32_t;
inline constexpr unsigned kLanes = 32;
inline constexpr Mask kAllLanes = ~Mask{0};

/// Generic addresses: global memory is the host's, the others have windows that no host's address lies in.
inline constexpr std::uint64_t kWindowMask = std::uint64_t{0xF} << 60U;
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 60U;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 60U;
inline constexpr std::uint64_t kParameterWindow = std::uint64_t{3} << 60U;
inline constexpr std::uint64_t kFunctionWindow = std::uint64_t{4} << 60U;

/// 32 values of 64 bits, one for each lane. Instructions use the low bits that their type has.
struct Row {
  enum Bank : std::uint8_t { registers, constants, specials };
  Bank bank = registers;
  std::uint32_t offset = 0;  ///< in values
};

/// Rows of the special registers.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  dynamic_smem_size,
  total_smem_size,
  zero,
  count
};

class Warp;
struct Instruction;
struct Code;
using Handler = void (*)(Warp&, const Instruction&, Mask);

enum class Flow : std::uint8_t { next, branch, branch_indexed, call, ret, exit, barrier, warp_sync, trap };

struct Predicate {
  std::uint32_t index = 0;  ///< 0: always true
  bool negated = false;
};

struct Instruction {
  Handler run = nullptr;
  Flow flow = Flow::next;
  Predicate guard;
  std::uint32_t predicate_out = 0;  ///< 0: none
  std::uint32_t predicate_out_2 = 0;
  std::array<Predicate, 3> predicate_in;
  Row out, out_2;
  bool has_out = false;
  std::array<Row, 4> in;
  // Memory.
  std::int64_t offset = 0;
  Space space = Space::generic;
  std::uint8_t bytes = 0;  ///< of one element
  std::uint8_t count = 1;  ///< of a vector
  bool sign_extends = false;
  bool strong = false;     ///< .volatile, .relaxed, .acquire, .release, atomic
  bool of_frame = false;   ///< the address is one of the frame: a local variable or a parameter of a call
  bool of_kernel = false;  ///< the address is one of the kernel's parameters
  std::uint32_t rows = 0;  ///< of vectors and calls: the first in Code::rows
  std::uint32_t target = 0;
  std::uint32_t detail = 0;  ///< what the handler needs besides
  std::uint32_t detail_2 = 0;
  std::uint32_t statement = 0;
};

/// A call's arguments and results: bytes of the caller's frame that are copied to and from the function's.
struct Copy {
  std::uint32_t from = 0, to = 0, bytes = 0;
};
struct Call {
  const Code* function = nullptr;  ///< null: in[0] tells
  std::vector<Copy> arguments;     ///< to: offsets in the function's frame, filled for direct calls only
  std::vector<Copy> results;
};

struct Parameter {
  std::uint32_t offset = 0, bytes = 0;
};

struct Code {
  std::string name;
  const Function* function = nullptr;
  std::vector<Instruction> instructions;
  std::vector<Row> rows;
  std::vector<Call> calls;
  std::vector<std::vector<std::uint32_t>> tables;  ///< of indexed branches
  std::vector<std::uint64_t> constants;            ///< in rows
  std::uint32_t registers = 0;                     ///< in rows
  std::uint32_t predicates = 1;
  std::uint32_t local_bytes = 0;      ///< of one thread
  std::uint32_t parameter_bytes = 0;  ///< of one thread: of calls, and of the function itself where it is no kernel
  std::vector<Parameter> parameters;  ///< of a kernel: in its launch's bytes
  std::vector<Parameter> results;
};

/// A module ready to run: its variables have memory.
struct Program {
  Module module;
  std::string kernel_name;  ///< what the user calls its kernel, where the text begins with it: "// kernel saxpy"
  std::map<std::string_view, std::unique_ptr<Code>> codes;
  /// Of variables: generic for .global and .const, offsets for .shared; those of a function as "function/variable".
  std::map<std::string, std::uint64_t, std::less<>> addresses;
  std::vector<const Statement*> statements;
  std::vector<const Code*> functions;  ///< by number in kFunctionWindow
  std::uint32_t static_shared = 0;     ///< bytes; dynamic shared memory begins behind
  std::vector<std::uint64_t> owned;    ///< allocations of variables

  /// "body:3:7", or where the user's text was inlined; empty where the PTX has no lines.
  [[nodiscard]] std::string place_of(const Instruction& instruction) const;
  [[nodiscard]] std::string place_of_statement(std::uint32_t statement) const;
  [[nodiscard]] const Code* kernel(std::string_view name) const;
};

/// PtxError for an instruction that is not known, or a target that is not. Variables are made in `memory`.
[[nodiscard]] std::unique_ptr<Program> decode(Module module, Memory& memory);

}  // namespace kiln::emulator
