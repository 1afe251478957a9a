// Which loop of a ufunc a call runs, by NumPy's rule: exact dtypes first, then the first loop to which every input casts
// safely. Pure. docs/semantics.md has the rules in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/elementwise/place.hpp"
#include "kiln/dtype.hpp"
#include "kiln/ufunc.hpp"
#include "signature/signature.hpp"

namespace kiln::ufunc {

/// What an argument contributes to the choice: an array's dtype, or a weak scalar's own C++ type.
struct Argument {
  DType dtype = DType::float64;
  bool weak = false;
};

/// A signature with every type fixed.
struct Loop {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  std::vector<std::pair<std::string, DType>> variables;
  std::string text;              ///< "float32(float32 a, float32 b)"
  std::uint64_t raw = 0;         ///< a bit for each operand that is not broadcast, inputs first
  std::uint64_t inout = 0;       ///< a bit for each output that is read first
  kinds::AskedPlace place = {};  ///< what the body asks
  bool finds_races = false;      ///< on the CPU, among raw outputs
  /// The ufunc that has this loop alone, where the loop was made for its dtypes; null where the ufunc's own definition has it.
  std::shared_ptr<const UfuncDefinition> definition = nullptr;
  /// C++ text of the inputs whose values are part of the kernel, empty text for the others; empty: the plain kernel.
  std::vector<std::string> constants = {};
  /// Inputs that the kernel converts further, and what to: a weak integer must fit there, too.
  std::vector<std::pair<std::size_t, DType>> narrowed = {};

  [[nodiscard]] bool is_raw(std::size_t operand) const noexcept { return (raw >> operand & 1U) != 0; }
};

struct LoopRequest {
  std::string_view name = {};                         ///< the ufunc's, for messages
  std::string_view options = ".dtype or .signature";  ///< that force a loop, for messages; empty: none does
  bool reduces = false;  ///< a forced loop is of one dtype, to which anything is cast: for messages
  std::span<const signature::TypeSignature> signatures = {};
  std::span<const Argument> arguments = {};
  std::span<const std::optional<DType>> outputs = {};  ///< dtypes of given outputs, for variables that no input decides
  std::optional<DType> dtype = std::nullopt;           ///< forces the loop with these outputs
  std::string_view forced_signature = {};              ///< "float32, float32 -> float32"
  Casting casting = Casting::same_kind;
  const UfuncDefinition* definition = nullptr;  ///< whose options decide; null: the defaults
};

/// TypeError where no loop fits, or where the one that does needs a cast that `casting` forbids; SignatureError for a forced
/// signature that cannot be read.
Loop choose_loop(const LoopRequest& request);

/// "float32, float64 -> float32" to dtypes, inputs then outputs; SignatureError where it cannot be read.
std::vector<DType> parse_loop(std::string_view text, std::size_t nin, std::size_t nout);

/// "float32, float64 -> float32", as parse_loop() reads it.
[[nodiscard]] std::string loop_text(const Loop& loop);

/// A bit for each operand that is raw, inputs first.
[[nodiscard]] std::uint64_t raw_operands_of(const signature::TypeSignature& signature);
/// A bit for each output that is read first.
[[nodiscard]] std::uint64_t inout_of(const signature::TypeSignature& signature);

/// "float32(float32 a); float64(float64 a)", for messages.
std::string texts_of(std::span<const signature::TypeSignature> signatures);

/// The dtype that each argument counts as: its own, or for a weak scalar the arrays' (NEP 50).
std::vector<DType> effective_dtypes(std::span<const Argument> arguments);

/// The first signature's loop with exactly these dtypes, inputs then outputs; nothing where none has it.
std::optional<Loop> find_loop(std::span<const signature::TypeSignature> signatures, std::span<const DType> dtypes);

/// The loop of a signature with a dtype for each of its type variables, in order.
Loop bind(const signature::TypeSignature& signature, std::span<const DType> variables);

/// Every loop whose types are all fixed by the signatures, in order of preference.
std::vector<Loop> fixed_loops(std::span<const signature::TypeSignature> signatures);

}  // namespace kiln::ufunc
