// Divisions in the user's texts. Those of integers are defined for every divisor; the operands' types tell in the kernel.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "kiln/diagnostic.hpp"
#include "source/user_text.hpp"

namespace kiln::kinds {

/// The divisions of one definition, to which it does not refer: all but those beside a literal that is floating-point, or a
/// divisor other than 0. Macros are read as their definitions are, unless an #if or a file that a text includes may see them.
class IntegerDivisions {
 public:
  /// None.
  IntegerDivisions() = default;
  explicit IntegerDivisions(const codegen::UserText& text);

  [[nodiscard]] bool empty() const noexcept { return insertions_.empty(); }
  /// Returns true if there are assignments among them: `a /= b`.
  [[nodiscard]] bool assign() const noexcept { return assign_; }
  /// The text of that name (texts_of()), or one that begins with it: `a %kiln_by/ b` for `a / b`, `a %=kiln_by/= b` for `a /=
  /// b` (kernels-src/core/division.hpp), and so for `%`. Lines stay, columns move. In debug mode with the column that the tag
  /// has then.
  [[nodiscard]] std::string defined(const std::string& file, std::string_view text) const;

 private:
  std::map<std::string, std::map<std::size_t, std::string_view>> insertions_;  ///< in each text, in front of an offset
  bool assign_ = false;
  bool with_columns_ = false;
};

/// A finding in a text of defined(), in the text as it is written: its line and its column.
[[nodiscard]] Diagnostic as_written(Diagnostic found);

}  // namespace kiln::kinds
