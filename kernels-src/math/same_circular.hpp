// sin, cos and tan where functions have the same bits on every device: of an angle in two numbers.
#pragma once
#include "kiln/math/libm_circular.hpp"
#include "kiln/math/same_double.hpp"
#include "kiln/math/same_single.hpp"

KILN_PRECISE_BEGIN
namespace kiln::same_bits {

struct angle_in_two {
  double rest, more;
  uint32 quarters;
};
// Of a size below 2^23: the products and the first difference are exact.
KILN_FN angle_in_two near_angle(double size) {
  const double sum = fused(size, 0x1.45f306dc9c883p-1, round_in_place<double>), n = sum - round_in_place<double>;
  const double whole = n * 0x1.921fb54442d18p+0, whole_rest = fused(n, 0x1.921fb54442d18p+0, -whole);
  const in_two of = sum_in_two(size - whole, -whole_rest);
  const double less = fused(n, -0x1.1a62633145c07p-54, of.low), r = of.high + less;
  return {r, fused(n, 0x1.f1976b7ed8fbcp-110, (of.high - r) + less), uint32(bit_cast<uint64>(sum)) & 3};
}
// Of others.
KILN_FN angle_in_two far_angle(double size) {
  if (!(size < double(INFINITY))) return {double(NAN), 0, 0};
  const libm::reduced_in_two of = libm::reduce_far_in_two(size);
  const in_two angle = falling_sum(of.rest, of.more);
  return {angle.high, angle.low, of.quarters};
}

// Of an odd number of quarters the cosine.
KILN_FN in_two sine_beside_in_two(const angle_in_two& of, uint32 quarters) {
  const double r = of.rest, z = r * r;
  const in_two s = falling_sum(r, fused(r * z,
                                        polynomial(z, -0x1.5555555555548p-3, 0x1.111111110f7c9p-7, -0x1.a01a019bfd05fp-13,
                                                   0x1.71de356704911p-19, -0x1.ae5e59ebe0166p-26, 0x1.5d8fa08bf6c95p-33),
                                        of.more));
  const double half = 0.5 * z, near = 1 - half;
  const in_two c = falling_sum(
      near, ((1 - near) - half) + fused(z * z,
                                        polynomial(z, 0x1.555555555554cp-5, -0x1.6c16c16c1517ep-10, 0x1.a01a019cb1c9dp-16,
                                                   -0x1.27e4f809f896dp-22, 0x1.1ee9ebee2c769p-29, -0x1.8fae9ee2b9fb1p-37),
                                        -r * of.more));
  const bool odd = (quarters & 1) != 0;
  return {odd ? c.high : s.high, odd ? c.low : s.low};
}
KILN_FN double sine_beside(const angle_in_two& of, uint32 quarters) {
  return sine_beside_in_two(of, quarters).high;
}
KILN_FN double sine_from(double y, const angle_in_two& of, double x) {
  return ((of.quarters & 2) != 0) != signbit(x) ? -y : y;
}
KILN_FN double cosine_from(double y, const angle_in_two& of) {
  return ((of.quarters + 1) & 2) != 0 ? -y : y;
}
// Of a positive number's angle.
KILN_FN in_two sine_in_two(const angle_in_two& of) {
  const in_two y = sine_beside_in_two(of, of.quarters);
  return (of.quarters & 2) != 0 ? negative(y) : y;
}
KILN_FN in_two cosine_in_two(const angle_in_two& of) {
  const in_two y = sine_beside_in_two(of, of.quarters + 1);
  return ((of.quarters + 1) & 2) != 0 ? negative(y) : y;
}
KILN_FN in_two tangent_in_two(const angle_in_two& of, double x) {
  const double r = of.rest, z = r * r;
  const in_two above =
      falling_sum(r, r * z * polynomial(z, -0x1.06b8f80f2acd4p-3, 0x1.6fc351a4cf398p-9, -0x1.f625a31c33da8p-18));
  const in_two under = falling_sum(1, z * polynomial(z, -0x1.d8b1d15ceab9cp-2, 0x1.7e79939b9bc68p-6, -0x1.b51d40150f3cbp-13));
  const bool odd = (of.quarters & 1) != 0;
  const in_two q = quotient_in_two({odd ? under.high : above.high, odd ? under.low : above.low},
                                   {odd ? above.high : under.high, odd ? above.low : under.low});
  const double more = fused(q.high * of.more, q.high, of.more);
  const in_two y = falling_sum(q.high, q.low + (odd ? -more : more));
  const bool negative = odd != signbit(x);
  return {negative ? -y.high : y.high, negative ? -y.low : y.low};
}
KILN_FN double tangent(const angle_in_two& of, double x) {
  return tangent_in_two(of, x).high;
}
KILN_NOINLINE double sine_of_far(double x) {
  const angle_in_two of = far_angle(KILN_LIBM(fabs)(x));
  return sine_from(sine_beside(of, of.quarters), of, x);
}
KILN_NOINLINE double cosine_of_far(double x) {
  const angle_in_two of = far_angle(KILN_LIBM(fabs)(x));
  return cosine_from(sine_beside(of, of.quarters + 1), of);
}
KILN_NOINLINE double tangent_of_far(double x) {
  return tangent(far_angle(KILN_LIBM(fabs)(x)), x);
}
KILN_FN double sin(double x) {
  const angle_in_two of = near_angle(KILN_LIBM(fabs)(x));
  return KILN_RARELY(sine_from(sine_beside(of, of.quarters), of, x), x, 0x1p23, sine_of_far);
}
KILN_FN double cos(double x) {
  const angle_in_two of = near_angle(KILN_LIBM(fabs)(x));
  return KILN_RARELY(cosine_from(sine_beside(of, of.quarters + 1), of), x, 0x1p23, cosine_of_far);
}
KILN_FN double tan(double x) {
  return KILN_RARELY(tangent(near_angle(KILN_LIBM(fabs)(x)), x), x, 0x1p23, tangent_of_far);
}

// Of a float: the angle is exact to what matters in one number.
KILN_FN angle_in_two short_angle_of(double size) {
  const double sum = fused(size, 0x1.45f306dc9c883p-1, round_in_place<double>), n = sum - round_in_place<double>;
  return {fused(n, -0x1.1a62633145c07p-54, fused(n, -0x1.921fb54442d18p+0, size)), 0, uint32(bit_cast<uint64>(sum)) & 3};
}
KILN_FN double short_sine_beside(const angle_in_two& of, uint32 quarters) {
  const double s = short_sine(of.rest), c = short_cosine(of.rest);
  return (quarters & 1) != 0 ? c : s;
}
KILN_FN float sinf(float x) {
  const double a = static_cast<double>(x);
  const angle_in_two of = short_angle_of(KILN_LIBM(fabs)(a));
  return static_cast<float>(KILN_RARELY(sine_from(short_sine_beside(of, of.quarters), of, a), a, 0x1p23, sine_of_far));
}
KILN_FN float cosf(float x) {
  const double a = static_cast<double>(x);
  const angle_in_two of = short_angle_of(KILN_LIBM(fabs)(a));
  return static_cast<float>(KILN_RARELY(cosine_from(short_sine_beside(of, of.quarters + 1), of), a, 0x1p23, cosine_of_far));
}
KILN_FN float tanf(float x) {
  const double a = static_cast<double>(x);
  const angle_in_two of = short_angle_of(KILN_LIBM(fabs)(a));
  const double s = short_sine(of.rest), c = short_cosine(of.rest);
  const bool odd = (of.quarters & 1) != 0;
  const double y = (odd ? -c : s) / (odd ? s : c);
  return static_cast<float>(KILN_RARELY(signbit(a) ? -y : y, a, 0x1p23, tangent_of_far));
}

}  // namespace kiln::same_bits
KILN_PRECISE_END
