// The operands of a call as arrays, for what outlives a call or cuts it into chunks.
#pragma once

#include <span>
#include <vector>

#include "array/ref.hpp"
#include "kiln/arg.hpp"

namespace kiln::call {

/// Returns the array, or a view of the caller's memory; an empty handle for nothing.
[[nodiscard]] inline Array array_of(const ArrayArg& operand) {
  return operand.ref() != nullptr ? detail::array_of(*operand.ref()) : operand.array();
}

/// Holds views in the places of memory of the caller's.
struct ArraysOf {
  std::vector<Arg> args;
  Array where;
  std::vector<Array> out;

  ArraysOf(std::span<const Arg> arguments, const ArrayArg& mask, std::span<const ArrayArg> outputs)
      : args(arguments.begin(), arguments.end()), where(array_of(mask)) {
    for (Arg& arg : args) {
      if (arg.ref() != nullptr) arg = Arg(detail::array_of(*arg.ref()));
    }
    for (const ArrayArg& output : outputs) out.push_back(array_of(output));
  }
};

}  // namespace kiln::call
