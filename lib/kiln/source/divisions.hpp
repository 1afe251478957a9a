// Which divisions of a text may be of integers, as far as its tokens tell.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/scanner.hpp"
#include "source/user_text.hpp"

namespace kiln::codegen {

/// What is known before the text is read.
struct FloatingNames {
  std::vector<std::string_view> values = {};  ///< parameters that are floating-point or complex
  std::vector<std::string_view> types = {};   ///< types that are, beside those that kiln and C++ have
  std::vector<std::string_view> others = {};  ///< parameters that may be integers, whatever else has the same name
  bool opaque = false;                        ///< names may mean anything: only literals tell
  bool wide = false;                          ///< dividends may be an __int128, which compilers divide by no literal either
};

/// Of a definition's text whose dtypes may be `integers` or not.
[[nodiscard]] FloatingNames floating_names(const UserText& text, bool integers);

/// The numbers of the tokens `/` and `%` that may divide integers by 0 or by -1: all but names of operators, what divides by a
/// literal that is not 0, and what has an operand that is floating-point by its looks: a literal, a name or an element type
/// that is one, a function of kiln's of one, or a sum, difference, product or quotient of one in brackets. Where a name is
/// declared as anything else, anywhere, it counts as no such name. What is too deep to tell may. Pure.
[[nodiscard]] std::vector<std::size_t> integer_divisions(std::span<const Token> tokens, const FloatingNames& known);

}  // namespace kiln::codegen
