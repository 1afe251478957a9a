// Elements of a GPU that are moved, converted and searched there. Kernels do it, so layers above provide the functions.
#pragma once

#include "array/rep.hpp"
#include "base/provided.hpp"
#include "kiln/stream.hpp"

namespace kiln::detail {

/// Writes the elements of `from` to `to`, two arrays of one GPU and one shape that share no memory, converted as
/// Array::astype() does. The work is queued on the stream, and holds both arrays until it is done. On the default stream the
/// next work of the other streams waits for it.
inline constinit base::Provided<void(const Array& from, const Array& to, const Stream& stream)> convert_on_device("ufunc");

/// Whether an element of a GPU's array is `wanted`, true or false.
inline constinit base::Provided<bool(const Array& array, bool wanted)> has_element_on_device("reduce");

/// Whether kernels can be compiled for it.
bool has_kernels(const Device& device);

}  // namespace kiln::detail
