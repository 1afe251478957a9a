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
struct tangent_parts_of_complex {
  double re, im, tangent, beta;
};
// tanh(size + i y) of sizes up to 22, by t = tan(y), beta = 1 + t^2 and s = sinh(size).
KILN_FN tangent_parts_of_complex complex_tangent(double size, double y) {
  const in_two near = tangent_in_two(near_angle(KILN_LIBM(fabs)(y)), y);
  const bool is_near = KILN_LIBM(fabs)(y) < 0x1p23;
  const in_two t = {KILN_RARELY(near.high, y, 0x1p23, tangent_of_far), is_near ? near.low : 0.0};
  const in_two beta = one_and(product_of_two(t, t));
  const hyperbolics_in_two of = hyperbolics_of_size(size);
  const in_two scale = one_and(product_of_two(beta, product_of_two(of.sinh, of.sinh)));
  const in_two re = quotient_in_two(product_of_two(beta, product_of_two(of.cosh, of.sinh)), scale),
               im = quotient_in_two(t, scale);
  return {re.high + re.low, im.high + im.low, t.high, beta.high};
}

// The angle of the point (left ? -beside : beside, above), as angle_by_polynomial has it.
KILN_FN double angle_of_two(const in_two& above, const in_two& beside, bool left) {
  const bool steep = above.high > beside.high;
  const in_two n = {steep ? beside.high : above.high, steep ? beside.low : above.low};
  const in_two d = {steep ? above.high : beside.high, steep ? above.low : beside.low};
  const bool middle = n.high > 0x1.a827999fcef32p-2 * d.high, back = steep != left;
  const in_two less = falling_sum(-d.high, n.high), more = falling_sum(d.high, n.high);
  const in_two of = {middle ? less.high : n.high, middle ? less.low + (n.low - d.low) : n.low};
  const in_two q = quotient_in_two(of, {middle ? more.high : d.high, middle ? more.low + (n.low + d.low) : d.low});
  const double z = q.high * q.high;
  const double p = polynomial(z, -0x1.555555555553dp-2, 0x1.99999999957bcp-3, -0x1.24924922a9e07p-3, 0x1.c71c70e4e3332p-4,
                              -0x1.745cf8be8fa3cp-4, 0x1.3b11173cceb79p-4, -0x1.10eba4cad004dp-4, 0x1.df0e45019b27bp-5,
                              -0x1.9cce6f317876ep-5, 0x1.37cb600450ffdp-5, -0x1.25551b2f79951p-6);
  const double axis = steep ? 1.0 : left ? 2.0 : 0.0, quarters = middle ? axis + (back ? -0.5 : 0.5) : axis;
  const in_two turned = back ? negative(q) : q;
  const double rest = fused(quarters, quarter<double>[1], turned.low);
  return fused(quarters, quarter<double>[0], fused(turned.high * z, p, rest) + turned.high);
}

struct complex_in_two {
  in_two re, im;
};
// Of sizes below 2^500.
KILN_FN complex_in_two root_of_complex(const in_two& x, double y) {
  const bool small = max(KILN_LIBM(fabs)(x.high), KILN_LIBM(fabs)(y)) < 0x1p-400;
  const double scale = small ? 0x1p600 : 1.0, back = small ? 0x1p-300 : 1.0;
  const in_two re = {x.high * scale, x.low * scale}, im = {y * scale, 0};
  const in_two a = product_of_two(re, re), b = product_of_two(im, im), squares = sum_in_two(a.high, b.high);
  const in_two size = root_in_two(squares.high, squares.low + (a.low + b.low));
  const bool left = re.high < 0;
  const in_two twice = falling_sum(size.high, left ? -re.high : re.high);
  const in_two root = root_in_two(0.5 * twice.high, 0.5 * (twice.low + (size.low + (left ? -re.low : re.low))));
  const in_two large = {root.high * back, root.low * back};
  const in_two quotient = quotient_in_two({0.5 * im.high, 0}, root), other = {quotient.high * back, quotient.low * back};
  const bool below = signbit(y), zero = squares.high == 0;
  const in_two real = left ? (below ? negative(other) : other) : large,
               imaginary = left ? (below ? negative(large) : large) : other;
  return {{zero ? 0.0 : real.high, zero ? 0.0 : real.low}, {zero ? y : imaginary.high, zero ? 0.0 : imaginary.low}};
}
struct two_parts {
  double re, im;
};
// The real part of asin(x + i y), by the roots of 1 - z and 1 + z, and sinh of its imaginary part.
KILN_FN two_parts complex_arcsine(double x, double y) {
  const complex_in_two a = root_of_complex(sum_in_two(1, -x), -y), b = root_of_complex(sum_in_two(1, x), y);
  const in_two u = product_of_two(a.re, b.re), v = product_of_two(a.im, b.im), cosine = sum_in_two(u.high, -v.high);
  const in_two s = product_of_two(a.re, b.im), t = product_of_two(a.im, b.re), sine = sum_in_two(s.high, -t.high);
  const double re = angle_of_two({KILN_LIBM(fabs)(x), 0}, {cosine.high, cosine.low + (u.low - v.low)}, false);
  return {KILN_LIBM(copysign)(re, x), KILN_LIBM(copysign)(sine.high + (sine.low + (s.low - t.low)), y)};
}
// atanh(x + i y) of a positive x, but for poles.
KILN_FN two_parts complex_artanh(double x, double y) {
  const in_two less = sum_in_two(1, -x), more = sum_in_two(1, x), square = product_of_two({y, 0}, {y, 0});
  const in_two near = product_of_two(less, less), below = sum_in_two(near.high, square.high);
  const in_two ratio = quotient_in_two({4 * x, 0}, {below.high, below.low + (near.low + square.low)});
  const in_two of = product_of_two(less, more), beside = sum_in_two(of.high, -square.high);
  const bool left = beside.high < 0;
  const in_two real = {beside.high, beside.low + (of.low - square.low)};
  const double angle = angle_of_two({2 * KILN_LIBM(fabs)(y), 0}, left ? negative(real) : real, left);
  return {0.25 * log_with(split_sum(ratio.high), ratio.low / (1 + ratio.high)), KILN_LIBM(copysign)(0.5 * angle, y)};
}

}  // namespace kiln::same_bits
KILN_PRECISE_END
