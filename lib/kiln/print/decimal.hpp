// Floating-point numbers as decimal text, digit for digit as NumPy's Dragon4 writes them: the fewest digits that single the
// number out among those of its dtype, or correctly rounded to a precision.
#pragma once

#include <string>

#include "kiln/dtype.hpp"

namespace kiln::detail {

/// What happens to zeros at the end of the fraction.
enum class Trim {
  keep,      ///< "1.500"
  point,     ///< "1.5", "2."
  one_zero,  ///< "1.5", "2.0"
  all,       ///< "1.5", "2"
};

struct DecimalStyle {
  int precision = -1;  ///< digits after the point at most; -1: as many as single the number out
  int min_digits = 0;  ///< digits after the point at least, exact ones
  Trim trim = Trim::point;
  bool plus = false;  ///< a sign also for positive numbers
  int exponent_digits = 2;
};

/// A number without an exponent: sign, whole part, point, fraction. `value` is finite and exact in `dtype` (floating).
std::string positional(double value, DType dtype, const DecimalStyle& style);

/// A number as d.ddde+XX.
std::string scientific(double value, DType dtype, const DecimalStyle& style);

}  // namespace kiln::detail
