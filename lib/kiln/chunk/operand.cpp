#include "chunk/operand.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "array/rep.hpp"

namespace kiln::chunk {

Array Operand::at(const Box& box) const {
  detail::ArrayRep part = detail::view_rep(array_);
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    if (axes_[d] < 0) continue;
    const auto axis = static_cast<std::size_t>(axes_[d]);
    part.data += box.begin[d] * part.strides[axis];
    part.shape[axis] = box.end[d] - box.begin[d];
  }
  return detail::make_array(std::move(part));
}

bool Operand::is_cut_by(const Cut& cut) const noexcept {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    if (axes_[d] >= 0 && cut.cuts(d)) return true;
  }
  return false;
}

std::int64_t Operand::stride(std::size_t loop_axis) const {
  return axes_[loop_axis] < 0 ? 0 : std::abs(array_.strides()[static_cast<std::size_t>(axes_[loop_axis])]);
}

Operand broadcast_operand(const Array& array, const Shape& loop) {
  Dims axes(loop.size(), -1);
  const std::size_t missing = loop.size() - array.shape().size();
  for (std::size_t d = missing; d < loop.size(); ++d) {
    if (array.shape()[d - missing] == loop[d]) axes[d] = static_cast<std::int64_t>(d - missing);
  }
  return {array, std::move(axes)};
}

std::vector<std::size_t> all_axes_of(const Shape& loop) {
  std::vector<std::size_t> axes(loop.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

std::vector<std::size_t> memory_order(std::vector<std::size_t> among, std::span<const Operand> operands) {
  const auto largest = std::max_element(operands.begin(), operands.end(), [](const Operand& a, const Operand& b) {
    return a.array().nbytes() < b.array().nbytes();
  });
  if (largest == operands.end()) return among;
  std::stable_sort(among.begin(), among.end(),
                   [&](std::size_t a, std::size_t b) { return largest->stride(a) > largest->stride(b); });
  return among;
}

std::int64_t bytes_of(std::span<const Operand> operands) {
  std::int64_t bytes = 0;
  for (const Operand& operand : operands) bytes += operand.array().nbytes();
  return bytes;
}

}  // namespace kiln::chunk
