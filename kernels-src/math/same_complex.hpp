// What the circular and hyperbolic functions of complex128 are made of where functions have the same bits on every device.
#pragma once
#include "kiln/math/same_circular.hpp"

KILN_PRECISE_BEGIN
namespace kiln::same_bits {

struct hyperbolics_in_two {
  in_two sinh, cosh;
};
// Of sizes up to 700: (t + t / (t + 1)) / 2 and (t + 1 + 1 / (t + 1)) / 2 of t = e^size - 1.
KILN_FN hyperbolics_in_two hyperbolics_of_size(double size) {
  const in_two t = expm1_in_two(size, 0), sum = sum_in_two(t.high, 1), e = {sum.high, sum.low + t.low};
  const in_two falling = quotient_in_two({1, 0}, e), other = quotient_in_two(t, e);
  const in_two s = sum_in_two(t.high, other.high), c = sum_in_two(e.high, falling.high);
  const in_two sine = falling_sum(0.5 * s.high, 0.5 * (s.low + (t.low + other.low)));
  const in_two cosine = falling_sum(0.5 * c.high, 0.5 * (c.low + (e.low + falling.low)));
  return {size < 0x1p-28 ? in_two{size, 0} : sine, cosine};
}
KILN_FN in_two one_and(const in_two& x) {
  const in_two sum = sum_in_two(1, x.high);
  return falling_sum(sum.high, sum.low + x.low);
}
KILN_FN in_two product(const in_two& a, const in_two& b) {
  const double high = a.high * b.high;
  return {high, fused(a.high, b.high, -high) + fused(a.high, b.low, a.low * b.high)};
}

struct tangent_parts_of_complex {
  double re, im, tangent, beta;
};
// tanh(size + i y) of sizes up to 22, by t = tan(y), beta = 1 + t^2 and s = sinh(size).
KILN_FN tangent_parts_of_complex complex_tangent(double size, double y) {
  const in_two near = tangent_in_two(near_angle(KILN_LIBM(fabs)(y)), y);
  const bool is_near = KILN_LIBM(fabs)(y) < 0x1p23;
  const in_two t = {KILN_RARELY(near.high, y, 0x1p23, tangent_of_far), is_near ? near.low : 0.0};
  const in_two beta = one_and(product(t, t));
  const hyperbolics_in_two of = hyperbolics_of_size(size);
  const in_two scale = one_and(product(beta, product(of.sinh, of.sinh)));
  const in_two re = quotient_in_two(product(beta, product(of.cosh, of.sinh)), scale), im = quotient_in_two(t, scale);
  return {re.high + re.low, im.high + im.low, t.high, beta.high};
}

}  // namespace kiln::same_bits
KILN_PRECISE_END
