// The memory that an array occupies, as lib/kiln/layout asks for it.
#pragma once

#include "array/rep.hpp"
#include "layout/overlap.hpp"

namespace kiln::call {

[[nodiscard]] inline layout::Window window_of(const detail::ArrayRep& rep) {
  return {rep.data,
          {rep.shape.data(), rep.shape.size()},
          {rep.strides.data(), rep.strides.size()},
          static_cast<std::int64_t>(itemsize(rep.dtype))};
}

/// Whether two arrays share a byte; arrays without elements share none.
[[nodiscard]] inline bool share_memory(const detail::ArrayRep& a, const detail::ArrayRep& b) {
  return a.size > 0 && b.size > 0 && layout::overlaps(window_of(a), window_of(b));
}

/// Whether two arrays have the same bytes in the same order.
[[nodiscard]] inline bool same_window(const detail::ArrayRep& a, const detail::ArrayRep& b) {
  return a.data == b.data && itemsize(a.dtype) == itemsize(b.dtype) && a.shape == b.shape && a.strides == b.strides;
}

}  // namespace kiln::call
