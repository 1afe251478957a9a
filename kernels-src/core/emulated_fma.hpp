// Fused multiply-add for processors without the instruction: the exact product and sum, rounded once, in all cases.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)
namespace kiln::emulated {

using word = unsigned long long;

// a + b = sum + rest, exactly (D. Knuth).
struct exact_sum {
  double sum, rest;
};
KILN_FN exact_sum sum_of(double a, double b) {
  const double sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}
// The sum rounded to odd: of a sum that is not exact the neighbour with a last bit of 1. Rounding it again to fewer digits then
// is as rounding once.
KILN_FN double odd_sum(double a, double b) {
  const exact_sum of = sum_of(a, b);
  const word bits = __builtin_bit_cast(word, of.sum), rest = __builtin_bit_cast(word, of.rest);
  const word towards = (bits ^ rest) >> 63 != 0 ? bits - 1 : bits + 1;
  const bool rounded = (of.rest < 0) | (of.rest > 0);
  return __builtin_bit_cast(double, rounded&((bits & 1) == 0) ? towards : bits);
}

// The product is exact in float64.
KILN_FN float fmaf(float x, float y, float z) {
  return static_cast<float>(odd_sum(static_cast<double>(x) * static_cast<double>(y), static_cast<double>(z)));
}

struct parts {
  word m;
  int exponent;
};
KILN_FN parts split(double size) {
  const word bits = __builtin_bit_cast(word, size);
  const int e = static_cast<int>(bits >> 52);
  return e == 0 ? parts{bits, -1074} : parts{(bits & 0x000fffffffffffffull) | 0x0010000000000000ull, e - 1075};
}
// By integers: whatever overflows, underflows or is special.
KILN_NOINLINE double fma_by_integers(double x, double y, double z) {
  using wide = unsigned __int128;
  constexpr double infinity = __builtin_inf();
  const double a = __builtin_fabs(x), b = __builtin_fabs(y), c = __builtin_fabs(z);
  if (!(a < infinity) | !(b < infinity) | (a == 0) | (b == 0)) return x * y + z;
  if (!(c < infinity)) return z;
  if (c == 0) return x * y;
  // Both with their highest bit at 125: what is shifted out below counts as one bit, and nothing is where they cancel.
  const parts of_a = split(a), of_b = split(b), of_c = split(c);
  const auto highest = [](wide w) {
    const word high = static_cast<word>(w >> 64);
    return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(static_cast<word>(w));
  };
  wide large = static_cast<wide>(of_a.m) * of_b.m, small = of_c.m;
  int exponent = of_a.exponent + of_b.exponent, other = of_c.exponent;
  const int up = 125 - highest(large), other_up = 125 - highest(small);
  large <<= up;
  small <<= other_up;
  exponent -= up;
  other -= other_up;
  bool negative = (__builtin_bit_cast(word, x) ^ __builtin_bit_cast(word, y)) >> 63 != 0;
  bool other_negative = __builtin_bit_cast(word, z) >> 63 != 0;
  if (other > exponent || (other == exponent && small > large)) {
    const wide w = large;
    large = small;
    small = w;
    const int e = exponent;
    exponent = other;
    other = e;
    const bool s = negative;
    negative = other_negative;
    other_negative = s;
  }
  const int down = exponent - other;
  if (down > 126) {
    small = 1;
  } else if (down > 0) {
    const wide lost = small & ((static_cast<wide>(1) << down) - 1);
    small = (small >> down) | static_cast<wide>(lost != 0);
  }
  const wide sum = negative == other_negative ? large + small : large - small;
  if (sum == 0) return 0.0;
  const int lowest = exponent + highest(sum) - 52, last = lowest < -1074 ? -1074 : lowest, shift = last - exponent;
  wide q = 0;
  if (shift <= 0) {
    q = sum << -shift;
  } else if (shift < 128) {
    const wide rest = sum & ((static_cast<wide>(1) << shift) - 1), half = static_cast<wide>(1) << (shift - 1);
    q = sum >> shift;
    q += static_cast<wide>(rest > half || (rest == half && (q & 1) != 0));
  }
  const word bits = static_cast<word>(q) + (static_cast<word>(last + 1074) << 52);
  const double size = bits >= 0x7ff0000000000000ull ? infinity : __builtin_bit_cast(double, bits);
  return negative ? -size : size;
}
// S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums" (2008), of numbers of usual size. A call: LLVM
// takes minutes for a function in which a hundred of them stand in place, each with a branch.
KILN_NOINLINE double fma(double x, double y, double z) {
  const double a = __builtin_fabs(x), b = __builtin_fabs(y), c = __builtin_fabs(z);
  const bool usual =
      (a > 0x1p-480) & (a < 0x1p480) & (b > 0x1p-480) & (b < 0x1p480) & (c < 0x1p1000) & ((c > 0x1p-860) | (c == 0));
  if (!usual) return fma_by_integers(x, y, z);
  const double x_split = x * 0x1.0000002p27, y_split = y * 0x1.0000002p27;
  const double x_high = x_split - (x_split - x), x_low = x - x_high;
  const double y_high = y_split - (y_split - y), y_low = y - y_high;
  const double product = x * y;
  const double rest = x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low);
  const exact_sum low = sum_of(z, rest), high = sum_of(product, low.sum);
  return high.sum + odd_sum(low.rest, high.rest);
}

}  // namespace kiln::emulated
#pragma float_control(pop)
