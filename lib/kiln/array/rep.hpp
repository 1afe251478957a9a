// What an Array handle points to: a window (pointer, shape, strides) on a reference-counted buffer. Immutable once made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/shape.hpp"

namespace kiln::detail {

struct ArrayRep {
  char* data = nullptr;          // the element at index 0 of every axis
  std::shared_ptr<void> buffer;  // frees the memory; null for unowned views
  Shape shape;
  Strides strides;        // bytes
  std::int64_t size = 0;  // elements
  DType dtype = DType::float64;
  bool on_host = true;  // a plain host array: placed on no device
  bool read_only = false;
  bool c_contiguous = true;
  bool f_contiguous = true;
  Device device;
};

/// Fills size and the contiguity flags from shape, strides and dtype, and makes the handle.
Array make_array(ArrayRep rep);

/// An uninitialized array whose axes lie in memory in the given order (outermost first), on the host or on a device.
Array allocate(const Shape& shape, DType dtype, std::span<const int> memory_order, bool on_host, const Device& device);

/// Strides in bytes of a packed array.
Strides packed_strides(const Shape& shape, std::int64_t itemsize, Order order);

/// Product of the extents; ShapeError for a negative extent or one that does not fit in 63 bits with this itemsize.
std::int64_t checked_size(const Shape& shape, std::int64_t itemsize);
/// The same for elements of every dtype.
std::int64_t checked_size(const Shape& shape);

/// Copies elements between two host arrays of equal shape, converting as C++ does. No overlap handling.
void copy_host(const ArrayRep& from, const ArrayRep& to);

}  // namespace kiln::detail
