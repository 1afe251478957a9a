// hypot of float64 of kiln's own, for GPUs without a vendor's library; see own_polynomial.hpp.
#pragma once
#include "kiln/math/own_polynomial.hpp"

KILN_PRECISE_BEGIN
KILN_SEPARATE_PRODUCTS
namespace kiln::libm {

// Scaled where a square would overflow or be subnormal; then one step of Newton's, which sees what the rounded sum of the
// squares lacks.
KILN_FN double hypot(double x, double y) {
  const double p = KILN_LIBM(fabs)(x), q = KILN_LIBM(fabs)(y);
  const double big = p > q ? p : q, small = p > q ? q : p;
  const double scale = big > 0x1p500 ? 0x1p-600 : big < 0x1p-400 ? 0x1p600 : 1.0;
  const double back = big > 0x1p500 ? 0x1p600 : big < 0x1p-400 ? 0x1p-600 : 1.0;
  const double a = big * scale, b = small * scale;
  const double square = a * a, sum = fused(b, b, square);
  const double rest = fused(a, a, -square) + fused(b, b, square - sum);
  const double root = KILN_LIBM(sqrt)(sum);
  const double near = root == 0 ? 0.0 : root + (fused(-root, root, sum) + rest) / (root + root);
  const bool infinite = p == double(INFINITY) || q == double(INFINITY);
  return infinite ? double(INFINITY) : x == x && y == y ? near * back : x + y;
}

}  // namespace kiln::libm
KILN_PRECISE_END
