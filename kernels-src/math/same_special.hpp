// erf, erfc, tgamma and lgamma of float64 where functions have the same bits on every device: of libm_special.hpp's
// polynomials, with their last sums, products and quotients in two numbers.
#pragma once
#include "kiln/math/own_power.hpp"
#include "kiln/math/same_circular.hpp"
#include "kiln/math/same_double.hpp"

KILN_PRECISE_BEGIN
namespace kiln::same_bits {

// Of sizes up to 1.
KILN_FN in_two erf_of_small(double x) {
  const double z = x * x;
  const in_two p =
      falling_sum(0x1.20dd750429b6dp+0,
                  z * polynomial(z, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bdep-4, -0x1.b82ce312889bap-6, 0x1.565bcd0e6502dp-8,
                                 -0x1.c02db3feeb579p-11, 0x1.f9a326c233146p-14, -0x1.f4d2561aeafd4p-17, 0x1.b9e6509b9867dp-20,
                                 -0x1.5f6d925a0bc7ap-23, 0x1.fc4356498c2d9p-27, -0x1.4e607b41a6416p-30, 0x1.7f072188e194dp-34,
                                 -0x1.29b9f1b3df556p-38));
  // What the first coefficient lacks of 2 / sqrt(pi).
  return product_of_two({x, 0}, {p.high, p.low + 0x1.1ae3a914fed80p-56});
}
// exp(-x^2) (1 + 2 x)^-1 p((x - 4) / (x + 4)) of x from 1/2 to 28, as a number times 2^exponent.
struct in_two_scaled {
  in_two of;
  int32 exponent;
};
KILN_FN in_two_scaled erfc_of_large(double x) {
  const double q = (x - 4) / (x + 4);
  const in_two p =
      falling_sum(0x1.3ba5916e9fd7fp+0,
                  q * polynomial(q, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd76dp-7, 0x1.16ecefcfa52b5p-4, -0x1.9ddb23c3e8e00p-4,
                                 0x1.7fee004e14c37p-4, -0x1.0fb06dfe4e4f9p-4, 0x1.3079edf61e7a1p-5, -0x1.09623883f080cp-6,
                                 0x1.49c672aa08182p-8, -0x1.8d4a9b1376eaep-11, -0x1.a1df44d0d357ap-13, 0x1.3be055036ec36p-13,
                                 -0x1.9954dbbbdf343p-16, -0x1.788966f85ff88p-17, 0x1.7ef4d531cf830p-18, 0x1.3abf792a3125dp-22,
                                 -0x1.b7f86449a0aa8p-21, 0x1.43dc50b7baccdp-24, 0x1.bb7be885c5a0bp-24, -0x1.3c396538d8d44p-26,
                                 -0x1.4ba5c49bc26a7p-27, 0x1.0eff5654f9fd0p-29));
  const double square = x * x, rest = fused(x, x, -square);
  const growth_in_two e = grown(-square);
  const in_two one_more = falling_sum(1, e.growth.high);
  const in_two power = {one_more.high, (one_more.low + e.growth.low) - rest * one_more.high};
  return {product_of_two(power, quotient_in_two(p, sum_in_two(2 * x, 1))), libm::whole_of(e.sum)};
}
KILN_FN double erf(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const in_two small = erf_of_small(a > 1 ? 1.0 : a);
  const in_two_scaled others = erfc_of_large(a > 6 ? 6.0 : a > 1 ? a : 1.0);
  const double c = libm::times_power_of_2(others.of.high, others.exponent);
  const in_two less = falling_sum(1, -c);
  const double y =
      a < 1 ? small.high + small.low : less.high + (less.low - libm::times_power_of_2(others.of.low, others.exponent));
  return x == x ? KILN_LIBM(copysign)(y, x) : x;
}
KILN_FN double erfc(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const in_two small = erf_of_small(a > 1 ? (x < 0 ? -1.0 : 1.0) : x), one_less = sum_in_two(1, -small.high);
  const in_two_scaled others = erfc_of_large(a > 28 ? 28.0 : a > 0.5 ? a : 0.5);
  const double large = libm::times_power_of_2(others.of.high + others.of.low, others.exponent);
  const bool is_small = (x < 0.5) & (x > -1);
  const double y = is_small ? one_less.high + (one_less.low - small.low) : x < 0 ? 2 - large : a > 28 ? 0.0 : large;
  return x == x ? y : x;
}

// sin(pi x) of sizes below 2^52: the angle in two numbers.
KILN_FN double sine_of_half_turns(double x) {
  const double quarters = KILN_LIBM(rint)(x + x), r = x - 0.5 * quarters;
  const double angle = r * pi, more = fused(r, pi, -angle) + r * 0x1.1a62633145c07p-53;
  const uint32 n = uint32(int64(quarters));
  const double y = sine_beside({angle, more, 0}, n);
  return (n & 2) != 0 ? -y : y;
}
// Gamma of a positive number below 190.
KILN_FN in_two_scaled gamma_of_positive(double x) {
  if (x < 8) {
    // Of gamma(2 + s), |s| <= 1/2: nothing is lost of a small number.
    in_two product = {1, 0};
    double s = x < 0.5 ? x : x - 1;
    if (x >= 1.5) {
      s = x - 2;
      while (s >= 0.5) {
        product = product_of_two(product, {s + 1, 0});
        s -= 1;
      }
    }
    const in_two p = falling_sum(
        1, s * polynomial(s, 0x1.b0ee6072093cep-2, 0x1.a5b978b96bebfp-2, 0x1.4e2399846508ap-4, 0x1.301fbb0f25aa3p-4,
                          -0x1.17f3740ec72a0p-12, 0x1.6d7eeac9e5d3bp-7, -0x1.75e6e90ba3cefp-9, 0x1.13c449cbdba0dp-9,
                          -0x1.e21f19a7b3331p-11, 0x1.011ad170bcb88p-11, -0x1.f94b1c3d6053ep-13, 0x1.fe56eaba5544bp-14,
                          -0x1.fddfed1c8199bp-15, 0x1.fed5378291c50p-16, -0x1.00a11030605acp-16, 0x1.00c61c65474f7p-17,
                          -0x1.e472c38c79d24p-19, 0x1.e4907cc101ea7p-20, -0x1.607cdc66fc45bp-20, 0x1.60846b8909130p-21));
    if (x >= 1.5) return {product_of_two(p, product), 0};
    return {quotient_in_two(p, x < 0.5 ? product_of_two({x, 0}, sum_in_two(1, x)) : in_two{x, 0}), 0};
  }
  // Stirling's series: sqrt(2 pi) 2^((x - 1/2) log2(x) - x log2(e)).
  const double t = 1 / x;
  const in_two series =
      product_of_two(falling_sum(1, t * polynomial(t, 0x1.5555555555556p-4, 0x1.c71c71c71a2efp-9, -0x1.5f7268ec5a02ep-9,
                                                   -0x1.e13ceabd41e48p-13, 0x1.9b103e75a4f99p-11, 0x1.24357e57e1722p-14,
                                                   -0x1.35df65ba1c2b5p-11, -0x1.141321dffb84ep-14, 0x1.f40e5a7c16f13p-11,
                                                   -0x1.01534c4144142p-11, -0x1.23dd85148c5cep-11)),
                     {0x1.40d931ff62706p+1, -0x1.a6a0d6f814637p-53});
  const number_in_two logarithm = log2_in_two(x);
  const in_two rising = product_of_two({x - 0.5, 0}, {logarithm.high, logarithm.low});
  const in_two falling = product_of_two({-x, 0}, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  const in_two exponent = sum_in_two(rising.high, falling.high);
  const power_in_two power = exp2_in_two(exponent.high, exponent.low + (rising.low + falling.low));
  return {product_of_two(series, falling_sum(power.power.high, power.power.low)), libm::whole_of(power.sum)};
}
KILN_FN double tgamma(double x) {
  const double size = KILN_LIBM(fabs)(x);
  if (!(size < double(INFINITY))) return x > 0 ? x : double(NAN);
  if (size < 0x1p-60) return 1 / x;
  if (x > 0) {
    const in_two_scaled of = gamma_of_positive(x > 180 ? 180.0 : x);
    return libm::times_power_of_2(of.of.high + of.of.low, of.exponent);
  }
  if (KILN_LIBM(floor)(x) == x) return double(NAN);
  if (size > 185) return sine_of_half_turns(x) > 0 ? 0.0 : -0.0;
  const in_two_scaled of = gamma_of_positive(size);
  const in_two product = product_of_two(product_of_two({sine_of_half_turns(size), 0}, {size, 0}), of.of);
  const in_two y = quotient_in_two({pi, 0x1.1a62633145c07p-53}, product);
  return libm::times_power_of_2(-(y.high + y.low), -of.exponent);
}

// log(x + rest) of a positive number.
KILN_FN in_two log_in_two_of(double x, double rest) {
  const parts_of_sum<double> of = libm::split_number(x);
  const in_two l = libm::log_in_two(of.fraction);
  const in_two sum = falling_sum(of.exponent * 6.93147180369123816490e-01, l.high);
  return falling_sum(sum.high, sum.low + (fused(of.exponent, 1.90821492927058770002e-10, l.low) + rest / x));
}
KILN_FN in_two lgamma_of_positive(double x) {
  if (x < 1.5) {
    const bool small = x < 0.5;
    const double s = small ? x : x - 1;
    const in_two p =
        falling_sum(0x1.2788cfc6fb619p-1,
                    s * polynomial(s, -0x1.f6465978d46e9p-3, 0x1.3e54520481f68p-3, -0x1.d7a3e6a8f24d3p-4, 0x1.79cf9c4c45553p-4,
                                   -0x1.3cb1f9d3aa706p-4, 0x1.115549ee4815fp-4, -0x1.e1824701d6850p-5, 0x1.ae8a96845abfap-5,
                                   -0x1.857929d7dcc22p-5, 0x1.639fa4485565ep-5, -0x1.4736db8af778dp-5, 0x1.2efc2e0671742p-5,
                                   -0x1.1a20b75adcbcap-5, 0x1.08732799711afp-5, -0x1.f0edd85f05d35p-6, 0x1.caf86092e8bbcp-6,
                                   -0x1.b1fb19c2ee9cep-6, 0x1.de0d296a971b3p-6, -0x1.c7e2bfe179a43p-6, 0x1.c71069b651dc8p-8,
                                   -0x1.a2e8cad163b76p-8, 0x1.23c3b948fe2fbp-4, -0x1.1a27e8f2eb17fp-4, -0x1.348e3ed89452ap-4,
                                   0x1.2bff6d32eeb1ap-4, 0x1.c4b8d24b7c8ebp-4, -0x1.b6aedc79bf1d1p-4));
    const in_two y = product_of_two(product_of_two({s, 0}, sum_in_two(s, -1)), p);
    if (!small) return y;
    const in_two l = log_in_two_of(x, 0), sum = sum_in_two(-l.high, y.high);
    return {sum.high, sum.low + (y.low - l.low)};
  }
  if (x < 8) {
    in_two product = {1, 0};
    double s = x - 2;
    while (s > 1) {
      product = product_of_two(product, {s + 1, 0});
      s -= 1;
    }
    const in_two p =
        falling_sum(0x1.b0ee6072093cep-2,
                    s * polynomial(s, -0x1.9ae6509ea109fp-4, 0x1.0e0c9df29352ap-5, -0x1.95ce223a9cb95p-7, 0x1.47974853ab621p-8,
                                   -0x1.145121f9a1e44p-9, 0x1.dfebcf8d3398ep-11, -0x1.a96a400ac8de3p-12, 0x1.7ed733fc4c58fp-13,
                                   -0x1.5c86b835b1d28p-14, 0x1.402f07203b76ap-15, -0x1.2850043addc7cp-16, 0x1.13e477388b7acp-17,
                                   -0x1.0237c66d39ed5p-18, 0x1.e56b122e64cbep-20, -0x1.c9415f234d977p-21, 0x1.af77f4eecf5ebp-22,
                                   -0x1.9dab4797e90e5p-23, 0x1.9aff9006f72b7p-24, -0x1.913a09637f623p-25, 0x1.461149105ef82p-26,
                                   -0x1.610802c609d76p-28, 0x1.684ade10051f9p-31));
    const in_two y = product_of_two(product_of_two({s, 0}, sum_in_two(s, 1)), p);
    if (product.high == 1) return y;
    const in_two l = log_in_two_of(product.high, product.low), sum = sum_in_two(l.high, y.high);
    return {sum.high, sum.low + (y.low + l.low)};
  }
  const in_two l = log_in_two_of(x, 0), less = sum_in_two(l.high, -1);
  const double t = 1 / x;
  const double series =
      polynomial(t, 0x1.acfe390c97d69p-2, 0x1.555555555555ap-4, -0x1.95037eb099292p-46, -0x1.6c16c165cbcacp-9,
                 -0x1.9eed6f8a58e98p-33, 0x1.a01afe06a7280p-11, -0x1.84c19cad5f33cp-23, -0x1.368b004e49e34p-11,
                 -0x1.061cdecbb563bp-15, 0x1.157a364d946b2p-10, -0x1.dfa2b03aa12afp-11);
  const in_two y = product_of_two({x - 0.5, 0}, {less.high, less.low + l.low}), sum = sum_in_two(y.high, series);
  return {sum.high, sum.low + y.low};
}
// Next to the zeros at negative numbers, where two logarithms cancel, the error is one of these.
KILN_FN double lgamma(double x) {
  if (x != x) return x;
  const double size = KILN_LIBM(fabs)(x);
  if (size == double(INFINITY) || (x <= 0 && KILN_LIBM(floor)(x) == x)) return double(INFINITY);
  if (x < 0 && size < 0x1p-60) return -log(size);
  // Beyond, what Stirling's series adds is nothing, and the product may overflow.
  if (x > 0x1p58) return x * (log(x) - 1);
  const in_two y = lgamma_of_positive(size);
  if (x > 0) return (y.high + y.low) + 0.0;  // of 1 it is not -0
  const in_two product = product_of_two({KILN_LIBM(fabs)(sine_of_half_turns(size)), 0}, {size, 0});
  const in_two q = quotient_in_two({pi, 0x1.1a62633145c07p-53}, product), l = log_in_two_of(q.high, q.low);
  const in_two sum = sum_in_two(l.high, -y.high);
  return sum.high + (sum.low + (l.low - y.low));
}

}  // namespace kiln::same_bits
KILN_PRECISE_END
