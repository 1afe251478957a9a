// NumPy's functions that choose elements by a condition or by indices: where, take, put, compress, nonzero. a[mask] and
// a[indices] are in kiln/selection.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// Treatment of an index that is out of range.
enum class IndexMode : std::uint8_t {
  raise,  ///< throws ShapeError, which names it; negative ones count from the end
  wrap,   ///< it is taken modulo the extent
  clip,   ///< it is the nearest one in range; negative ones are 0
};

/// Options of take().
struct TakeOptions {
  std::optional<int> axis = std::nullopt;  ///< axis that the indices count along; absent: all elements in C order
  IndexMode mode = IndexMode::raise;       ///< treatment of an index that is out of range
};

/// Returns the elements of `a` where the condition is true, of `b` elsewhere, broadcast together. Conditions of other dtypes
/// are true where they differ from 0. Scalars are weak. The result and the exceptions are those of a ufunc's call.
[[nodiscard]] KILN_API Array where(const Array& condition, const Arg& a, const Arg& b);
/// Returns the indices of the elements that differ from 0, in C order: an array of int64 for each axis. For a GPU the call
/// waits for earlier work. Throws ShapeError for a 0-dimensional array.
[[nodiscard]] KILN_API std::vector<Array> nonzero(const Array& a);

/// Returns the elements at the indices along an axis. The axis becomes those of `indices`.
///
/// The indices are integers of any dtype, anywhere. IndexMode::raise checks them first; for a GPU that waits for earlier work
/// of its default stream. Throws TypeError for other dtypes, ShapeError for an axis or an index out of range.
[[nodiscard]] KILN_API Array take(const Array& a, const Array& indices, const TakeOptions& options = {});
/// Writes values to the elements at the indices in C order. The values are repeated where they are fewer. Throws the exceptions
/// of take() and of Array::assign(), with nothing written. Repeated indices are as for a[indices] = values.
KILN_API void put(const Array& a, const Array& indices, const Array& values, IndexMode mode = IndexMode::raise);
/// Returns the slices along an axis whose condition, of one axis, is true. Without an axis: the elements in C order. A short
/// condition leaves out the rest. Throws ShapeError for a condition of more axes, or that is true beyond the extent.
[[nodiscard]] KILN_API Array compress(const Array& condition, const Array& a, std::optional<int> axis = std::nullopt);

}  // namespace kiln
