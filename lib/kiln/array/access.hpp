// Looking into a handle, for the files of this folder.
#pragma once

#include <cstdint>
#include <string>

#include "array/rep.hpp"

namespace kiln::detail {

/// TypeError for a handle that holds no array.
const ArrayRep& rep_of(const Array& array);

/// Whether the host may read the memory: host arrays and those on a CPU device.
inline bool host_readable(const ArrayRep& rep) noexcept {
  return rep.device.is_cpu();
}

/// The bytes that the elements cover, relative to rep.data: [low, high). Empty for no elements.
struct Extent {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
Extent covered(const ArrayRep& rep);

/// The alignment in bytes of memory that kiln allocates for so many bytes on the host. Kernels rely on no more.
inline std::uintptr_t boundary_of(std::int64_t bytes) noexcept {
  return bytes < 64 ? 16 : 64;
}
/// The same, for the bytes that an array covers.
inline std::uintptr_t boundary_of(const ArrayRep& rep) noexcept {
  const Extent extent = covered(rep);
  return boundary_of(extent.high - extent.low);
}

/// A packed array in the given order; zeros where asked.
Array allocate_packed(const Shape& shape, DType dtype, Order order, bool on_host, const Device& device);

/// ShapeError, which begins with `what`, unless the strides fit shape and dtype: as many, aligned, within 63 bits; and where
/// the address is null or not aligned.
void check_layout(const char* what, const void* data, const Shape& shape, DType dtype, const Strides& strides, bool gpu);

/// An array of the same elements that the host can read: itself, or a download.
Array fetch(const Array& array);

/// Copies the elements of `from`, wherever they are, to a host-readable array of the same shape and dtype. The two may
/// overlap.
void download_into(const Array& from, const Array& to);

/// The same, queued on a stream that is not the default one. DeviceError for a stream of another device.
void download_on(const Stream& stream, const Array& from, const Array& to);

/// The device as messages name it: "host memory", "cpu:4", "cuda:0".
std::string place(const ArrayRep& rep);

}  // namespace kiln::detail
