// Elements of a GPU that are moved, converted and asked there. Kernels do it, so the functions stand above this folder, in
// lib/kiln/ufunc/assign.cpp and lib/kiln/math/logic.cpp.
#pragma once

#include "array/rep.hpp"
#include "kiln/stream.hpp"

namespace kiln::detail {

/// Writes the elements of `from` to `to`, two arrays of one GPU and one shape that share no memory, converted as
/// Array::astype() does. Queued on the stream, and both are held until it is done. On the default stream the next work of the
/// others waits for it.
void convert_on_device(const Array& from, const Array& to, const Stream& stream = {});

/// Whether an element of a GPU's array is `wanted`, true or false.
bool has_element_on_device(const Array& array, bool wanted);

/// Whether kernels can be compiled for it.
bool has_kernels(const Device& device);

}  // namespace kiln::detail
