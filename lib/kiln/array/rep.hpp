// The value behind an Array handle: pointer, shape and strides in a reference-counted buffer. Immutable once made.
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
  char* data = nullptr;          // address of the element at index 0 of every axis
  std::shared_ptr<void> buffer;  // frees the memory; null for unowned views
  Shape shape;
  Strides strides;        // bytes between neighbouring elements
  std::int64_t size = 0;  // number of elements
  DType dtype = DType::float64;
  bool on_host = true;  // true: a plain host array, placed on no device
  bool read_only = false;
  bool c_contiguous = true;
  bool f_contiguous = true;
  Device device;
};

/// Fills size and the contiguity flags from shape, strides and dtype.
void set_flags(ArrayRep& rep);

/// Fills size and the contiguity flags from shape, strides and dtype, and makes the handle.
Array make_array(ArrayRep rep);

/// Returns an uninitialized array whose axes have the given order in memory (outermost first), on the host or on a device.
Array allocate(const Shape& shape, DType dtype, std::span<const int> memory_order, bool on_host, const Device& device);

/// Returns the strides in bytes of a packed array.
Strides packed_strides(const Shape& shape, std::int64_t itemsize, Order order);

/// Returns the product of the extents. Throws ShapeError for a negative extent, and if the bytes of that itemsize do not fit in
/// 63 bits.
std::int64_t checked_size(const Shape& shape, std::int64_t itemsize);
/// Returns the product of the extents, checked for every dtype.
std::int64_t checked_size(const Shape& shape);

/// Copies elements between two host arrays of equal shape, converting by C++'s rules. The arrays must not overlap.
void copy_host(const ArrayRep& from, const ArrayRep& to);

}  // namespace kiln::detail
