// The rarer functions of <cmath> of kiln's own, for GPUs without a vendor's library; see own_polynomial.hpp. Their polynomials
// are of scripts/special_functions.py. float32 is computed in float64.
#pragma once
#include "kiln/math/libm_circular.hpp"
#include "kiln/math/libm_exponential.hpp"
#include "kiln/math/own_power.hpp"

KILN_PRECISE_BEGIN
KILN_SEPARATE_PRODUCTS
namespace kiln::libm {

// erf(x) / x of z = x^2, |x| <= 1.
KILN_FN double erf_of_small(double x) {
  const double z = x * x;
  return x * polynomial(z, 0x1.20dd750429b6dp+0, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bdep-4, -0x1.b82ce312889bap-6,
                        0x1.565bcd0e6502dp-8, -0x1.c02db3feeb579p-11, 0x1.f9a326c233146p-14, -0x1.f4d2561aeafd4p-17,
                        0x1.b9e6509b9867dp-20, -0x1.5f6d925a0bc7ap-23, 0x1.fc4356498c2d9p-27, -0x1.4e607b41a6416p-30,
                        0x1.7f072188e194dp-34, -0x1.29b9f1b3df556p-38);
}
// exp(-x^2) (1 + 2 x)^-1 p((x - 4) / (x + 4)), of x >= 1/2; the square in two numbers.
KILN_FN double erfc_of_large(double x) {
  if (x > 28) return 0;
  const double q = (x - 4) / (x + 4);
  const double p = polynomial(q, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd76dp-7, 0x1.16ecefcfa52b5p-4,
                              -0x1.9ddb23c3e8e00p-4, 0x1.7fee004e14c37p-4, -0x1.0fb06dfe4e4f9p-4, 0x1.3079edf61e7a1p-5,
                              -0x1.09623883f080cp-6, 0x1.49c672aa08182p-8, -0x1.8d4a9b1376eaep-11, -0x1.a1df44d0d357ap-13,
                              0x1.3be055036ec36p-13, -0x1.9954dbbbdf343p-16, -0x1.788966f85ff88p-17, 0x1.7ef4d531cf830p-18,
                              0x1.3abf792a3125dp-22, -0x1.b7f86449a0aa8p-21, 0x1.43dc50b7baccdp-24, 0x1.bb7be885c5a0bp-24,
                              -0x1.3c396538d8d44p-26, -0x1.4ba5c49bc26a7p-27, 0x1.0eff5654f9fd0p-29);
  const double square = x * x, rest = fused(x, x, -square);
  const double scaled = p / fused(2.0, x, 1.0), y = fused(-rest, scaled, scaled);
  if (x < 26) return exp(-square) * y;
  // By two factors, so that a subnormal result is rounded once.
  const double e = exp(-0.5 * square);
  return e * y * e;
}
KILN_FN double erf(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const double y = a < 1 ? erf_of_small(a) : 1 - erfc_of_large(a);
  return x == x ? KILN_LIBM(copysign)(y, x) : x;
}
KILN_FN double erfc(double x) {
  if (x != x) return x;
  if (x >= 0.5) return erfc_of_large(x);
  return x > -1 ? 1 - erf_of_small(x) : 2 - erfc_of_large(-x);
}

// sin(pi x), exactly 0 of integers.
KILN_FN double sine_of_half_turns(double x) {
  const double n = KILN_LIBM(rint)(x), r = x - n;
  const double y = KILN_LIBM(fabs)(r) == 0.5   ? KILN_LIBM(copysign)(1.0, r)
                   : KILN_LIBM(fabs)(r) < 0.25 ? sine_of(r * pi)
                                               : KILN_LIBM(copysign)(cosine_of((0.5 - KILN_LIBM(fabs)(r)) * pi), r);
  const double half = 0.5 * n;
  return KILN_LIBM(rint)(half) == half ? y : -y;
}

// Gamma of a positive number, as a product of two: it may overflow where a quotient with it does not.
struct factors {
  double a, b;
};
KILN_FN factors gamma_of_positive(double x) {
  if (x < 8) {
    double product = 1;
    double s = x;  // of gamma(1 + s)
    if (x >= 1) {
      s = x - 1;
      while (s >= 1) {
        product *= s;
        s -= 1;
      }
    }
    const double p = polynomial(s, 0x1.0000000000000p+0, -0x1.2788cfc6fb51ep-1, 0x1.fa658c23a76bfp-1, -0x1.d0a118f0a3d23p-1,
                                0x1.f6a50ffee89a6p-1, -0x1.f6c807a205b83p-1, 0x1.fc7da4cbc9518p-1, -0x1.fdefe930f07a4p-1,
                                0x1.fee9533e8d3afp-1, -0x1.fed12cdd6feb4p-1, 0x1.fcabb3c9a6204p-1, -0x1.f4d2c41522362p-1,
                                0x1.dfeb440b476f0p-1, -0x1.b414e0a58298cp-1, 0x1.6afb99ba88c55p-1, -0x1.0a2d565b638aap-1,
                                0x1.4a2580aac0772p-2, -0x1.4b90a0639b3afp-3, 0x1.00215e79c7bafp-4, -0x1.1b77882204c2fp-6,
                                0x1.8dfe8398b3032p-9, -0x1.09546451e99c8p-12);
    return {x < 1 ? p / x : p * product, 1};
  }
  // Stirling's series. Beyond 180 everything overflows.
  const double a = x > 180 ? 180 : x;
  const double series =
      polynomial(1 / a, 0x1.0000000000000p+0, 0x1.5555555555556p-4, 0x1.c71c71c71a2efp-9, -0x1.5f7268ec5a02ep-9,
                 -0x1.e13ceabd41e48p-13, 0x1.9b103e75a4f99p-11, 0x1.24357e57e1722p-14, -0x1.35df65ba1c2b5p-11,
                 -0x1.141321dffb84ep-14, 0x1.f40e5a7c16f13p-11, -0x1.01534c4144142p-11, -0x1.23dd85148c5cep-11);
  const double falling = exp(-a) * (series * 0x1.40d931ff62706p+1);
  if (a < 140) return {power_of_doubles(a, a - 0.5) * falling, 1};
  const double root = power_of_doubles(a, 0.5 * (a - 0.5));
  return {root * falling, root};
}
// 4 ulp up to 140, and 6 beyond and of negative numbers.
KILN_FN double tgamma(double x) {
  if (x == 0) return KILN_LIBM(copysign)(double(INFINITY), x);
  if (x > 0 || x != x) {
    if (!(x < double(INFINITY))) return x;
    const factors of = gamma_of_positive(x);
    return of.a * of.b;
  }
  if (KILN_LIBM(floor)(x) == x) return double(NAN);
  const double size = -x;
  if (size > 185) return sine_of_half_turns(x) > 0 ? 0.0 : -0.0;
  if (size < 0x1p-60) return 1 / x;
  const factors of = gamma_of_positive(size);
  return -pi / (sine_of_half_turns(size) * (size * of.a)) / of.b;
}

// Of a positive number, 3 ulp. Next to 1 and 2, where it is 0, no digits are lost.
KILN_FN double lgamma_of_positive(double x) {
  if (x < 1.5) {
    const bool small = x < 0.5;
    const double s = small ? x : x - 1;
    const double y = s * (s - 1) *
                     polynomial(s, 0x1.2788cfc6fb619p-1, -0x1.f6465978d46e9p-3, 0x1.3e54520481f68p-3, -0x1.d7a3e6a8f24d3p-4,
                                0x1.79cf9c4c45553p-4, -0x1.3cb1f9d3aa706p-4, 0x1.115549ee4815fp-4, -0x1.e1824701d6850p-5,
                                0x1.ae8a96845abfap-5, -0x1.857929d7dcc22p-5, 0x1.639fa4485565ep-5, -0x1.4736db8af778dp-5,
                                0x1.2efc2e0671742p-5, -0x1.1a20b75adcbcap-5, 0x1.08732799711afp-5, -0x1.f0edd85f05d35p-6,
                                0x1.caf86092e8bbcp-6, -0x1.b1fb19c2ee9cep-6, 0x1.de0d296a971b3p-6, -0x1.c7e2bfe179a43p-6,
                                0x1.c71069b651dc8p-8, -0x1.a2e8cad163b76p-8, 0x1.23c3b948fe2fbp-4, -0x1.1a27e8f2eb17fp-4,
                                -0x1.348e3ed89452ap-4, 0x1.2bff6d32eeb1ap-4, 0x1.c4b8d24b7c8ebp-4, -0x1.b6aedc79bf1d1p-4);
    return small ? y - log(x) : y + 0.0;  // of 1 it is not -0
  }
  if (x < 8) {
    double product = 1, s = x - 2;
    while (s > 1) {
      product *= s + 1;
      s -= 1;
    }
    const double y = s * (s + 1) *
                     polynomial(s, 0x1.b0ee6072093cep-2, -0x1.9ae6509ea109fp-4, 0x1.0e0c9df29352ap-5, -0x1.95ce223a9cb95p-7,
                                0x1.47974853ab621p-8, -0x1.145121f9a1e44p-9, 0x1.dfebcf8d3398ep-11, -0x1.a96a400ac8de3p-12,
                                0x1.7ed733fc4c58fp-13, -0x1.5c86b835b1d28p-14, 0x1.402f07203b76ap-15, -0x1.2850043addc7cp-16,
                                0x1.13e477388b7acp-17, -0x1.0237c66d39ed5p-18, 0x1.e56b122e64cbep-20, -0x1.c9415f234d977p-21,
                                0x1.af77f4eecf5ebp-22, -0x1.9dab4797e90e5p-23, 0x1.9aff9006f72b7p-24, -0x1.913a09637f623p-25,
                                0x1.461149105ef82p-26, -0x1.610802c609d76p-28, 0x1.684ade10051f9p-31);
    return product == 1 ? y : y + log(product);
  }
  if (x > 0x1p58) return x * (log(x) - 1);
  return fused(x - 0.5, log(x) - 1,
               polynomial(1 / x, 0x1.acfe390c97d69p-2, 0x1.555555555555ap-4, -0x1.95037eb099292p-46, -0x1.6c16c165cbcacp-9,
                          -0x1.9eed6f8a58e98p-33, 0x1.a01afe06a7280p-11, -0x1.84c19cad5f33cp-23, -0x1.368b004e49e34p-11,
                          -0x1.061cdecbb563bp-15, 0x1.157a364d946b2p-10, -0x1.dfa2b03aa12afp-11));
}
// Of negative numbers the difference of two logarithms: next to its zeros there what is left has fewer digits.
KILN_FN double lgamma(double x) {
  if (x != x) return x;
  const double size = KILN_LIBM(fabs)(x);
  if (size == double(INFINITY) || (x <= 0 && KILN_LIBM(floor)(x) == x)) return double(INFINITY);
  if (x > 0) return lgamma_of_positive(x);
  if (size < 0x1p-60) return -log(size);
  return log(pi / (KILN_LIBM(fabs)(sine_of_half_turns(size)) * size)) - lgamma_of_positive(size);
}
KILN_FN float erff(float x) {
  return static_cast<float>(erf(x));
}
KILN_FN float erfcf(float x) {
  return static_cast<float>(erfc(x));
}
KILN_FN float tgammaf(float x) {
  return static_cast<float>(tgamma(x));
}
KILN_FN float lgammaf(float x) {
  return static_cast<float>(lgamma(x));
}

// The exponent of a number that is finite and not 0.
KILN_FN int32 exponent_of(double size) {
  const bool small = size < 0x1p-1022;
  return int32(bit_cast<uint64>(small ? size * 0x1p54 : size) >> 52) - (small ? 1023 + 54 : 1023);
}
KILN_FN double logb(double x) {
  const double size = KILN_LIBM(fabs)(x);
  return !(size < double(INFINITY)) ? x * x : size == 0 ? -double(INFINITY) : static_cast<double>(exponent_of(size));
}
KILN_FN float logbf(float x) {
  return static_cast<float>(logb(x));
}
KILN_FN int32 ilogb(double x) {
  const double size = KILN_LIBM(fabs)(x);
  constexpr int32 least = -2147483647 - 1, most = 2147483647;
  return x != x || size == 0 ? least : size < double(INFINITY) ? exponent_of(size) : most;
}
KILN_FN int32 ilogbf(float x) {
  return ilogb(x);
}
template <class T, class B>
KILN_FN T neighbour(T x, T y) {
  constexpr B sign = B(1) << (sizeof(B) * 8 - 1);
  const B bits = bit_cast<B>(x);
  const bool up = y > x;
  const B moved = x == 0 ? (up ? B(1) : B(sign | 1)) : up == ((bits & sign) == 0) ? B(bits + 1) : B(bits - 1);
  return x != x || y != y ? x + y : x == y ? y : bit_cast<T>(moved);
}
KILN_FN double nextafter(double x, double y) {
  return neighbour<double, uint64>(x, y);
}
KILN_FN float nextafterf(float x, float y) {
  return neighbour<float, uint32>(x, y);
}
KILN_FN double fdim(double x, double y) {
  return x <= y ? 0.0 : x - y;
}
KILN_FN float fdimf(float x, float y) {
  return x <= y ? 0.0f : x - y;
}
KILN_FN int64 llround(double x) {
  return static_cast<int64>(KILN_LIBM(round)(x));
}
KILN_FN int64 llroundf(float x) {
  return static_cast<int64>(KILN_LIBM(roundf)(x));
}
KILN_FN int64 lround(double x) {
  return llround(x);
}
KILN_FN int64 lroundf(float x) {
  return llroundf(x);
}
KILN_FN int64 llrint(double x) {
  return static_cast<int64>(KILN_LIBM(rint)(x));
}
KILN_FN int64 llrintf(float x) {
  return static_cast<int64>(KILN_LIBM(rintf)(x));
}
KILN_FN int64 lrint(double x) {
  return llrint(x);
}
KILN_FN int64 lrintf(float x) {
  return llrintf(x);
}

}  // namespace kiln::libm
KILN_PRECISE_END
