// After numpy/_core/arrayprint.py (FloatingFormat) and scalartypes.c.src (scalars), NumPy 2.4.
#include "print/number_format.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "print/decimal.hpp"
#include "types/each_dtype.hpp"

namespace kiln::detail {
namespace {

constexpr int kPrecision = 8;

DType part_of(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

// From here on numbers get an exponent: 10^finfo.precision. bfloat16 goes with float32: its own two digits would put 128
// into exponents.
double largest_positional(DType dtype) {
  if (dtype == DType::float16) return 1e3;
  return dtype == DType::float64 ? 1e8 : 1e6;
}

double in_dtype(double value, DType dtype) {
  return with_type(dtype, [&]<class T>(T*) {
    if constexpr (std::is_same_v<T, float> || is_half(dtype_of<T>)) {
      return static_cast<double>(static_cast<float>(T(value)));
    } else {
      return value;
    }
  });
}

std::string non_finite(double value, bool plus) {
  if (std::isnan(value)) return plus ? "+nan" : "nan";
  return value < 0 ? "-inf" : (plus ? "+inf" : "inf");
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

}  // namespace

FloatFormat::FloatFormat(std::span<const double> values, DType dtype, bool plus) : dtype_(part_of(dtype)), plus_(plus) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  choose_exponent(finite);
  std::size_t fraction = 0;
  std::size_t exponent = 0;
  for (const double value : finite) {
    const DecimalStyle style{.precision = kPrecision, .trim = Trim::point, .plus = plus_};
    const std::string text = exponential_ ? scientific(value, dtype_, style) : positional(value, dtype_, style);
    const std::size_t point = text.find('.');
    const std::size_t end = std::min(text.find('e'), text.size());
    pad_left_ = std::max(pad_left_, point);
    fraction = std::max(fraction, end - point - 1);
    if (exponential_) exponent = std::max(exponent, text.size() - end - 2);
  }
  pad_right_ = fraction;
  if (exponential_) {
    precision_ = static_cast<int>(fraction);
    exponent_digits_ = static_cast<int>(exponent);
    pad_right_ = exponent + 2 + fraction;
  }
  if (finite.size() != values.size()) {
    const bool sign = plus_ || std::ranges::any_of(values, [](double v) { return std::isinf(v) && v < 0; });
    const std::size_t widest = sign ? 4 : 3;
    pad_left_ = std::max(pad_left_, widest - std::min(widest, pad_right_ + 1));
    pad_left_ = std::max(pad_left_, 3 - std::min<std::size_t>(3, pad_right_ + 1));
  }
}

void FloatFormat::choose_exponent(std::span<const double> finite) {
  double largest = 0;
  double smallest = INFINITY;
  for (const double value : finite) {
    if (value == 0) continue;
    largest = std::max(largest, std::fabs(value));
    smallest = std::min(smallest, std::fabs(value));
  }
  if (largest == 0) return;
  // NumPy computes in the array's dtype: its 0.0001, its quotient.
  const double ratio =
      in_dtype(largest / smallest, dtype_ == DType::float16 || dtype_ == DType::float64 ? dtype_ : DType::float32);
  exponential_ = largest >= largest_positional(dtype_) || smallest < in_dtype(0.0001, dtype_) || ratio > 1000;
}

std::string FloatFormat::operator()(double value) const {
  if (!std::isfinite(value)) return padded(non_finite(value, plus_), pad_left_ + pad_right_ + 1);
  DecimalStyle style{.precision = precision_, .trim = Trim::point, .plus = plus_, .exponent_digits = exponent_digits_};
  std::string text;
  if (exponential_) {
    style.min_digits = precision_;
    style.trim = Trim::keep;
    text = scientific(value, dtype_, style);
  } else {
    text = positional(value, dtype_, style);
  }
  const std::size_t point = text.find('.');
  if (point < pad_left_) text.insert(0, pad_left_ - point, ' ');
  if (const std::size_t width = pad_left_ + pad_right_ + 1; text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

namespace {

std::string scalar_digits(double value, DType dtype, DecimalStyle style, Trim positional_trim) {
  const double magnitude = std::fabs(value);
  const double limit = dtype == DType::float64 ? 1e16 : largest_positional(dtype);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < limit)) {
    style.trim = positional_trim;
    return positional(value, dtype, style);
  }
  style.trim = Trim::all;
  return scientific(value, dtype, style);
}

}  // namespace

std::string scalar_text(double value, DType dtype) {
  return std::isfinite(value) ? scalar_digits(value, dtype, {}, Trim::one_zero) : non_finite(value, false);
}

std::string scalar_text(std::complex<double> value, DType dtype) {
  const DType part = part_of(dtype);
  const bool imaginary_only = value.real() == 0 && !std::signbit(value.real());
  const auto text = [&](double v, bool plus) {
    return std::isfinite(v) ? scalar_digits(v, part, {.plus = plus}, Trim::all) : non_finite(v, plus);
  };
  if (imaginary_only) return text(value.imag(), false) + 'j';
  return '(' + text(value.real(), false) + text(value.imag(), true) + "j)";
}

}  // namespace kiln::detail
