// Divisions in the user's texts that may be of integers, for which kernels have what is defined for every divisor.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "kernel/spec.hpp"
#include "kiln/diagnostic.hpp"

namespace kiln::kinds {

/// Of one definition and kernel; refers to neither. Macros are read as their definitions are, unless an #if or a file that a
/// text includes may see them.
class IntegerDivisions {
 public:
  /// None.
  IntegerDivisions() = default;
  IntegerDivisions(const codegen::UserText& text, const KernelSpec& spec);

  [[nodiscard]] bool empty() const noexcept { return insertions_.empty(); }
  /// The text of that name (texts_of()), or one that begins with it: `a %kiln_by/ b` for `a / b`, `a %=kiln_by/= b` for `a /=
  /// b` (kernels-src/core/division.hpp), and so for `%`. Lines stay, columns move. In debug mode with the column that the tag
  /// has then.
  [[nodiscard]] std::string defined(const std::string& file, std::string_view text) const;

 private:
  std::map<std::string, std::map<std::size_t, std::string_view>> insertions_;  ///< in each text, in front of an offset
  bool with_columns_ = false;
};

/// A finding in a text of defined(), in the text as it is written: its line and its column.
[[nodiscard]] Diagnostic as_written(Diagnostic found);

}  // namespace kiln::kinds
