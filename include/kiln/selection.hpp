// The elements that arrays of bool or of indices select: a[mask], a[indices], a[{rows, columns}].
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "kiln/array.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"

namespace kiln {

class Arg;

/// A copy of the elements that a[which] selects, as an Array, which knows where they are from. Reading it reads the copy.
/// Assigning to the expression writes to `a`: a[mask] = 0, a[indices] += b. Do not keep one: `Array b = a[which]`.
///
/// - `which` of bool has the extents of a's first axes. The result has an axis of the elements selected, in C order, then a's
///   other axes.
/// - `which` of integers counts along a's first axis, negative ones from its end. The result has the shape of `which`, then a's
///   other axes.
///
/// - Several arrays count along the first axes, one for each: a[{rows, columns}]. They broadcast together, and the result has
///   their common shape, then a's other axes. A mask of n axes stands for the n arrays of nonzero().
///
/// The copy of a host array is one, and made by the CPU; others are on their device. Indices are checked first; masks are
/// counted. For a GPU both wait for earlier work of its default stream.
///
/// Throws TypeError for another dtype. Throws ShapeError for an index out of range, which it names, and for a mask of another
/// shape. Several arrays that do not broadcast, or are more than the axes, are a ShapeError, too.
///
/// Values broadcast to the copy's shape, and are cast to a's dtype by same_kind. If an index repeats, the CPU writes the last
/// value, a GPU any of them. += and its like count it once, as in NumPy; Ufunc::at counts each.
class KILN_API Selection : public Array {
 public:
  /// @name Writing to the array that was indexed
  ///
  /// Throws TypeError for a read-only array, and for values of a higher kind; ShapeError if they do not broadcast.
  /// @{
  // The expression is a temporary object: a reference to it would dangle.
  // NOLINTBEGIN(misc-unconventional-assign-operator,bugprone-unhandled-self-assignment)
  void operator=(const Array& values) && { put(values); }
  void operator=(const Selection& values) && { put(values); }
  template <Element T>
  void operator=(T value) && {
    put_value(dtype_of<T>, &value);
  }
  // NOLINTEND(misc-unconventional-assign-operator,bugprone-unhandled-self-assignment)
  void operator+=(const Arg& b) &&;
  void operator-=(const Arg& b) &&;
  void operator*=(const Arg& b) &&;
  void operator/=(const Arg& b) &&;
  void operator%=(const Arg& b) &&;
  void operator&=(const Arg& b) &&;
  void operator|=(const Arg& b) &&;
  void operator^=(const Arg& b) &&;
  void operator<<=(const Arg& b) &&;
  void operator>>=(const Arg& b) &&;
  /// @}

  /// @name Copies are handles on the same copy
  /// @{
  Selection(const Selection&) = default;
  Selection(Selection&&) noexcept = default;
  ~Selection() = default;
  /// @}

  /// Constructor for the library's own use: of `base` at places that count along its first `axes`, merged. `mask` is empty for
  /// indices.
  Selection(Array copy, Array base, Array places, std::size_t axes, Array mask) noexcept
      : Array(std::move(copy)), base_(std::move(base)), places_(std::move(places)), axes_(axes), mask_(std::move(mask)) {}

 private:
  void put(const Array& values) const;
  void put_value(DType dtype, const void* value) const;

  Array base_;
  Array places_;
  std::size_t axes_;
  Array mask_;
};

template <class>
Selection Array::operator[](std::initializer_list<Array> which) const {
  return select({which.begin(), which.size()});
}

#ifdef __cpp_multidimensional_subscript
template <std::derived_from<Array>... Rest>
  requires(sizeof...(Rest) > 0)
Selection Array::operator[](const Array& first, const Rest&... rest) const {
  const Array list[] = {first, rest...};
  return select(list);
}
#endif

}  // namespace kiln
