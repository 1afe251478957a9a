// What arrays occupy, for questions of overlap.
#pragma once

#include "array/rep.hpp"
#include "layout/overlap.hpp"

namespace kiln::ufunc {

inline layout::Window window_of(const detail::ArrayRep& rep) {
  return {rep.data,
          {rep.shape.data(), rep.shape.size()},
          {rep.strides.data(), rep.strides.size()},
          static_cast<std::int64_t>(itemsize(rep.dtype))};
}

/// Whether they share memory. Arrays of no elements never do.
inline bool share_memory(const detail::ArrayRep& a, const detail::ArrayRep& b) {
  return a.size > 0 && b.size > 0 && layout::overlaps(window_of(a), window_of(b));
}

/// Whether two elements of the array do.
inline bool folds(const detail::ArrayRep& rep) {
  return !rep.c_contiguous && rep.size > 1 && layout::overlaps_itself(window_of(rep));
}

}  // namespace kiln::ufunc
