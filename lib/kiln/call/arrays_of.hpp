// The operands of a call as arrays, for what outlives a call or cuts it into chunks.
#pragma once

#include <span>
#include <vector>

#include "array/ref.hpp"
#include "kiln/arg.hpp"
#include "kiln/event.hpp"

namespace kiln::call {

/// Returns a view of the caller's memory, once its elements are ready.
[[nodiscard]] inline Array array_of(const ArrayRef& ref) {
  if (ref.ready != nullptr) ref.ready->synchronize();
  return detail::array_of(ref);
}

/// Returns the array, or a view of the caller's memory; an empty handle for anything else.
template <class Operand>
[[nodiscard]] Array array_of(const Operand& operand) {
  return operand.ref() != nullptr ? array_of(*operand.ref()) : operand.array();
}

/// Holds views in the places of memory of the caller's.
struct ArraysOf {
  std::vector<Arg> args;
  Array where;
  std::vector<Array> out;

  ArraysOf(std::span<const Arg> arguments, const ArrayArg& mask, std::span<const ArrayArg> outputs)
      : args(arguments.begin(), arguments.end()), where(array_of(mask)) {
    for (Arg& arg : args) {
      if (arg.ref() != nullptr) arg = Arg(array_of(*arg.ref()));
    }
    for (const ArrayArg& output : outputs) out.push_back(array_of(output));
  }

  /// Returns `results`; for a caller that asks for none, who gives all outputs, room for them here.
  [[nodiscard]] std::span<Array> results_or_own(std::span<Array> results) {
    if (!results.empty()) return results;
    own_results_.resize(out.size());
    return own_results_;
  }

 private:
  std::vector<Array> own_results_;
};

}  // namespace kiln::call
