// j0, j1, y0 and y1 of float64 where functions have the same bits on every device, with an error of less than 2 ulp of the
// amplitude. Polynomials are of scripts/special_functions.py.
#pragma once
#include "kiln/math/same_circular.hpp"
#include "kiln/math/same_double.hpp"

KILN_PRECISE_BEGIN
namespace kiln::same_bits {

// first + lacks + s of, and what is lost of it.
KILN_FN in_two sum_with_product(double first, double lacks, double s, double of) {
  const double product = s * of;
  const in_two sum = sum_in_two(first, product);
  return {sum.high, sum.low + (fused(s, of, -product) + lacks)};
}

// Of sizes up to 2, by z = x^2.
KILN_FN in_two j0_of_small(double x) {
  const double z = x * x, p = polynomial(z - 2, -0x1.c37256be92fc4p-3, 0x1.c9b5380897349p-7, -0x1.9e1cb9570e57bp-12,
                                         0x1.a3f0e3597ef32p-18, -0x1.0fa6e9796f885p-24, 0x1.e6f7108f142eep-32,
                                         -0x1.401f1d73e3addp-39, 0x1.41dbd5ef1b33ap-47, -0x1.fed9fed0e3bfbp-56);
  return sum_with_product(1, fused(x, x, -z) * p, z, p);
}
KILN_FN in_two j1_of_small(double x) {
  const double t = x * x - 2;
  const in_two p = sum_with_product(0x1.8a3bafbd8015bp-2, -0x1.a55d3bf2c9951p-56, t,
                                    polynomial(t, -0x1.afd36c73264f2p-5, 0x1.2cbde5ad31cbbp-9, -0x1.9b73ac0db2ddbp-15,
                                               0x1.4ecf3a2e0f759p-21, -0x1.6978ef2ccd0aap-28, 0x1.15e8031ee7826p-35,
                                               -0x1.3fd73d5d9f377p-43, 0x1.1deaae5c38df7p-51, -0x1.987e233304c04p-60));
  const double y = x * p.high;
  return {y, fused(x, p.high, -y) + x * p.low};
}
// (u + v) (1 + p) + (u - v) q, over sqrt(pi x), of x >= 5 (H. Hankel's expansion).
KILN_FN double bessel_of_large(const in_two& u, const in_two& v, double x, double p, double q) {
  const bool huge = x > 0x1p800;
  const in_two square = quotient_in_two({0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56}, {huge ? x * 0x1p-400 : x, 0});
  const in_two root = root_in_two(square.high, square.low);
  const in_two sum = sum_in_two(u.high, v.high), all = sum_in_two(sum.high, p * sum.high + q * (u.high - v.high));
  const double low = all.low + (sum.low + (u.low + v.low)), y = all.high * root.high;
  return (y + (fused(all.high, root.high, -y) + (all.high * root.low + low * root.high))) * (huge ? 0x1p-200 : 1.0);
}
KILN_FN double hankel_p0(double x) {
  return polynomial(25 / (x * x) - 0.5, -0x1.65e34f15e3274p-10, -0x1.5bfe8e449925ap-9, 0x1.24e857e02aa14p-13,
                    -0x1.4a2bb235ba5c6p-16, 0x1.3f88eec83e8edp-18, -0x1.b4ebd1af9e79ep-20, 0x1.7bf9a9f9354b5p-21,
                    -0x1.8a87528f88286p-22, 0x1.d57e5c282a4bep-23, -0x1.39728e08fd4aep-23, 0x1.c7f23c04cffccp-24,
                    -0x1.38f529aa6485cp-24, 0x1.ea98b01aa05e0p-25, -0x1.d8732e7f26233p-24, 0x1.eceac98eb3a7ap-24,
                    0x1.cfaa3b4b3b6ddp-24, -0x1.2947ebdb381a8p-23, -0x1.36927d6125999p-22, 0x1.65e18bba0284bp-22);
}
KILN_FN double hankel_q0(double x) {
  return polynomial(25 / (x * x) - 0.5, -0x1.fa53af1a412d6p-4, 0x1.588368226773cp-9, -0x1.09dd7055eec39p-12,
                    0x1.a2b325c9491d2p-15, -0x1.f930566bebb36p-17, 0x1.953cd1ab8b705p-18, -0x1.8e8eee110a114p-19,
                    0x1.c8be56ab74394p-20, -0x1.26ef1816d35a9p-20, 0x1.a8051476573afp-21, -0x1.4831c481daf61p-21,
                    0x1.bd4c4dd81f358p-22, -0x1.64bd6f5ca2027p-22, 0x1.c0fb27e3ce432p-21, -0x1.eba2d257e1264p-21,
                    -0x1.1354b1cb00fc9p-20, 0x1.61ec56c4f2ab1p-20, 0x1.46fbfc445ff8ap-19, -0x1.8307d0d3bdeadp-19) /
         x;
}
KILN_FN double hankel_p1(double x) {
  return polynomial(25 / (x * x) - 0.5, 0x1.2c3d5583552cfp-9, 0x1.25cb0665de436p-8, -0x1.800dd4110a856p-13,
                    0x1.8fc8a4526094ep-16, -0x1.743c702920b44p-18, 0x1.f1801ca80f4c8p-20, -0x1.aa2b5a8dc1ff8p-21,
                    0x1.b5bdd791c7abdp-22, -0x1.0258ca34740a8p-22, 0x1.56aeacee9061cp-23, -0x1.efd929faa9ffep-24,
                    0x1.540264a96d5d9p-24, -0x1.09d68e9fb6e5fp-24, 0x1.f83ada9e51c69p-24, -0x1.0636dc916e03ep-23,
                    -0x1.e773041a98e62p-24, 0x1.38a43dab23279p-23, 0x1.4918b121e34b8p-22, -0x1.7aa5ee294d90cp-22);
}
KILN_FN double hankel_q1(double x) {
  return polynomial(25 / (x * x) - 0.5, 0x1.7e0025755b90ep-2, -0x1.e8dbf08d1331fp-9, 0x1.4b4523f7088afp-12,
                    -0x1.ee9665c4f0c30p-15, 0x1.21e1283487b11p-16, -0x1.c8b36b2d190b6p-18, 0x1.bb99d49341309p-19,
                    -0x1.f7ba9e4e9d032p-20, 0x1.42fd713fc92d2p-20, -0x1.cd97707f62e5fp-21, 0x1.6395b5ea0f4a5p-21,
                    -0x1.e2e9da95691a1p-22, 0x1.82416bc8eb6aep-22, -0x1.dd9b2ddadd9dap-21, 0x1.04c59db726544p-20,
                    0x1.21795136824f0p-20, -0x1.740e6f9440680p-20, -0x1.59dcdd525bba3p-19, 0x1.98cccd7795735p-19) /
         x;
}
KILN_FN double j0_of_large(const angle_in_two& of, double x) {
  return bessel_of_large(cosine_in_two(of), sine_in_two(of), x, hankel_p0(x), hankel_q0(x));
}
KILN_FN double j1_of_large(const angle_in_two& of, double x) {
  return bessel_of_large(sine_in_two(of), negative(cosine_in_two(of)), x, hankel_p1(x), hankel_q1(x));
}
KILN_FN double y0_of_large(const angle_in_two& of, double x) {
  return bessel_of_large(sine_in_two(of), negative(cosine_in_two(of)), x, hankel_p0(x), hankel_q0(x));
}
KILN_FN double y1_of_large(const angle_in_two& of, double x) {
  return bessel_of_large(negative(cosine_in_two(of)), negative(sine_in_two(of)), x, hankel_p1(x), hankel_q1(x));
}
#define KILN_BESSEL_OF_FAR(name)                 \
  KILN_NOINLINE double name##_of_far(double x) { \
    return name##_of_large(far_angle(x), x);     \
  }
KILN_BESSEL_OF_FAR(j0)
KILN_BESSEL_OF_FAR(j1)
KILN_BESSEL_OF_FAR(y0)
KILN_BESSEL_OF_FAR(y1)
#undef KILN_BESSEL_OF_FAR

KILN_FN double j0(double x) {
  const double size = KILN_LIBM(fabs)(x), s = size - 3.5;
  const in_two small = j0_of_small(size),
               middle = sum_with_product(
                   -0x1.854034ce30d51p-2, 0x1.cf46b65ee890cp-56, s,
                   polynomial(s, -0x1.19596399cff47p-3, 0x1.ad718c2d4e8a3p-3, 0x1.15069b76d7715p-10, -0x1.d8d4c2443c2f9p-7,
                              0x1.05f1986b5d8aep-12, 0x1.af6ea77160ac5p-12, -0x1.1edc7bd6c2917p-17, -0x1.b32adcff5b6fbp-18,
                              0x1.1d57f8c5c2374p-23, 0x1.1745237c67312p-24, -0x1.58b7fbb74c428p-30, -0x1.f0b3f3302f9f2p-32,
                              0x1.1cbfd52eff6abp-37, 0x1.440eb84f7663fp-39, -0x1.584572948139dp-45, -0x1.39f8eef38e68dp-47,
                              0x1.36223adccd19fp-53));
  const double large = KILN_RARELY(j0_of_large(near_angle(size), size), size, 0x1p23, j0_of_far);
  return size < 2                  ? small.high + small.low
         : size < 5                ? middle.high + middle.low
         : size < double(INFINITY) ? large
         : size == size            ? 0
                                   : size;
}
KILN_FN double j1(double x) {
  const double size = KILN_LIBM(fabs)(x), s = size - 3.5;
  const in_two small = j1_of_small(size),
               middle = sum_with_product(
                   0x1.19596399cff47p-3, -0x1.5eaa510c21422p-57, s,
                   polynomial(s, -0x1.ad718c2d4e8a4p-2, -0x1.9f89e932432abp-9, 0x1.d8d4c2443c38ep-5, -0x1.476dfe8634de9p-10,
                              -0x1.4392fd950c821p-9, 0x1.f601d8b7cd277p-15, 0x1.b32add0267f5ep-15, -0x1.4102f7dcbb2b2p-20,
                              -0x1.5d166d9494c0dp-21, 0x1.d9fcf9365420ep-27, 0x1.748784077ca06p-28, -0x1.ceb77976a74ccp-34,
                              -0x1.1bb1306bb2998p-35, 0x1.42b7971302b0cp-41, 0x1.43ce7b6982bc6p-43, -0x1.4863a4858a913p-49,
                              -0x1.17adab31e52a0p-51));
  const double large = KILN_RARELY(j1_of_large(near_angle(size), size), size, 0x1p23, j1_of_far);
  const double y = size < 2                  ? small.high + small.low
                   : size < 5                ? middle.high + middle.low
                   : size < double(INFINITY) ? large
                   : size == size            ? 0
                                             : size;
  return signbit(x) ? -y : y;
}
// 2 log(x) of / pi.
KILN_FN in_two with_logarithm(double x, const in_two& of) {
  const parts_of_sum<double> parts = libm::split_number(x);
  const in_two l = libm::log_in_two(parts.fraction);
  const in_two sum = falling_sum(parts.exponent * 6.93147180369123816490e-01, l.high);
  const in_two log = {sum.high, sum.low + fused(parts.exponent, 1.90821492927058770002e-10, l.low)};
  return product_of_two({0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55}, product_of_two(log, of));
}
KILN_FN double y_of_all(double x, double small, const in_two& middle, double large) {
  const double y = x < 2 ? small : x < 5 ? middle.high + middle.low : x < double(INFINITY) ? large : 0;
  return x > 0 ? y : x == 0 ? -double(INFINITY) : double(NAN);
}
KILN_FN double y0(double x) {
  const double size = KILN_LIBM(fabs)(x), t = x * x - 2, s = x - 3.5;
  const in_two part = with_logarithm(x, j0_of_small(x));
  const in_two rest =
      sum_with_product(0x1.c52a45a4d5f55p-3, 0x1.688a101dbfdefp-58, t,
                       polynomial(t, 0x1.e9616cd862f24p-4, -0x1.ac0510ac8df2ap-7, 0x1.e9557d809c7f8p-12, -0x1.1d5a4dc810fbap-17,
                                  0x1.96b4c3f092765p-24, -0x1.881022fff2ec9p-31, 0x1.110dceb039e22p-38, -0x1.1fdec293493a6p-46,
                                  0x1.dba81d7ace5e4p-55, -0x1.3c4da8d9cfef4p-63));
  const in_two small = sum_in_two(part.high, rest.high),
               middle = sum_with_product(
                   0x1.831defdaee2c8p-3, 0x1.84ea894c4c94cp-57, s,
                   polynomial(s, -0x1.a4086ec01970fp-2, -0x1.26323c912cfc9p-5, 0x1.0f2c2060a939fp-4, -0x1.763615f309f6fp-10,
                              -0x1.43dd2ac41810bp-9, 0x1.689af6248d03dp-18, 0x1.19f6e857f5ef0p-14, -0x1.2049102cd53e2p-18,
                              0x1.2404e52d035cap-23, -0x1.aee4b1733fdd7p-23, 0x1.0a7408fb5fe4dp-24, -0x1.0215551e1d55ep-26,
                              0x1.0e35c6f4ccb1ep-28, -0x1.22d62c916ec11p-30, 0x1.37b63c8feec0fp-32, -0x1.4f298d88bfdf2p-34,
                              0x1.6efb062e60b3bp-36, -0x1.8d561ee93603bp-38, 0x1.7eed0b6ae07d1p-40, -0x1.9fd260f4b9a0dp-42,
                              0x1.7915693ae8b2bp-43, -0x1.9d988136a18ecp-45, -0x1.37d7d12033405p-48, 0x1.5e0cee59f5463p-50,
                              0x1.388ee4188a155p-49, -0x1.58e338e4e617cp-51));
  const double large = KILN_RARELY(y0_of_large(near_angle(size), size), size, 0x1p23, y0_of_far);
  return y_of_all(x, small.high + (small.low + (part.low + rest.low)), middle, large);
}
KILN_FN double y1(double x) {
  const double size = KILN_LIBM(fabs)(x), t = x * x - 2, s = x - 3.5;
  const bool tiny = x < 0x1p-60;
  const in_two pole = quotient_in_two({-0x1.45f306dc9c883p-1, 0x1.6b01ec5417056p-55}, {tiny ? 1 : x, 0});
  const in_two part = with_logarithm(x, j1_of_small(x)), first = sum_in_two(pole.high, part.high);
  const double rest =
      x * polynomial(t, -0x1.93f61feec6100p-4, 0x1.632c5e3f1511bp-5, -0x1.4e0be4a5e58e5p-9, 0x1.0ca4d1fbc157ep-14,
                     -0x1.e6c3e85ac9d56p-21, 0x1.1c5c0278e6cb7p-27, -0x1.d11b6e99fea6bp-35, 0x1.1977a96504aacp-42,
                     -0x1.0675925440527p-50, 0x1.84daa788ff474p-59, -0x1.d4cf731bbe8c2p-68);
  const in_two small = sum_in_two(first.high, rest),
               middle = sum_with_product(
                   0x1.a4086ec01970fp-2, 0x1.f9bad5a9108a7p-57, s,
                   polynomial(s, 0x1.26323c912cfcap-4, -0x1.96c23090fdd7dp-3, 0x1.763615f309aedp-8, 0x1.94d475751fa64p-7,
                              -0x1.0e74389956503p-15, -0x1.ed70169bff055p-12, 0x1.2049101eb4bbbp-15, -0x1.48857693c7916p-20,
                              0x1.0d4ef24190b72p-19, -0x1.6e5fd4e6ff58ep-21, 0x1.831f827851266p-23, -0x1.b70e09c32e489p-25,
                              0x1.fd02b4b523f85p-27, -0x1.24a1cc9bf646cp-28, 0x1.4ec888989aaa9p-30, -0x1.7fe04195c2972p-32,
                              0x1.c32d2d33bf821p-34, -0x1.026954b4fa8e5p-35, 0x1.e9282b5f57c99p-38, -0x1.180ee25f296d8p-39,
                              0x1.4033f0a15f004p-40, -0x1.6e4b96003d5f4p-42, -0x1.c873990beb484p-45, 0x1.04d259030df48p-46,
                              0x1.350183a1ba471p-46, -0x1.615ab5ecb08b0p-48));
  const double large = KILN_RARELY(y1_of_large(near_angle(size), size), size, 0x1p23, y1_of_far);
  const double near = tiny ? -0x1.45f306dc9c883p-1 / x : small.high + (small.low + (first.low + (pole.low + part.low)));
  return y_of_all(x, near, middle, large);
}

}  // namespace kiln::same_bits
KILN_PRECISE_END
