// Poisson's distribution, with the same bits on every device; see random.hpp.
#pragma once
#include "kiln/math/random.hpp"

KILN_PRECISE_BEGIN
namespace kiln {

// exp(-x) of x from 0 to 16.
KILN_FN double falling_exponential(double x) {
  const double n = KILN_LIBM(floor)(rounded_product(x, 0x1.71547652b82fep+0) + 0.5);
  const double r = (rounded_product(n, 0x1.62e42fefa3800p-1) - x) + rounded_product(n, 0x1.ef35793c76730p-45);
  const double p =
      rounded_polynomial(r, 1.0, 1.0, 0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.555555555553ep-5, 0x1.111111110f6dbp-7,
                         0x1.6c16c16c1f0ecp-10, 0x1.a01a01afd39d8p-13, 0x1.a01a017ba5912p-16, 0x1.71ddf87f84567p-19,
                         0x1.27e5366faa05bp-22, 0x1.af5e736011d90p-26, 0x1.1ee82198d7a18p-29);
  return rounded_product(p, bit_cast<double>(uint64(1023 - int32(n)) << 52));
}

// Of a mean below 16, by the sum of the probabilities.
KILN_FN int64 poisson_by_sum(const random_bits& bits, double mean) {
  double rest = uniform<double>(bits), probability = falling_exponential(mean);
  int32 k = 0;
  while (rest >= probability && k < 128) {
    rest -= probability;
    ++k;
    probability = rounded_product(probability, mean / k);
  }
  return k;
}

// log(probability of k * sqrt(2 pi)), by Stirling's series. Of large numbers k log(k / mean) and k - mean nearly cancel.
KILN_FN double poisson_logarithm(double k, double mean) {
  const double apart = k - mean, s = apart / (k + mean), z = rounded_product(s, s);
  const double near = rounded_product(s, apart) + rounded_product(rounded_product(k, s), logarithm_rest(z));
  const double far = -rounded_product(k, negative_logarithm(k / mean, 0)) - apart;
  const double series = rounded_polynomial(1 / rounded_product(k, k), 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680) / k;
  return rounded_product(0.5, negative_logarithm(k, 0)) - (z < 0.028 ? near : far) - series;
}
// Of a larger mean, by transformed rejection (W. Hörmann, "The transformed rejection method for generating Poisson random
// variables", 1993): each attempt has a stream of its own.
KILN_FN int64 poisson_by_rejection(uint64 seed, uint64 counter, double mean) {
  const double root = KILN_EXACT_SQRT(mean);
  const double b = 0.931 + rounded_product(2.53, root), a = rounded_product(0.02483, b) - 0.059;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), inner = 0.9277 - 3.6224 / (b - 2);
  for (uint64 attempt = 0;; ++attempt) {
    const random_bits bits = philox(seed, counter, attempt);
    const double u = uniform<double>(bits, 0) - 0.5, v = uniform<double>(bits, 1);
    const double near = 0.5 - (u < 0 ? -u : u);
    const double k = KILN_LIBM(floor)(rounded_product(2 * a / near + b, u) + mean + 0.43);
    if (near >= 0.07 && v <= inner) return static_cast<int64>(k);
    if (!(k >= 0) || v == 0 || (near < 0.013 && v > near)) continue;
    const double bound = rounded_product(v, inverse_alpha) / (a / rounded_product(near, near) + b);
    const double probability = k > 0 ? poisson_logarithm(k, mean) - 0x1.d67f1c864beb5p-1 : -mean;
    if (-negative_logarithm(bound, 0) <= probability) return static_cast<int64>(k);
  }
}
// -1 of a mean that is negative, above 2^60 or NaN.
KILN_FN int64 poisson(uint64 seed, uint64 counter, double mean) {
  if (!(mean >= 0 && mean <= 0x1p60)) return -1;
  return mean < 16 ? poisson_by_sum(philox(seed, counter), mean) : poisson_by_rejection(seed, counter, mean);
}

}  // namespace kiln
KILN_PRECISE_END
