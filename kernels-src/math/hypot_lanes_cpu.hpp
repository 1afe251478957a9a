// hypot of a register's lanes; see avx512_cpu.hpp.
#pragma once
#include "kiln/math/avx512_cpu.hpp"

#pragma float_control(precise, on, push)
namespace kiln {
namespace avx512 {

// The larger and the smaller one of two sizes; of a number and a quiet NaN the number.
KILN_FN floats larger_size(floats x, floats y) {
  return __builtin_ia32_rangeps512_mask(x, y, 0b1011, x, 0xffff, as_set);
}
KILN_FN doubles larger_size(doubles x, doubles y) {
  return __builtin_ia32_rangepd512_mask(x, y, 0b1011, x, 0xff, as_set);
}
KILN_FN floats smaller_size(floats x, floats y) {
  return __builtin_ia32_rangeps512_mask(x, y, 0b1010, x, 0xffff, as_set);
}
KILN_FN doubles smaller_size(doubles x, doubles y) {
  return __builtin_ia32_rangepd512_mask(x, y, 0b1010, x, 0xff, as_set);
}
// By the exponent: a product would wait for the unit that has the most to do.
KILN_FN floats half_of_normal(floats x) {
  return (floats)((ints)x - (1 << 23));
}
KILN_FN doubles half_of_normal(doubles x) {
  return (doubles)((longs)x - (int64(1) << 52));
}
KILN_FN void refine(floats&, floats&) {}
KILN_FN void refine(doubles& root, doubles& half_inverse) {  // 14 digits to 27
  const doubles error = fused(-root, half_inverse, doubles(0.5));
  root = fused(root, error, root);
  half_inverse = fused(half_inverse, error, half_inverse);
}

// Of sizes a >= b whose squares are of usual size, the larger one's at least: Newton's step from a guess of 1 / sqrt, which
// sees what the rounded sum of the squares lacks. Without that it is 1.2 ulp and takes 0.41 ns of doubles on a Zen 4, with it
// 0.8 and 0.49; libmvec's 1.3 and 0.41.
template <class V>
KILN_FN V hypotenuse_of_usual(V a, V b) {
  const V square = a * a, sum = fused(b, b, square);
  const V rest = fused(a, a, -square) + fused(b, b, square - sum);
  const V inverse = inverse_root(sum);
  V root = sum * inverse, half_inverse = half_of_normal(inverse);
  refine(root, half_inverse);
  return fused(fused(-root, root, sum) + rest, half_inverse, root);
}
template <class V>
KILN_NOINLINE V hypotenuse_of_any(V x, V y) {
  const V a = larger_size(x, y), b = smaller_size(x, y);
  const V n = within(exponent(a), -number_of<V>(1100), number_of<V>(1100));
  const V z = scaled(hypotenuse_of_usual(scaled(a, -n), scaled(b, -n)), n);
  const V infinity = V(__builtin_inff());
  using B = bits_of<V>;
  const B infinite = (B)(__builtin_elementwise_abs(x) == infinity) | (B)(__builtin_elementwise_abs(y) == infinity);
  const V of_finite = a == V(0) ? a : z;
  return infinite != B(0) ? infinity : ((B)(x == x) & (B)(y == y)) != B(0) ? of_finite : x + y;
}
template <class V>
KILN_FN V hypotenuse(V x, V y) {
  constexpr bool single = sizeof(number_of<V>) == 4;
  constexpr number_of<V> least = single ? 0x1p-50f : 0x1p-450, most = single ? 0x1p60f : 0x1p500;
  const V a = larger_size(x, y), b = smaller_size(x, y);
  const uint32 usual = below(a, most) & ~below(a, least) & ordered(x, y);
  const V z = hypotenuse_of_usual(a, b);
  return __builtin_expect(usual == lanes_of_register<V>::all, 1) ? z : chosen(usual, z, hypotenuse_of_any(x, y));
}

}  // namespace avx512

template <one_of<float, double> T>
KILN_FN T hypot_of_lanes(T x, T y) {
  return avx512::of_lanes<avx512::hypotenuse>(x, y);
}

}  // namespace kiln
#pragma float_control(pop)
