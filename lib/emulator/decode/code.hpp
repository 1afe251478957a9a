// A function decoded: instructions that name rows of registers, and what runs each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/decode/special_registers.hpp"
#include "emulator/mask.hpp"
#include "emulator/ptx/module.hpp"

namespace kiln::emulator {

/// Generic addresses: global memory is the host's, the others have windows that no host's address lies in.
inline constexpr std::uint64_t kWindowMask = std::uint64_t{0xF} << 60U;
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 60U;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 60U;
inline constexpr std::uint64_t kParameterWindow = std::uint64_t{3} << 60U;
inline constexpr std::uint64_t kFunctionWindow = std::uint64_t{4} << 60U;
/// Between two functions: the lowest bit of a pointer to a member says that the function is virtual.
inline constexpr std::uint64_t kFunctionBytes = 16;
[[nodiscard]] constexpr std::uint64_t window_of(Space space) noexcept {
  return space == Space::shared      ? kSharedWindow
         : space == Space::local     ? kLocalWindow
         : space == Space::parameter ? kParameterWindow
                                     : 0;
}

/// 32 values of 64 bits, one for each lane. Instructions use the low bits that their type has.
struct Row {
  enum Bank : std::uint8_t { registers, constants, specials };
  Bank bank = registers;
  std::uint32_t offset = 0;  ///< in values
};

/// Takes what is written to "_".
inline constexpr Row kDiscarded = {Row::specials, static_cast<std::uint32_t>(Special::unused) * kLanes};

class Warp;
struct Instruction;
struct Code;
using Handler = void (*)(Warp&, const Instruction&, Mask);

/// What bar.red makes of the predicates of the threads.
enum class BarrierResult : std::uint8_t { none, count, all, any };

/// `detail_2` of a barrier.
inline constexpr std::uint32_t kBarrierCounts = 1;   ///< in[1]: how many threads it is of
inline constexpr std::uint32_t kBarrierArrives = 2;  ///< without waiting

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
  Row out = kDiscarded;
  std::array<Row, 4> in;
  // Memory.
  std::int64_t offset = 0;
  Space space = Space::generic;
  std::uint8_t bytes = 0;  ///< of one element
  std::uint8_t count = 1;  ///< of a vector
  bool sign_extends = false;
  bool strong = false;        ///< .volatile, .relaxed, .acquire, .release, atomic
  bool synchronizes = false;  ///< releases or acquires
  bool of_frame = false;      ///< the address is an offset in the frame's part of local memory
  std::uint32_t rows = 0;     ///< of vectors and calls: the first in Code::rows
  std::uint32_t target = 0;
  std::uint32_t detail = 0;  ///< what the handler needs besides
  std::uint32_t detail_2 = 0;
  std::uint32_t statement = 0;
};

/// Where a value is passed: in a launch's bytes, or in a frame's local memory.
struct Parameter {
  std::uint32_t offset = 0, bytes = 0;
};

struct Call {
  const Code* function = nullptr;    ///< null: in[0] tells
  std::vector<Parameter> arguments;  ///< in the caller's frame
  std::vector<Parameter> results;
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
  /// Of one thread: its variables, the parameters of its calls, and its own where it is no kernel.
  std::uint32_t local_bytes = 0;
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;
};

}  // namespace kiln::emulator
