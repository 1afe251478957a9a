// The value behind an Array handle: pointer, shape and strides in a reference-counted buffer. Immutable once made. The elements
// of a small host array stand behind its rep, in one allocation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/shape.hpp"

namespace kiln::detail {

/// Move-only: a copy would not keep alive what stands behind the rep. view_rep() makes one that does.
struct ArrayRep {
  char* data = nullptr;          // address of the element at index 0 of every axis
  std::shared_ptr<void> buffer;  // frees the memory; null if that stands behind the rep, and for unowned views
  Shape shape;
  Strides strides;        // bytes between neighbouring elements
  std::int64_t size = 0;  // number of elements
  DType dtype = DType::float64;
  bool on_host : 1 = true;  // true: a plain host array, placed on no device
  bool read_only : 1 = false;
  bool c_contiguous : 1 = true;
  bool f_contiguous : 1 = true;
  bool holds_elements : 1 = false;  // true: they stand behind the rep
  Device device;

  // NOLINTNEXTLINE(modernize-use-equals-default): a defaulted one is preceded by zeros over all of it in make_shared
  ArrayRep() noexcept {}
  ArrayRep(ArrayRep&&) noexcept = default;
  ArrayRep& operator=(ArrayRep&&) noexcept = default;
  ~ArrayRep() = default;
};

/// Fills size and the contiguity flags from shape, strides and dtype.
void set_flags(ArrayRep& rep);

/// Fills size and the contiguity flags from shape, strides and dtype, and makes the handle.
Array make_array(ArrayRep rep);
/// Does the same in place.
Array make_array(std::shared_ptr<ArrayRep> rep);

/// Returns what keeps the array's memory alive; null for unowned views.
std::shared_ptr<void> owner_of(const Array& array);

/// Returns a rep of the same elements that keeps their memory alive: the beginning of a view. Throws TypeError if the handle is
/// empty.
ArrayRep view_rep(const Array& array);

/// Returns an uninitialized array whose axes have the given order in memory (outermost first), on the host or on a device.
Array allocate(const Shape& shape, DType dtype, std::span<const int> memory_order, bool on_host, const Device& device);

/// Returns the strides in bytes of a packed array.
Strides packed_strides(const Shape& shape, std::int64_t itemsize, Order order);
/// Writes them in place.
void pack(Strides& strides, const Shape& shape, std::int64_t itemsize, Order order);

/// Returns the product of the extents. Throws ShapeError for a negative extent, and if the bytes of that itemsize do not fit in
/// 63 bits.
std::int64_t checked_size(const Shape& shape, std::int64_t itemsize);
/// Returns the product of the extents, checked for every dtype.
std::int64_t checked_size(const Shape& shape);

/// Copies elements between two host arrays of equal shape, converting by C++'s rules. The arrays must not overlap.
void copy_host(const ArrayRep& from, const ArrayRep& to);

}  // namespace kiln::detail
