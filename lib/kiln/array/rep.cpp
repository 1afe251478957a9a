// Making handles: sizes, strides, contiguity flags and memory.
#include "array/rep.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/host_memory.hpp"
#include "device/backend.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"

namespace kiln::detail {
namespace {

// NumPy's rule: an axis of one element has no say, and an array of no elements is contiguous both ways.
bool packed_axis(std::int64_t extent, std::int64_t stride, std::int64_t& expected) {
  if (extent == 1) return true;
  if (stride != expected) return false;
  expected *= extent;
  return true;
}

void take_device_memory(ArrayRep& rep, std::size_t bytes) {
  backend::Backend& backend = backend::backend_for(rep.device);
  void* address = backend.allocate(bytes, nullptr);
  rep.data = static_cast<char*>(address);
  rep.buffer =
      std::shared_ptr<void>(address, [&backend, bytes](void* memory) noexcept { backend.deallocate(memory, bytes, nullptr); });
}

}  // namespace

void set_flags(ArrayRep& rep) {
  const std::size_t rank = rep.shape.size();
  rep.size = 1;
  for (const std::int64_t extent : rep.shape) rep.size *= extent;
  rep.c_contiguous = rep.f_contiguous = true;
  if (rep.size == 0) return;
  auto expected = static_cast<std::int64_t>(itemsize(rep.dtype));
  for (std::size_t i = rank; i-- > 0 && rep.c_contiguous;) {
    rep.c_contiguous = packed_axis(rep.shape[i], rep.strides[i], expected);
  }
  expected = static_cast<std::int64_t>(itemsize(rep.dtype));
  for (std::size_t i = 0; i < rank && rep.f_contiguous; ++i) {
    rep.f_contiguous = packed_axis(rep.shape[i], rep.strides[i], expected);
  }
}

Array make_array(ArrayRep rep) {
  return make_array(std::make_shared<ArrayRep>(std::move(rep)));
}

Array make_array(std::shared_ptr<ArrayRep> rep) {
  set_flags(*rep);
  return Array(std::move(rep));
}

std::shared_ptr<void> owner_of(const Array& array) {
  const ArrayRep& rep = rep_of(array);
  return rep.holds_elements ? std::shared_ptr<void>(array.rep(), rep.data) : rep.buffer;
}

ArrayRep view_rep(const Array& array) {
  const ArrayRep& rep = rep_of(array);
  ArrayRep view;
  view.data = rep.data;
  view.buffer = owner_of(array);
  view.shape = rep.shape;
  view.strides = rep.strides;
  view.size = rep.size;
  view.dtype = rep.dtype;
  view.on_host = rep.on_host;
  view.read_only = rep.read_only;
  view.c_contiguous = rep.c_contiguous;
  view.f_contiguous = rep.f_contiguous;
  view.device = rep.device;
  return view;
}

Strides packed_strides(const Shape& shape, std::int64_t itemsize, Order order) {
  Strides strides;
  pack(strides, shape, itemsize, order);
  return strides;
}

void pack(Strides& strides, const Shape& shape, std::int64_t itemsize, Order order) {
  const std::size_t rank = shape.size();
  strides.resize(rank);
  std::int64_t stride = itemsize;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t axis = order == Order::c ? rank - 1 - k : k;
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
}

namespace {

template <class Elements>
std::int64_t checked_size(const Shape& shape, std::int64_t itemsize, const Elements& elements) {
  // As in NumPy an extent of 0 does not excuse the others: strides are made from them too.
  std::int64_t bytes = itemsize;
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw ShapeError("shape " + to_string(shape) + " has a negative extent: extents are 0 or more");
    }
    size = extent == 0 ? 0 : size;
    if (extent > 0 && __builtin_mul_overflow(bytes, extent, &bytes)) {
      throw ShapeError("shape " + to_string(shape) + " of " + elements() + " has more than 2^63-1 bytes");
    }
  }
  return size == 0 ? 0 : bytes / itemsize;
}

}  // namespace

std::int64_t checked_size(const Shape& shape, std::int64_t itemsize) {
  return checked_size(shape, itemsize, [&] { return std::to_string(itemsize) + "-byte elements"; });
}

std::int64_t checked_size(const Shape& shape) {
  return checked_size(shape, static_cast<std::int64_t>(itemsize(DType::complex128)),
                      [] { return std::string("elements of up to 16 bytes"); });
}

Array allocate(const Shape& shape, DType dtype, std::span<const int> memory_order, bool on_host, const Device& device) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  const auto bytes = static_cast<std::size_t>(checked_size(shape, item) * item);
  std::shared_ptr<ArrayRep> made = device.is_cpu() ? allocate_host(bytes, false) : std::make_shared<ArrayRep>();
  ArrayRep& rep = *made;
  rep.shape = shape;
  rep.dtype = dtype;
  rep.on_host = on_host;
  rep.device = device;
  if (memory_order.size() == shape.size()) {
    rep.strides.resize(shape.size());
    std::int64_t stride = item;
    for (std::size_t k = shape.size(); k-- > 0;) {
      const auto axis = static_cast<std::size_t>(memory_order[k]);
      rep.strides[axis] = stride;
      stride *= std::max<std::int64_t>(shape[axis], 1);
    }
  } else {
    pack(rep.strides, shape, item, Order::c);
  }
  if (!device.is_cpu()) take_device_memory(rep, bytes);
  return make_array(std::move(made));
}

}  // namespace kiln::detail
