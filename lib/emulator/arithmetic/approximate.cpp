#include "emulator/arithmetic/approximate.hpp"

#include <cmath>

namespace kiln::emulator {

namespace {

template <class Function>
float approximated(Function function, bool ftz, std::same_as<float> auto... operands) noexcept {
  const auto result = static_cast<float>(function(static_cast<double>(flushed(operands, ftz))...));
  return is_nan(result) ? canonical_nan<float>() : flushed(result, ftz);
}

// Infinity of a zero's sign: 1 / sqrt(-0) is that.
double reciprocal_root(double a) noexcept {
  return 1 / std::sqrt(a);
}

double upper_word(double a) noexcept {
  return from_bits<double>(to_bits(a) & 0xffffffff00000000U);
}

template <class Function>
double approximated_by_upper_word(Function function, double a) noexcept {
  const double result = function(flushed(upper_word(a)));
  if (is_nan(result)) return from_bits<double>(0x7fffffff00000000U);
  // To nearest. A carry into the exponent is right, and infinity has no lower bits to carry from.
  return upper_word(flushed(from_bits<double>(to_bits(result) + 0x80000000U)));
}

}  // namespace

float rcp_approx(float a, bool ftz) noexcept {
  return approximated([](double x) { return 1 / x; }, ftz, a);
}
float sqrt_approx(float a, bool ftz) noexcept {
  return approximated([](double x) { return std::sqrt(x); }, ftz, a);
}
float rsqrt_approx(float a, bool ftz) noexcept {
  return approximated(reciprocal_root, ftz, a);
}
float div_approx(float a, float b, bool ftz) noexcept {
  const bool tiny_reciprocal = is_finite(b) && std::fabs(b) > 0x1p126F;
  return approximated([=](double x, double y) { return tiny_reciprocal ? x * std::copysign(0.0, y) : x / y; }, ftz, a, b);
}
float div_full(float a, float b, bool ftz) noexcept {
  return approximated([](double x, double y) { return x / y; }, ftz, a, b);
}
float sin_approx(float a, bool ftz) noexcept {
  return approximated([](double x) { return std::sin(x); }, ftz, a);
}
float cos_approx(float a, bool ftz) noexcept {
  return approximated([](double x) { return std::cos(x); }, ftz, a);
}
float lg2_approx(float a, bool ftz) noexcept {
  return approximated([](double x) { return std::log2(x); }, ftz, a);
}
float ex2_approx(float a, bool ftz) noexcept {
  return approximated([](double x) { return std::exp2(x); }, ftz, a);
}

template <Floating T>
  requires(sizeof(T) < 8)
T tanh_approx(T a) noexcept {
  return is_nan(a) ? canonical_nan<T>() : narrowed<T>(std::tanh(widened(a)));
}
template float tanh_approx(float) noexcept;
template Half tanh_approx(Half) noexcept;
template BFloat16 tanh_approx(BFloat16) noexcept;

Half ex2_approx(Half a) noexcept {
  return is_nan(a) ? canonical_nan<Half>() : narrowed<Half>(std::exp2(widened(a)));
}
BFloat16 ex2_approx(BFloat16 a) noexcept {
  return is_nan(a) ? canonical_nan<BFloat16>() : flushed(narrowed<BFloat16>(std::exp2(widened(flushed(a)))));
}

double rcp_approx_ftz(double a) noexcept {
  return approximated_by_upper_word([](double x) { return 1 / x; }, a);
}
double rsqrt_approx_ftz(double a) noexcept {
  return approximated_by_upper_word(reciprocal_root, a);
}
double rsqrt_approx(double a) noexcept {
  const double result = reciprocal_root(a);
  return is_nan(result) ? canonical_nan<double>() : result;
}

}  // namespace kiln::emulator
