// erfinv, erfcinv, erfcx, normcdf and normcdfinv, which CUDA and HIP have beside C's functions; see math.hpp for the rules.
#pragma once
#include "kiln/math/special.hpp"
#if KILN_OWN_SPECIAL
#include "kiln/math/exp.hpp"
#include "kiln/math/horner.hpp"
#include "kiln/math/log.hpp"

// Polynomials are of scripts/special_functions.py. float32 is computed in float64.
KILN_PRECISE_BEGIN
namespace kiln::own {

// exp(-scale x^2) of a scale that is a power of 2: the first part of the square is exact.
KILN_FN double gaussian(double x, double scale) {
  const double high = bit_cast<double>(bit_cast<uint64>(x) & ~0x7ffffffull);
  const double rest = (x - high) * (x + high) * scale;
  const double e = exp(-(high * high * scale));
  return e - e * (rest * (1 - rest * (0.5 - rest * (1.0 / 6))));
}

// Of x >= 0 (M. Shepherd and J. Laframboise, 1981).
KILN_FN double erfcx_of_positive(double x) {
  if (x > 0x1p60) return 0x1.20dd750429b6dp-1 / x;
  return horner((x - 4) / (x + 4), 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fc17fp-7, 0x1.16ecefcfa5214p-4,
                -0x1.9ddb23c3e0c24p-4, 0x1.7fee004e16d41p-4, -0x1.0fb06dfee4790p-4, 0x1.3079edf5d9d05p-5, -0x1.0962386da3254p-6,
                0x1.49c672b9685cep-8, -0x1.8d4aaa8fbedbcp-11, -0x1.a1df4a1e543bcp-13, 0x1.3be12bafabe1fp-13,
                -0x1.99551e5f87e20p-16, -0x1.78a738afaf645p-17, 0x1.7f01a118598aep-18, 0x1.400a0021a32f1p-22,
                -0x1.b9339da7bf70bp-21, 0x1.31744dd9b56d0p-24, 0x1.cad9b27d6d663p-24, -0x1.1904891a069b4p-26,
                -0x1.af097381d257bp-27, 0x1.afe473b552685p-30, 0x1.0967e527911a9p-30) /
         (1 + 2 * x);
}
KILN_FN double erfcx(double x) {
  if (!(x < 0)) return erfcx_of_positive(x);
  return x < -26.7 ? double(INFINITY) : 2 * gaussian(x, -1) - erfcx_of_positive(-x);
}

// erfinv(x) / x where (1 - x) (1 + x) = exp(-w), w up to 6.25 (M. Giles' way, 2010).
KILN_FN double erfinv_by_x(double w) {
  return horner(w - 3.125, 0x1.a755e7c99ae86p+0, 0x1.ebd80d9b13df9p-3, -0x1.8b6c33114eeaep-8, -0x1.84576948353e1p-11,
                0x1.879c2a20da432p-13, -0x1.d1d1f7ca4030fp-17, -0x1.6e8a53f106129p-20, 0x1.c6b4f890935ddp-22,
                -0x1.f36ce4ae847fdp-26, -0x1.1a9eb1bc8f0f0p-28, 0x1.20f4e6bf074cfp-30, -0x1.dc3ee8b6c53ccp-35,
                -0x1.c89564c5d1004p-37, 0x1.723527b7cff86p-39, -0x1.6d9ec5e3ec6afp-44, -0x1.686642b67610ap-45,
                0x1.db523eb040288p-48, -0x1.73898c37dc54ap-55, -0x1.2c266176e7096p-53, 0x1.1f4ba5de5dc3fp-56,
                0x1.536d397f9b9b1p-60, -0x1.9d290dd3bcb70p-62, -0x1.5087a244b0f6cp-70, 0x1.e9b8ae7230c25p-69);
}
// Of erfc(x) = y, beyond that: an approximation and one of Halley's steps.
KILN_FN double erfcinv_of_small(double y) {
  const double log_y = log(y), t = 1 / sqrt(-log_y - log(2 - y));
  const double x = horner(t - 0.2, 0x1.f0a161bea2c2bp-1, -0x1.9cdfccc93296bp-3, -0x1.1af6d878e6ccdp-6, 0x1.8503435e602b0p-1,
                          -0x1.3cdf7a5b57657p+0, 0x1.d4246f906d583p+0, -0x1.5b67ab797aa5cp+1, 0x1.becee58a2209ap+3,
                          -0x1.071080ea71d8dp+7, 0x1.2c7ba11e67f67p+8) /
                   t;
  const double step = (1 - exp(-x * x - log_y) * erfcx_of_positive(x)) * (0x1.c5bf891b4ef6bp-1 * exp(x * x + log_y));
  return x - step / (1 + step * x);
}
KILN_FN double erfinv(double x) {
  const double size = fabs(x), w = -log((1 - size) * (1 + size));
  if (!(w > 6.25)) return x * erfinv_by_x(w);
  return copysign(size == 1 ? double(INFINITY) : erfcinv_of_small(1 - size), x);
}
KILN_FN double erfcinv(double y) {
  const double other = 2 - y, w = -log(y * other);
  if (!(w > 6.25)) return (1 - y) * erfinv_by_x(w);
  if (y == 0 || other == 0) return y == 0 ? double(INFINITY) : -double(INFINITY);
  return y < 1 ? erfcinv_of_small(y) : -erfcinv_of_small(other);
}
KILN_FN double normcdf(double x) {
  if (!(x < -1)) return 0.5 * erfc(x * -0x1.6a09e667f3bcdp-1);
  const double a = x < -40 ? 40 : -x;
  return 0.5 * gaussian(a, 0.5) * erfcx_of_positive(a * 0x1.6a09e667f3bcdp-1);
}
KILN_FN double normcdfinv(double p) {
  return -0x1.6a09e667f3bcdp+0 * erfcinv(2 * p);
}
KILN_OWN_SINGLE(erfcx)
KILN_OWN_SINGLE(erfinv)
KILN_OWN_SINGLE(erfcinv)
KILN_OWN_SINGLE(normcdf)
KILN_OWN_SINGLE(normcdfinv)

}  // namespace kiln::own
KILN_PRECISE_END
#endif

namespace kiln {

KILN_SPECIAL_1(erfinv)
KILN_SPECIAL_1(erfcinv)
KILN_SPECIAL_1(erfcx)
KILN_SPECIAL_1(normcdf)
KILN_SPECIAL_1(normcdfinv)

}  // namespace kiln
