// Elements of a GPU that are moved and converted there. Kernels do it, so the function stands above this folder, in
// lib/ufunc/assign.cpp.
#pragma once

#include "array/rep.hpp"
#include "kiln/stream.hpp"

namespace kiln::detail {

/// Writes the elements of `from` to `to`, two arrays of one GPU and one shape that share no memory, converted as
/// Array::astype() does. Queued on the stream, and both are held until it is done. On the default stream the next work of the
/// others waits for it.
void convert_on_device(const Array& from, const Array& to, const Stream& stream = {});

/// Whether kernels can be compiled for it.
bool has_kernels(const Device& device);

}  // namespace kiln::detail
