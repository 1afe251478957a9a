// Whether two strided windows share a byte. Exact, within a bound on the work.
#pragma once

#include <cstdint>
#include <span>

namespace kiln::layout {

/// The bytes that a strided array occupies.
struct Window {
  const char* data = nullptr;             ///< element at index 0 of every dimension
  std::span<const std::int64_t> shape;    ///< no extent is 0
  std::span<const std::int64_t> strides;  ///< bytes
  std::int64_t itemsize = 0;
};

/// Lowest and one past the highest address.
struct Extent {
  const char* begin;
  const char* end;
};
[[nodiscard]] Extent extent_of(const Window& window) noexcept;

/// True where an element of one shares a byte with an element of the other; also where the exact answer would take too long.
[[nodiscard]] bool overlaps(const Window& a, const Window& b);

/// True where two different elements of the window share a byte (a stride of 0, or rows that reach into one another).
[[nodiscard]] bool overlaps_itself(const Window& window);

}  // namespace kiln::layout
