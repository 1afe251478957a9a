// How messages name the operands of a call. Names are made where a message is, not before.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "base/function_ref.hpp"

namespace kiln::call {

/// "input 1 (b)", ".where", "output 0 (q)": the name of an operand, by its number in the call.
using NameOf = base::FunctionRef<std::string(std::size_t operand)>;

/// What begins messages, "add.reduce": a text, or a function that makes one.
inline std::string text_of(const std::string& what) {
  return what;
}
template <class What>
  requires std::is_invocable_v<const What&>
std::string text_of(const What& what) {
  return what();
}

}  // namespace kiln::call
