// Reading and writing elements by their indices.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/shape.hpp"

namespace kiln::functions {

/// Returns the device that elements of an array are moved on, as a call's option: the CPU for a host array, where a GPU would
/// be sent all of it.
[[nodiscard]] std::optional<Device> moved_on(const Array& a);

/// Returns the elements of `a` at places that are checked, along an axis, which becomes those of `places`.
[[nodiscard]] Array gather(const Array& a, const Array& places, std::size_t axis);

/// Returns the numbers of elements in C order as an index for each axis.
[[nodiscard]] std::vector<Array> unraveled(const Array& places, const Shape& shape);

/// Returns the array with its first `axes` as one: a copy where no strides show that.
[[nodiscard]] Array merged(const Array& a, std::size_t axes);

/// Returns the values in a's dtype. Throws TypeError, which begins with `what`, unless they cast to it by same_kind, and for a
/// read-only array.
[[nodiscard]] Array writable(const char* what, const Array& a, const Array& values);

/// Writes values to the elements at `places`, which count along the first `axes` of `a` in C order. The values broadcast to the
/// shape of the places, then of a's other axes. Throws the exceptions of writable().
void scatter(const char* what, const Array& a, std::size_t axes, const Array& places, const Array& values);

}  // namespace kiln::functions
