#include "layout/merge.hpp"

namespace kiln::layout {

Merged merge_in_order(std::span<const std::int64_t> shape, std::span<const Strides> strides) {
  Merged merged{.shape = {}, .strides = std::vector<std::vector<std::int64_t>>(strides.size())};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    bool joins = !merged.shape.empty();
    for (std::size_t k = 0; k < strides.size() && joins; ++k) joins = merged.strides[k].back() == strides[k][d] * shape[d];
    if (joins) {
      merged.shape.back() *= shape[d];
    } else {
      merged.shape.push_back(shape[d]);
    }
    for (std::size_t k = 0; k < strides.size(); ++k) {
      if (joins) merged.strides[k].pop_back();
      merged.strides[k].push_back(strides[k][d]);
    }
  }
  if (merged.shape.empty()) {
    merged.shape.push_back(1);
    for (auto& each : merged.strides) each.push_back(0);
  }
  return merged;
}

Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to) {
  Strides wide(to.size(), 0);
  const std::size_t missing = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) wide[missing + d] = from[d] == 1 ? 0 : strides[d];
  return wide;
}

}  // namespace kiln::layout
