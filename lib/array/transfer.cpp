// Arrays between the host and devices. GPU memory moves as one range of bytes; strided GPU arrays are packed on the host.
#include <cstdint>
#include <utility>

#include "array/access.hpp"
#include "array/host_memory.hpp"
#include "array/rep.hpp"
#include "backend/backend.hpp"
#include "kiln/array.hpp"

namespace kiln {
namespace detail {
namespace {

bool may_overlap(const ArrayRep& a, const ArrayRep& b) {
  const Extent of_a = covered(a);
  const Extent of_b = covered(b);
  const auto at = [](const ArrayRep& rep, std::int64_t offset) { return reinterpret_cast<std::intptr_t>(rep.data) + offset; };
  return at(a, of_a.low) < at(b, of_b.high) && at(b, of_b.low) < at(a, of_a.high);
}

bool same_packed_layout(const ArrayRep& a, const ArrayRep& b) {
  return (a.c_contiguous && b.c_contiguous) || (a.f_contiguous && b.f_contiguous);
}

std::size_t bytes_of(const ArrayRep& rep) {
  return static_cast<std::size_t>(rep.size) * itemsize(rep.dtype);
}

// The same array under another device's name: CPU devices and the host share their memory.
Array placed(const ArrayRep& rep, bool on_host, const Device& device) {
  ArrayRep copy = rep;
  copy.on_host = on_host;
  copy.device = device;
  return make_array(std::move(copy));
}

// A packed host array to a new GPU array of the same order.
Array upload(const ArrayRep& packed, const Device& device) {
  const Order order = packed.c_contiguous ? Order::c : Order::fortran;
  Array result = allocate_packed(packed.shape, packed.dtype, order, false, device);
  if (packed.size > 0) backend::backend_for(device).upload(result.rep()->data, packed.data, bytes_of(packed), nullptr);
  return result;
}

}  // namespace

Array fetch(const Array& array) {
  const ArrayRep& rep = rep_of(array);
  if (host_readable(rep)) return array;
  const Extent extent = covered(rep);
  const auto bytes = static_cast<std::size_t>(extent.high - extent.low);
  HostMemory memory = allocate_host(bytes, false);
  if (bytes > 0) backend::backend_for(rep.device).download(memory.data, rep.data + extent.low, bytes, nullptr);
  ArrayRep host = rep;
  host.data = memory.data - extent.low;
  host.buffer = std::move(memory.owner);
  host.on_host = true;
  host.device = Device::cpu();
  return make_array(std::move(host));
}

void download_into(const Array& from, const Array& to) {
  const ArrayRep& source = rep_of(from);
  const ArrayRep& target = rep_of(to);
  if (source.size == 0) return;
  if (!host_readable(source)) {
    if (same_packed_layout(source, target)) {
      backend::backend_for(source.device).download(target.data, source.data, bytes_of(source), nullptr);
    } else {
      copy_host(*fetch(from).rep(), target);
    }
  } else if (may_overlap(source, target)) {
    copy_host(*from.copy().rep(), target);
  } else {
    copy_host(source, target);
  }
}

}  // namespace detail

using detail::ArrayRep;
using detail::rep_of;

Array Array::copy(Order order) const {
  const ArrayRep& rep = rep_of(*this);
  if (detail::host_readable(rep)) {
    Array result = detail::allocate_packed(rep.shape, rep.dtype, order, rep.on_host, rep.device);
    detail::copy_host(rep, *result.rep());
    return result;
  }
  if (order == Order::c ? rep.c_contiguous : rep.f_contiguous) {
    Array result = detail::allocate_packed(rep.shape, rep.dtype, order, false, rep.device);
    if (rep.size > 0) {
      backend::backend_for(rep.device).copy(result.rep()->data, rep.data, detail::bytes_of(rep), nullptr);
    }
    return result;
  }
  return detail::upload(*detail::fetch(*this).copy(order).rep(), rep.device);
}

Array device_array(const Shape& shape, DType dtype, const Device& device, Order order) {
  return detail::allocate_packed(shape, dtype, order, false, device);
}

Array device_array_like(const Array& like) {
  const ArrayRep& rep = rep_of(like);
  const Order order = rep.f_contiguous && !rep.c_contiguous ? Order::fortran : Order::c;
  return detail::allocate_packed(rep.shape, rep.dtype, order, false, rep.device);
}

Array to_device(const Array& array, const Device& device) {
  const ArrayRep& rep = rep_of(array);
  if (!rep.on_host && rep.device == device) return array;
  if (device.is_cpu()) return detail::placed(*detail::fetch(array).rep(), false, device);
  if (!rep.on_host && rep.device.same_memory(device)) return detail::placed(rep, false, device);
  const Array host = detail::fetch(array);
  const ArrayRep& source = *host.rep();
  const bool packed = source.c_contiguous || source.f_contiguous;
  return packed ? detail::upload(source, device) : detail::upload(*host.copy().rep(), device);
}

}  // namespace kiln
