#include "layout/broadcast.hpp"

namespace kiln::layout {

bool broadcast_into(Shape& shape, const Shape& other) {
  if (other.size() > shape.size()) {
    Shape wider(other.size(), 1);
    const std::size_t offset = other.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) wider[offset + i] = shape[i];
    shape = std::move(wider);
  }
  const std::size_t offset = shape.size() - other.size();
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::int64_t& extent = shape[offset + i];
    if (extent == 1) {
      extent = other[i];
    } else if (other[i] != 1 && other[i] != extent) {
      return false;
    }
  }
  return true;
}

bool broadcasts_to(const Shape& from, const Shape& to) noexcept {
  if (from.size() > to.size()) return false;
  const std::size_t offset = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[offset + i]) return false;
  }
  return true;
}

Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to) {
  Strides wide(to.size(), 0);
  const std::size_t missing = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) wide[missing + d] = from[d] == 1 ? 0 : strides[d];
  return wide;
}

}  // namespace kiln::layout
