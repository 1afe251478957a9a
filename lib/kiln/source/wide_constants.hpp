// Constants that make a kernel of single precision compute in double precision: C++ has `0.1` as a float64, and what stands
// beside it becomes one, too. A GPU has a sixty-fourth of the arithmetic units for that, or half of them.
#pragma once

#include <string>
#include <vector>

#include "kiln/diagnostic.hpp"

namespace kiln::codegen {

/// The parameters that are float32, float16 or bfloat16 in a loop without a float64.
struct SingleNames {
  std::vector<std::string> names = {};
  bool always = true;  ///< no loop of the definition has a float64
};

/// Whether the text has a type of double precision: it means to compute with one. Of a text that check_text() lets pass.
[[nodiscard]] bool names_double(const std::string& text);

/// Warnings for floating literals without a suffix, `pi` and its kin, and functions of such a literal alone, that are added to,
/// subtracted from, multiplied or divided with one of `single`, one of its elements, or a variable that the text declares as
/// float32. `file` is the name shown. Of a text that check_text() lets pass. Pure.
[[nodiscard]] std::vector<Diagnostic> wide_constants(const std::string& file, const std::string& text,
                                                     const SingleNames& single);

}  // namespace kiln::codegen
