// The ufuncs that several tests share.
#pragma once

#include <kiln/ufunc.hpp>

namespace conformance {

/// 3 a + b: its operands are not alike.
inline const kiln::Ufunc& combine() {
  static const kiln::Ufunc ufunc =
      kiln::vectorize({.name = "combine", .signatures = {"T(T a, T b)"}, .body = "return T(3) * a + b;"});
  return ufunc;
}

/// Its elements may be combined in any order.
inline const kiln::Ufunc& sum() {
  static const kiln::Ufunc ufunc =
      kiln::vectorize({.name = "sum", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .reorderable = true});
  return ufunc;
}

}  // namespace conformance
