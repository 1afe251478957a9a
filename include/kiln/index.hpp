// The items of an index: a[{0, Slice{1, 3}, kiln::all}].
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "kiln/axes.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"

namespace kiln {

class Array;

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

/// The type of kiln::all, which is an item of an index and a function.
struct KILN_API All : Slice {
  /// Returns whether all elements along the axes differ from 0, as an array of bool: numpy.all. `a.all()` is a C++ bool.
  [[nodiscard]] Array operator()(const Array& a, const AxisOptions& options = {}) const;
  /// Returns the same along one axis: kiln::all(a, 0).
  [[nodiscard]] Array operator()(const Array& a, std::integral auto axis) const;
};
/// A whole axis, a[{kiln::all, 0}]; and the function kiln::all(a).
inline constexpr All all{};

}  // namespace kiln
