#include "layout/reduction.hpp"

#include <cstdlib>

namespace kiln::layout {

Reduction::Reduction(const Request& request) : axes_(request.shape.size(), request.strides.size()) {
  for (const bool is_reduced : {false, true}) {
    const std::size_t first = axes_.rank();
    std::int64_t& product = is_reduced ? count_ : outputs_;
    for (std::size_t axis = 0; axis < request.shape.size(); ++axis) {
      if ((request.reduced[axis] != 0) != is_reduced) continue;
      product *= request.shape[axis];
      if (request.shape[axis] == 1) continue;
      axes_.append(request.shape[axis]);
      for (std::size_t k = 0; k < request.strides.size(); ++k) axes_.stride(k, axes_.rank() - 1) = request.strides[k][axis];
    }
    const bool fixed = is_reduced && request.in_order;
    if (!fixed) axes_.sort(Axes::Sort::first_decides, first);
    if (!fixed && !(is_reduced && request.forwards)) axes_.flip(first, request.index);
    axes_.merge(first);
    if (!is_reduced) kept_ = axes_.rank();
  }
}

bool Reduction::columns_inside() const noexcept {
  if (kept_ == 0 || axes_.rank() == kept_) return axes_.rank() == kept_;
  for (std::size_t k = 0; k < axes_.operands(); ++k) {
    const std::int64_t x = std::abs(axes_.stride(k, kept_ - 1));
    const std::int64_t y = std::abs(axes_.stride(k, axes_.rank() - 1));
    if (x != 0 && y != 0) return x < y;
  }
  return false;
}

}  // namespace kiln::layout
