// Which divisions of a text are of floating-point numbers, as far as its tokens tell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/scanner.hpp"

namespace kiln::codegen {

/// What is known to be floating-point, or complex, before the text is read.
struct FloatingNames {
  std::vector<std::string_view> values = {};  ///< parameters
  std::vector<std::string_view> types = {};   ///< beside those that kiln and C++ have
};

/// Whether each `/` and `%` of the tokens has an operand that is floating-point by its looks: a literal, a name or an element
/// type that is one, a function of kiln's of one, or a sum, difference, product or quotient of one in brackets. Where a name is
/// declared as anything else, anywhere, it counts as no such name. False for what is too deep to tell. Pure.
[[nodiscard]] bool divides_floating_only(std::span<const Token> tokens, const FloatingNames& known);

}  // namespace kiln::codegen
