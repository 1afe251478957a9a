#include "ufunc/indices.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "layout/axes.hpp"
#include "types/convert.hpp"

namespace kiln::ufunc {
namespace {

/// How many elements of a row are in range before the first that is not.
using Count = std::int64_t (*)(const char* from, std::int64_t stride, std::int64_t count, std::int64_t extent);

template <class I>
bool in_range(I index, std::int64_t extent) {
  if constexpr (std::is_signed_v<I>) {
    const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(index));
    return at + static_cast<std::uint64_t>(extent) < 2 * static_cast<std::uint64_t>(extent);
  } else {
    return static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(extent);
  }
}

/// Whether all of a block are in range: without a branch, so that the compiler makes vectors of it. The sign bit of
/// index + extent or of extent - 1 - index says no; arithmetic without signs may wrap.
template <class I, bool Packed>
bool all_good(const char* from, std::int64_t stride, std::int64_t count, std::uint64_t extent) {
  std::uint64_t bad = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    I index;
    std::memcpy(&index, from + i * (Packed ? static_cast<std::int64_t>(sizeof(I)) : stride), sizeof index);
    const auto at = static_cast<std::uint64_t>(index);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
    bad |= (std::is_signed_v<I> ? at + extent : at) | (extent - 1 - at);
  }
  return bad >> 63 == 0;
}

template <class I>
std::int64_t good(const char* from, std::int64_t stride, std::int64_t count, std::int64_t extent) {
  constexpr std::int64_t kBlock = 1024;
  const auto look = stride == static_cast<std::int64_t>(sizeof(I)) ? all_good<I, true> : all_good<I, false>;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = begin + kBlock < count ? begin + kBlock : count;
    if (look(from + begin * stride, stride, end - begin, static_cast<std::uint64_t>(extent))) continue;
    for (std::int64_t i = begin; i < end; ++i) {
      I index;
      std::memcpy(&index, from + i * stride, sizeof index);
      if (!in_range(index, extent)) return i;
    }
  }
  return count;
}

Count good_of(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return good<std::int8_t>;
    case DType::int16:
      return good<std::int16_t>;
    case DType::int32:
      return good<std::int32_t>;
    case DType::uint8:
      return good<std::uint8_t>;
    case DType::uint16:
      return good<std::uint16_t>;
    case DType::uint32:
      return good<std::uint32_t>;
    case DType::uint64:
      return good<std::uint64_t>;
    default:
      return good<std::int64_t>;
  }
}

/// The index of the element with that number in C order.
Shape position_of(std::int64_t number, const Shape& shape) {
  Shape position(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0;) {
    position[d] = number % shape[d];
    number /= shape[d];
  }
  return position;
}

}  // namespace

std::optional<BadIndex> find_bad_index(const detail::ArrayRep& indices, std::int64_t extent) {
  if (indices.size == 0) return std::nullopt;
  const Count count = good_of(indices.dtype);
  const Strides strides[] = {indices.strides};
  // Along a broadcast axis the first is all of them.
  Shape shape = indices.shape;
  std::int64_t size = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (indices.strides[d] == 0) shape[d] = 1;
    size *= shape[d];
  }
  const layout::Axes merged = layout::merge_in_order({shape.data(), shape.size()}, strides);
  const std::size_t outer = merged.rank() - 1;
  const std::int64_t columns = merged.extent(outer);
  const std::int64_t stride = merged.stride(0, outer);
  for (std::int64_t row = 0; row < size / columns; ++row) {
    const char* from = indices.data;
    std::int64_t rest = row;
    for (std::size_t d = outer; d-- > 0;) {
      from += rest % merged.extent(d) * merged.stride(0, d);
      rest /= merged.extent(d);
    }
    const std::int64_t first = count(from, stride, columns, extent);
    if (first == columns) continue;
    alignas(8) char value[8];
    std::memcpy(value, from + first * stride, itemsize(indices.dtype));
    return BadIndex{position_of(row * columns + first, shape), integer_text(indices.dtype, value)};
  }
  return std::nullopt;
}

std::vector<std::int64_t> target_offsets(std::span<const Array> indices, const Shape& shape, const detail::ArrayRep& target) {
  const std::int64_t positions = detail::checked_size(shape, 8);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(positions), 0);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Array numbers = indices[i].broadcast_to(shape).astype(DType::int64).copy();
    const auto* const at = numbers.as<const std::int64_t>();
    for (std::size_t p = 0; p < offsets.size(); ++p) {
      offsets[p] += (at[p] < 0 ? at[p] + target.shape[i] : at[p]) * target.strides[i];
    }
  }
  return offsets;
}

Collisions collisions_of(const std::vector<std::int64_t>& offsets) {
  Collisions collisions;
  collisions.order.resize(offsets.size());
  std::iota(collisions.order.begin(), collisions.order.end(), std::int64_t{0});
  const auto offset = [&](std::int64_t position) { return offsets[static_cast<std::size_t>(position)]; };
  std::stable_sort(collisions.order.begin(), collisions.order.end(),
                   [&](std::int64_t a, std::int64_t b) { return offset(a) < offset(b); });
  for (std::size_t k = 0; k < collisions.order.size(); ++k) {
    if (k == 0 || offset(collisions.order[k]) != offset(collisions.order[k - 1])) {
      collisions.starts.push_back(static_cast<std::int64_t>(k));
    }
  }
  collisions.starts.push_back(static_cast<std::int64_t>(offsets.size()));
  return collisions;
}

}  // namespace kiln::ufunc
