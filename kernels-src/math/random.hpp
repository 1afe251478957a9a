// Random numbers with the same bits on every device, for any split of the work and whatever the user's text may have fused or
// approximated: integers, exact conversions, and sums and products that are rounded one by one. No fused multiply-add, which
// some CPUs lack.
#pragma once
#include "kiln/math/random_bits.hpp"

KILN_PRECISE_BEGIN
namespace kiln {

// Never fused with a sum.
KILN_FN float rounded_product(float a, float b) {
  KILN_SEPARATE_PRODUCTS
  return KILN_PRODUCTF(a, b);
}
KILN_FN double rounded_product(double a, double b) {
  KILN_SEPARATE_PRODUCTS
  return KILN_PRODUCT(a, b);
}
// c0 + c1 x + c2 x^2 + …
template <class T>
KILN_FN T rounded_polynomial(T, T c) {
  return c;
}
template <class T, class... C>
KILN_FN T rounded_polynomial(T x, T c, C... rest) {
  return rounded_product(rounded_polynomial(x, T(rest)...), x) + c;
}

// Up to 2^53, of two words.
KILN_FN double random_integer(uint32 high, uint32 low) {
  return rounded_product(static_cast<double>(int32(high >> 5)), 0x1p26) + static_cast<double>(int32(low >> 6));
}

// -log(x / 2^32) of x from 1 to 2^32, by Cephes' polynomial (S. Moshier).
KILN_FN float negative_logarithm(float x) {
  const uint32 bits = bit_cast<uint32>(x);
  // The fraction in [sqrt(1/2), sqrt(2)).
  const int32 shifted = int32(bits - 0x3f3504f3u);
  const float e = static_cast<float>(32 - (shifted >> 23));
  const float t = bit_cast<float>(bits - (uint32(shifted) & 0xff800000u)) - 1;
  const float z = rounded_product(t, t);
  const float p =
      rounded_polynomial(t, 3.3333331174e-1f, -2.4999993993e-1f, 2.0000714765e-1f, -1.6668057665e-1f, 1.4249322787e-1f,
                         -1.2420140846e-1f, 1.1676998740e-1f, -1.1514610310e-1f, 7.0376836292e-2f);
  const float tail = rounded_product(rounded_product(p, t), z) + rounded_product(e, 2.12194440e-4f);
  return rounded_product(e, 0.693359375f) - (t + (tail - rounded_product(0.5f, z)));
}
// log((1 + s) / (1 - s)) = s (2 + logarithm_rest(s^2)) of sizes up to 0.172, fdlibm's way (Sun Microsystems, 1993).
KILN_FN double logarithm_rest(double z) {
  return rounded_product(
      z, rounded_polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fd70p-2, 0x1.24924941f53fdp-2, 0x1.c71c5205dfa03p-3,
                            0x1.74663fa8361ecp-3, 0x1.39a1a68623834p-3, 0x1.2f0637a3d7fd8p-3));
}
// -log(x / 2^power) of a normal number.
KILN_FN double negative_logarithm(double x, int32 power) {
  const uint64 shifted = bit_cast<uint64>(x) - 0x3fe6a09e667f3bcdull;
  const double e = static_cast<double>(power - (int32(uint32(shifted >> 32)) >> 20));
  const double f = bit_cast<double>((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1;
  const double s = f / (2 + f), square = rounded_product(rounded_product(0.5, f), f);
  const double tail =
      rounded_product(s, square + logarithm_rest(rounded_product(s, s))) - rounded_product(e, 1.90821492927058770002e-10);
  return rounded_product(e, 6.93147180369123816490e-01) - (f - (square - tail));
}
KILN_FN float negative_logarithm_of(uint32 word) {
  // The sum is rounded once, as the product is exact.
  return negative_logarithm(rounded_product(static_cast<float>(int32(word >> 8)), 256.0f) +
                            static_cast<float>(int32((word & 255) + 1)));
}
KILN_FN double negative_logarithm_of(uint32 high, uint32 low) {
  return negative_logarithm(random_integer(high, low) + 1, 53);
}

// The cosine of an angle of up to an eighth of a turn, and its sine: whichever belongs to the quarter that it is beside.
KILN_FN float cosine_beside(float r, uint32 quarter) {
  const float z = rounded_product(r, r);
  const float s = r + rounded_product(rounded_product(r, z), rounded_polynomial(z, -0x1.555556p-3f, 0x1.111108p-7f,
                                                                                -0x1.a00f7ep-13f, 0x1.6cd1aep-19f));
  const float c =
      1 + rounded_product(z, rounded_polynomial(z, -0x1.000000p-1f, 0x1.55553ep-5f, -0x1.6c087ep-10f, 0x1.9933d6p-16f));
  const float y = (quarter & 1) != 0 ? s : c;
  return ((quarter + 1) & 2) != 0 ? -y : y;
}
KILN_FN double cosine_beside(double r, uint32 quarter) {
  const double z = rounded_product(r, r);
  const double s =
      r + rounded_product(rounded_product(r, z),
                          rounded_polynomial(z, -0x1.5555555555548p-3, 0x1.111111110f7c9p-7, -0x1.a01a019bfd05fp-13,
                                             0x1.71de356704911p-19, -0x1.ae5e59ebe0166p-26, 0x1.5d8fa08bf6c95p-33));
  const double c =
      1 + rounded_product(z, rounded_polynomial(z, -0x1.fffffffffffa3p-2, 0x1.555555554f93bp-5, -0x1.6c16c16489178p-10,
                                                0x1.a019f882bac21p-16, -0x1.27df6b76bd05cp-22, 0x1.1b95d330edc8ap-29));
  const double y = (quarter & 1) != 0 ? s : c;
  return ((quarter + 1) & 2) != 0 ? -y : y;
}
// The cosine of that fraction of a turn, or its sine: the cosine a quarter before.
KILN_FN float cosine_of_turn(uint32 word, bool sine) {
  const uint32 quarter = (word + 0x20000000u) >> 30;
  const float rest = static_cast<float>(int32(word - (quarter << 30)));
  return cosine_beside(rounded_product(rest, 0x1.921fb6p-30f), quarter - (sine ? 1 : 0));
}
KILN_FN double cosine_of_turn(uint32 high, uint32 low, bool sine) {
  const uint32 word = high >> 5, quarter = (word + 0x1000000u) >> 25;
  const double rest =
      rounded_product(static_cast<double>(int32(word - (quarter << 25))), 0x1p26) + static_cast<double>(int32(low >> 6));
  return cosine_beside(rounded_product(rest, 0x1.921fb54442d18p-51), quarter - (sine ? 1 : 0));
}

// How many numbers of a type come of a block of 128 bits.
template <one_of<float, double> T>
inline constexpr int numbers_of_block = sizeof(T) == 4 ? 4 : 2;

// Each by its number in a block. Uniform in [0, 1), by 24 or 53 bits.
template <one_of<float, double> T = double>
KILN_FN T uniform(const random_bits& bits, index number = 0) {
  if constexpr (same<T, float>) {
    return rounded_product(static_cast<float>(int32(bits[number] >> 8)), 0x1p-24f);
  } else {
    return rounded_product(random_integer(bits[2 * number], bits[2 * number + 1]), 0x1p-53);
  }
}
// Of mean 0 and variance 1 (Box and Muller, 1958). Two that follow one another share their bits.
template <one_of<float, double> T = double>
KILN_FN T normal(const random_bits& bits, index number = 0) {
  const bool sine = (number & 1) != 0;
  if constexpr (same<T, float>) {
    const float square = 2 * negative_logarithm_of(bits[number & 2]);
    return rounded_product(KILN_EXACT_SQRTF(square), cosine_of_turn(bits[number | 1], sine));
  } else {
    const double square = 2 * negative_logarithm_of(bits[0], bits[1]);
    return rounded_product(KILN_EXACT_SQRT(square), cosine_of_turn(bits[2], bits[3], sine));
  }
}
// Of mean 1.
template <one_of<float, double> T = double>
KILN_FN T exponential(const random_bits& bits, index number = 0) {
  if constexpr (same<T, float>) {
    return negative_logarithm_of(bits[number]);
  } else {
    return negative_logarithm_of(bits[2 * number], bits[2 * number + 1]);
  }
}

// Each by its number among all of a seed.
#define KILN_DISTRIBUTION(name)                                                         \
  template <one_of<float, double> T = double>                                           \
  KILN_FN T name(uint64 seed, uint64 counter) {                                         \
    constexpr uint64 count = numbers_of_block<T>;                                       \
    return name<T>(philox(seed, counter / count), static_cast<index>(counter % count)); \
  }
KILN_DISTRIBUTION(uniform)
KILN_DISTRIBUTION(normal)
KILN_DISTRIBUTION(exponential)
#undef KILN_DISTRIBUTION

}  // namespace kiln
KILN_PRECISE_END
