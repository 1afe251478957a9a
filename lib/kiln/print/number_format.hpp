// How the numbers of one array are printed: one width and one notation for all of them, as NumPy chooses it.
#pragma once

#include <complex>
#include <span>
#include <string>

#include "kiln/dtype.hpp"

namespace kiln::detail {

/// numpy's FloatingFormat: precision 8, as many digits as needed, an exponent where the range asks for it.
class FloatFormat {
 public:
  /// Looks at all the numbers that will be printed. With `plus` positive numbers get a sign, too.
  FloatFormat(std::span<const double> values, DType dtype, bool plus);
  [[nodiscard]] std::string operator()(double value) const;

 private:
  void choose_exponent(std::span<const double> finite);
  DType dtype_;
  bool plus_;
  bool exponential_ = false;
  int precision_ = 8;
  int exponent_digits_ = 2;
  std::size_t pad_left_ = 0;
  std::size_t pad_right_ = 0;
};

/// The text of a scalar (a 0-d array): str() of NumPy's scalars, with all digits.
std::string scalar_text(double value, DType dtype);
std::string scalar_text(std::complex<double> value, DType dtype);

}  // namespace kiln::detail
