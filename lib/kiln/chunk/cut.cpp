#include "chunk/cut.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/ceil_div.hpp"

namespace kiln::chunk {
namespace {

/// Boxes of an innermost axis begin at whole pages of one-byte elements, so that on the CPU outputs keep their alignment.
constexpr std::int64_t kAlignedIndices = 4096;

}  // namespace

std::int64_t Box::size() const noexcept {
  std::int64_t size = 1;
  for (std::size_t d = 0; d < begin.size(); ++d) size *= end[d] - begin[d];
  return size;
}

Cut::Cut(Shape loop, std::span<const std::size_t> order, std::int64_t bytes, std::int64_t chunk_bytes,
         std::optional<std::size_t> by_powers)
    : loop_(std::move(loop)), step_(loop_) {
  for (const std::size_t axis : order) order_.push_back(static_cast<std::int64_t>(axis));
  // What one index of the axes so far stands for.
  double left = static_cast<double>(bytes);
  const auto wanted = static_cast<double>(std::max<std::int64_t>(chunk_bytes, 1));
  for (std::size_t k = 0; k < order.size() && left > wanted; ++k) {
    const std::size_t axis = order[k];
    const std::int64_t extent = loop_[axis];
    const double index = left / static_cast<double>(extent);
    std::int64_t step = std::clamp(static_cast<std::int64_t>(wanted / index), std::int64_t{1}, extent);
    if (by_powers == axis && step < extent) {
      step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(step)));
    } else {
      // Even parts, rather than a small one at the end.
      step = base::ceil_div(extent, base::ceil_div(extent, step));
    }
    if (k + 1 == order.size() && step > kAlignedIndices) step = base::ceil_div(step, kAlignedIndices) * kAlignedIndices;
    step_[axis] = std::min(step, extent);
    left = index * static_cast<double>(step);
    count_ *= parts(axis);
  }
}

std::int64_t Cut::parts(std::size_t axis) const noexcept {
  return base::ceil_div(loop_[axis], step_[axis]);
}

Box Cut::box(std::int64_t chunk) const {
  Box box{Dims(loop_.size(), 0), loop_};
  for (std::size_t k = order_.size(); k-- > 0;) {
    const auto axis = static_cast<std::size_t>(order_[k]);
    const std::int64_t part = chunk % parts(axis);
    chunk /= parts(axis);
    box.begin[axis] = part * step_[axis];
    box.end[axis] = std::min(box.begin[axis] + step_[axis], loop_[axis]);
  }
  return box;
}

}  // namespace kiln::chunk
