// Making arrays, asking what they are, and reading single elements.
#include "kiln/array.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/host_memory.hpp"
#include "array/rep.hpp"
#include "device/backend.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"
#include "types/convert.hpp"
#include "types/reason.hpp"

namespace kiln {

using detail::ArrayRep;
using detail::rep_of;

namespace detail {

const ArrayRep& rep_of(const Array& array) {
  if (!array.valid()) throw Because<TypeError>(Reason::empty, "an empty Array handle was used: make or assign an array first");
  return *array.rep();
}

std::string place(const ArrayRep& rep) {
  return rep.on_host ? "host memory" : to_string(rep.device);
}

Array allocate_packed(const Shape& shape, DType dtype, Order order, bool on_host, const Device& device) {
  if (order == Order::c) return allocate(shape, dtype, {}, on_host, device);
  std::vector<int> axes(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(axes.size() - 1 - i);
  return allocate(shape, dtype, axes, on_host, device);
}

Extent covered(const ArrayRep& rep) {
  Extent extent;
  if (rep.size == 0) return extent;
  for (std::size_t i = 0; i < rep.shape.size(); ++i) {
    const std::int64_t reach = (rep.shape[i] - 1) * rep.strides[i];
    (reach < 0 ? extent.low : extent.high) += reach;
  }
  extent.high += static_cast<std::int64_t>(itemsize(rep.dtype));
  return extent;
}

namespace {

/// A GPU loads the two parts of a complex number in one instruction.
std::int64_t alignment_of(DType dtype, bool gpu) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  return kind(dtype) == Kind::complex && !gpu ? item / 2 : item;
}

/// Of an array that has elements.
void check_address(const char* what, const void* data, const Shape& shape, DType dtype, bool gpu) {
  if (data == nullptr) throw ShapeError(std::string(what) + ": null address for shape " + to_string(shape));
  const std::int64_t alignment = alignment_of(dtype, gpu);
  if ((reinterpret_cast<std::uintptr_t>(data) & static_cast<std::uintptr_t>(alignment - 1)) == 0) return;
  throw ShapeError(std::string(what) + ": the address is not aligned to " + std::to_string(alignment) + " bytes, as " +
                   std::string(name(dtype)) + " needs" + (gpu ? " on a GPU" : "") + ": copy the data to aligned memory first");
}

}  // namespace

// Strides that pass here keep every element's offset within 63 bits.
void check_layout(const char* what, const void* data, const Shape& shape, DType dtype, const Strides& strides, bool gpu) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  const std::int64_t alignment = alignment_of(dtype, gpu);
  if (strides.size() != shape.size()) {
    throw ShapeError(std::string(what) + ": strides " + to_string(strides) + " have " + std::to_string(strides.size()) +
                     " entries, shape " + to_string(shape) + " has " + std::to_string(shape.size()));
  }
  // Strides of 0 make arrays of more elements than there is memory; their count must still fit.
  if (checked_size(shape, item) == 0) return;
  std::int64_t low = 0;
  std::int64_t high = item;
  bool fits = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    std::int64_t reach = 0;
    fits = fits && !__builtin_mul_overflow(shape[i] - 1, strides[i], &reach);
    std::int64_t& end = reach < 0 ? low : high;
    fits = fits && !__builtin_add_overflow(end, reach, &end);
    if (strides[i] % alignment != 0) {
      throw ShapeError(std::string(what) + ": stride " + std::to_string(strides[i]) + " of axis " + std::to_string(i) +
                       " is not a multiple of " + std::to_string(alignment) + ", the alignment of " + std::string(name(dtype)) +
                       (gpu ? " on a GPU" : ""));
    }
  }
  std::int64_t bytes = 0;
  if (!fits || __builtin_sub_overflow(high, low, &bytes)) {
    throw ShapeError(std::string(what) + ": shape " + to_string(shape) + " with strides " + to_string(strides) + " of " +
                     std::string(name(dtype)) + " reaches over more than 2^63-1 bytes");
  }
  check_address(what, data, shape, dtype, gpu);
}

}  // namespace detail

Array Array::empty(const Shape& shape, DType dtype, Order order) {
  return detail::allocate_packed(shape, dtype, order, true, Device::cpu());
}

Array Array::zeros(const Shape& shape, DType dtype, Order order) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  const auto bytes = static_cast<std::size_t>(detail::checked_size(shape, item) * item);
  std::shared_ptr<ArrayRep> rep = detail::allocate_host(bytes, true);
  rep->shape = shape;
  detail::pack(rep->strides, shape, item, order);
  rep->dtype = dtype;
  return detail::make_array(std::move(rep));
}

Array Array::full_raw(const Shape& shape, DType dtype, const void* value) {
  Array array = empty(shape, dtype);
  const std::size_t item = itemsize(dtype);
  const std::size_t total = static_cast<std::size_t>(array.size()) * item;
  if (total == 0) return array;
  // Doubling up to a chunk that stays in the cache, then that chunk again and again.
  constexpr std::size_t kChunk = 16384;
  char* data = array.rep()->data;
  std::memcpy(data, value, item);
  for (std::size_t done = item; done < total;) {
    const std::size_t step = std::min({done, total - done, kChunk});
    std::memcpy(data + done, data, step);
    done += step;
  }
  return array;
}

Array Array::from_raw(const void* values, DType dtype, std::size_t size, const Shape* shape) {
  const auto count = static_cast<std::int64_t>(size);
  const Shape target = shape != nullptr ? *shape : Shape{count};
  if (detail::checked_size(target, static_cast<std::int64_t>(itemsize(dtype))) != count) {
    throw Because<ShapeError>(
        Reason::reshape, "cannot make an array of shape " + to_string(target) + " from " + std::to_string(count) + " values");
  }
  Array array = empty(target, dtype);
  if (count > 0) std::memcpy(array.rep()->data, values, static_cast<std::size_t>(count) * itemsize(dtype));
  return array;
}

Array Array::view(void* data, const Shape& shape, DType dtype, const ViewOptions& options) {
  auto made = std::make_shared<ArrayRep>();
  ArrayRep& rep = *made;
  const bool on_gpu = options.device && !options.device->is_cpu();
  if (options.strides) {
    detail::check_layout("view", data, shape, dtype, *options.strides, on_gpu);
    rep.strides = *options.strides;
  } else {
    const auto item = static_cast<std::int64_t>(itemsize(dtype));
    if (detail::checked_size(shape, item) != 0) detail::check_address("view", data, shape, dtype, on_gpu);
    detail::pack(rep.strides, shape, item, Order::c);
  }
  rep.data = static_cast<char*>(data);
  rep.buffer = options.owner;
  if (options.owner && on_gpu) {
    // Kernels of the default stream that use it may not have run when the last handle goes.
    const auto release = [owner = options.owner, device = *options.device](void*) mutable {
      // A device that has not been opened runs nothing.
      if (backend::Backend* const backend = backend::opened_backend(device)) backend->outlive(std::move(owner));
    };
    rep.buffer = {options.owner.get(), release};
  }
  rep.shape = shape;
  rep.dtype = dtype;
  rep.read_only = options.read_only;
  rep.on_host = !options.device.has_value();
  if (options.device) rep.device = *options.device;
  return detail::make_array(std::move(made));
}

const Shape& Array::shape() const {
  return rep_of(*this).shape;
}
const Strides& Array::strides() const {
  return rep_of(*this).strides;
}
DType Array::dtype() const {
  return rep_of(*this).dtype;
}
std::int64_t Array::size() const {
  return rep_of(*this).size;
}
std::int64_t Array::nbytes() const {
  return size() * static_cast<std::int64_t>(itemsize(dtype()));
}
bool Array::is_host() const {
  return rep_of(*this).on_host;
}
Device Array::device() const {
  return rep_of(*this).device;
}
bool Array::read_only() const {
  return rep_of(*this).read_only;
}
bool Array::is_c_contiguous() const {
  return rep_of(*this).c_contiguous;
}
bool Array::is_f_contiguous() const {
  return rep_of(*this).f_contiguous;
}
void* Array::data() const {
  return rep_of(*this).data;
}

void* Array::host_data(DType expected, bool writable, bool packed) const {
  const ArrayRep& rep = rep_of(*this);
  const std::string function = packed ? "as" : "view";
  const std::string what = function + "<T>(): ";
  if (rep.dtype != expected) {
    throw TypeError(what + "T is " + std::string(name(expected)) + ", the array's dtype is " + std::string(name(rep.dtype)) +
                    ": convert it with astype() first");
  }
  if (!detail::host_readable(rep)) {
    throw Because<TypeError>(
        Reason::places, what + "the array is on " + to_string(rep.device) + ", which the host cannot read: use copy_to_host()");
  }
  if (writable && rep.read_only) {
    throw Because<TypeError>(Reason::read_only, what + "the array is read-only: use " + function + "<const T>(), or copy() it");
  }
  if (packed && !rep.c_contiguous) {
    throw Because<ShapeError>(
        Reason::contiguous, what + "the elements of shape " + to_string(rep.shape) + " with strides " + to_string(rep.strides) +
                                " do not lie in C order: use view<T>(), which goes by the strides, or copy() the array");
  }
  return rep.data;
}

void Array::read_item(DType expected, void* value) const {
  const ArrayRep& rep = rep_of(*this);
  if (rep.size != 1) {
    throw ShapeError("item<T>(): the array of shape " + to_string(rep.shape) + " has " + std::to_string(rep.size) +
                     " elements, not one");
  }
  copy_elements(expected, value);
}

void Array::copy_elements(DType expected, void* values) const {
  const ArrayRep& rep = rep_of(*this);
  if (!can_cast(rep.dtype, expected, Casting::safe)) {
    throw TypeError("cannot read elements of " + std::string(name(rep.dtype)) + " as " + std::string(name(expected)) +
                    ": the cast is not safe; convert the array with astype() first");
  }
  if (rep.size == 0) return;
  const Array readable = detail::fetch(*this);
  ArrayRep to;
  to.data = static_cast<char*>(values);
  to.shape = rep.shape;
  to.strides = detail::packed_strides(rep.shape, static_cast<std::int64_t>(itemsize(expected)), Order::c);
  to.size = rep.size;
  to.dtype = expected;
  detail::copy_host(*readable.rep(), to);
  if (expected != DType::bool_) return;
  // Any byte but 0 is true; C++'s bool has 0 and 1 alone.
  auto* const bytes = static_cast<unsigned char*>(values);
  for (std::int64_t i = 0; i < rep.size; ++i) bytes[i] = bytes[i] != 0;
}

}  // namespace kiln
