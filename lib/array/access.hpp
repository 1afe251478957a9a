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

/// A packed array in the given order; zeros where asked.
Array allocate_packed(const Shape& shape, DType dtype, Order order, bool on_host, const Device& device);

/// An array of the same elements that the host can read: itself, or a download of the bytes it covers.
Array fetch(const Array& array);

/// Copies the elements of `from`, wherever they are, to a host-readable array of the same shape and dtype. The two may
/// overlap.
void download_into(const Array& from, const Array& to);

/// The device as messages name it: "host memory", "cpu:4", "cuda:0".
std::string place(const ArrayRep& rep);

}  // namespace kiln::detail
