// The items of an index: a[{0, Slice{1, 3}, kiln::all}].
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "kiln/shape.hpp"

namespace kiln {

/// A range start:stop:step along one axis, with Python's rules. Negative numbers count from the end, and out-of-range ends are
/// clipped.
struct Slice {
  std::optional<std::int64_t> start = std::nullopt;  ///< first index; absent: the end that the step starts from
  std::optional<std::int64_t> stop = std::nullopt;   ///< index before which the range ends; absent: the range is not bounded
  std::int64_t step = 1;                             ///< distance between two indices; negative: backwards; 0 throws ShapeError
};
/// One item of an index: a slice, or a number, which drops the axis.
struct Index {
  /// Constructs an index from any integer type. Negative numbers count from the end. Using one that is out of range throws
  /// ShapeError.
  template <class T>
    requires(std::integral<T> || (std::is_enum_v<T> && std::is_convertible_v<T, std::int64_t>))
  Index(T at) : position(Integer(at).value), drops(true) {}  // NOLINT(google-explicit-constructor)
  /// Constructs a range of indices.
  Index(Slice range) : slice(range) {}  // NOLINT(google-explicit-constructor)
  Slice slice;                          ///< range, if drops is false
  std::int64_t position = 0;            ///< number, if drops is true
  bool drops = false;                   ///< true: the item is a number
};

/// A whole axis.
inline constexpr Slice all{};

}  // namespace kiln
