// Arrays on devices: made there, and sent there.
#pragma once

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"
#include "kiln/stream.hpp"

namespace kiln {

/// Returns an array on a device, with uninitialized elements. Throws DeviceError if the device or its memory is not available,
/// ShapeError by the rules of host arrays.
[[nodiscard]] KILN_API Array device_array(const Shape& shape, DType dtype, const Device& device, Order order = Order::c);
/// Returns an array on a device with these strides in bytes, one for each axis. The memory spans what the elements cover.
///
/// A stride has any sign and is a multiple of the dtype's alignment (of the size for complex numbers on a GPU). A stride of 0
/// repeats the axis. Throws ShapeError for other strides.
[[nodiscard]] KILN_API Array device_array(const Shape& shape, DType dtype, const Device& device, const Strides& strides);
/// Returns an array with the shape, dtype and device of `like`: in Fortran order if `like` is Fortran-contiguous, in C order
/// otherwise.
[[nodiscard]] KILN_API Array device_array_like(const Array& like);

/// Options of to_device().
struct ToDeviceOptions {
  /// Stream of the target device that the copy is queued on. The default stream makes the call wait.
  Stream stream = {};
  bool copy = true;  ///< false: a new array of the same shape, dtype and order, without the elements
};
/// Returns the array on that device: the array itself if it is there already. On the CPU nothing is copied: the memory is
/// shared.
///
/// The host memory may be reused after a copy to a GPU returns. On a stream both arrays stay alive until the copy is done, and
/// the host memory must not change before. Page-locked memory (pinned()) makes such a call wait for nothing.
///
/// A copy between two GPUs goes straight if their driver can, ordered after the first one's default stream. Throws DeviceError
/// if the device or its memory is not available, and for a stream of another device.
[[nodiscard]] KILN_API Array to_device(const Array& array, const Device& device, const ToDeviceOptions& options = {});

}  // namespace kiln
