// Arrays between the host and devices, and between devices. What has gaps on a GPU is packed there, by a kernel.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/host_memory.hpp"
#include "array/mapped_file.hpp"
#include "array/on_device.hpp"
#include "array/rep.hpp"
#include "device/backend.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "profiling/call.hpp"
#include "registry/registry.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace detail {
namespace {

// Bytes between elements that are moved along, rather than making a kernel pack the elements.
constexpr std::int64_t kMostGaps = 65536;

bool may_overlap(const ArrayRep& a, const ArrayRep& b) {
  const Extent of_a = covered(a);
  const Extent of_b = covered(b);
  const auto at = [](const ArrayRep& rep, std::int64_t offset) { return reinterpret_cast<std::intptr_t>(rep.data) + offset; };
  return at(a, of_a.low) < at(b, of_b.high) && at(b, of_b.low) < at(a, of_a.high);
}

bool is_packed(const ArrayRep& rep) {
  return rep.c_contiguous || rep.f_contiguous;
}

bool same_packed_layout(const ArrayRep& a, const ArrayRep& b) {
  return (a.c_contiguous && b.c_contiguous) || (a.f_contiguous && b.f_contiguous);
}

Order order_of(const ArrayRep& rep) {
  return rep.f_contiguous && !rep.c_contiguous ? Order::fortran : Order::c;
}

std::size_t bytes_of(const ArrayRep& rep) {
  return static_cast<std::size_t>(rep.size) * itemsize(rep.dtype);
}

// What queued copies hold.
std::shared_ptr<const void> both(const Array& a, const Array& b) {
  return std::make_shared<const std::pair<Array, Array>>(a, b);
}

// What a profile has of a copy.
profiling::Copy recorded(const char* function, const ArrayRep& rep, const Device& device, const Stream& stream) noexcept {
  return {function, device, stream.queue().get(), rep.size, static_cast<std::int64_t>(bytes_of(rep))};
}

// The same array under another device's name: CPU devices and the host share their memory.
Array placed(const Array& array, bool on_host, const Device& device) {
  ArrayRep copy = view_rep(array);
  copy.on_host = on_host;
  copy.device = device;
  return make_array(std::move(copy));
}

// A packed host array to a new GPU array of the same order.
Array upload(const Array& array, const Device& device, const Stream& stream) {
  const ArrayRep& packed = *array.rep();
  Array result = allocate_packed(packed.shape, packed.dtype, order_of(packed), false, device);
  if (packed.size == 0) return result;
  backend::Backend& backend = backend::backend_for(device);
  const profiling::Copy copy = recorded("to_device", packed, device, stream);
  if (stream.is_default()) {
    backend.upload(result.rep()->data, packed.data, bytes_of(packed), nullptr);
    MappedFile::check(packed);
  } else {
    backend.upload_queued(result.rep()->data, packed.data, bytes_of(packed), stream.queue().get(), both(array, result));
  }
  return result;
}

// A packed copy of a GPU array on its device.
Array packed_on_device(const Array& array, Order order, const Stream& stream) {
  const ArrayRep& rep = *array.rep();
  Array result = allocate_packed(rep.shape, rep.dtype, order, false, rep.device);
  convert_on_device(array, result, stream);
  return result;
}

// A copy of another GPU's array straight from there; an empty handle where their driver cannot.
Array from_peer(const Array& array, const Device& device, const Stream& stream) {
  if (array.device().is_cpu()) return {};
  const Array packed = is_packed(*array.rep()) || !has_kernels(array.device()) ? array : array.copy();
  const ArrayRep& rep = *packed.rep();
  if (!is_packed(rep)) return {};
  Array result = allocate_packed(rep.shape, rep.dtype, order_of(rep), false, device);
  const profiling::Copy copy = recorded("to_device", rep, device, stream);
  const bool copied =
      backend::backend_for(device).copy_from_peer(result.rep()->data, backend::backend_for(rep.device), rep.data, bytes_of(rep),
                                                  stream.queue().get(), both(packed, result));
  return copied ? result : Array();
}

void require_stream(const char* what, const Stream& stream, const Device& device, const std::string& place) {
  if (stream.is_default() || stream.device().same_memory(device)) return;
  throw Because<DeviceError>(Reason::places, std::string(what) + ": the stream is on " + to_string(stream.device()) +
                                                 ", the array is " + place + "; give a stream of " + to_string(device));
}

}  // namespace

Array fetch(const Array& array) {
  const ArrayRep& rep = rep_of(array);
  if (host_readable(rep)) return array;
  const Extent extent = covered(rep);
  const auto bytes = static_cast<std::size_t>(extent.high - extent.low);
  if (extent.high - extent.low - array.nbytes() > kMostGaps && has_kernels(rep.device)) {
    return fetch(packed_on_device(array, Order::c, {}));
  }
  std::shared_ptr<ArrayRep> host = allocate_host(bytes, false);
  if (bytes > 0) {
    const profiling::Copy copy = recorded("copy_to_host", rep, rep.device, {});
    backend::backend_for(rep.device).download(host->data, rep.data + extent.low, bytes, nullptr);
  }
  host->data -= extent.low;
  host->shape = rep.shape;
  host->strides = rep.strides;
  host->dtype = rep.dtype;
  host->read_only = rep.read_only;
  return make_array(std::move(host));
}

void download_into(const Array& from, const Array& to) {
  const ArrayRep& source = rep_of(from);
  const ArrayRep& target = rep_of(to);
  if (source.size == 0) return;
  if (!host_readable(source)) {
    if (same_packed_layout(source, target)) {
      const profiling::Copy copy = recorded("copy_to_host", source, source.device, {});
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

void download_on(const Stream& stream, const Array& from, const Array& to) {
  const ArrayRep& target = *to.rep();
  require_stream("copy_to_host", stream, from.device(), from.is_host() ? "in host memory" : "on " + to_string(from.device()));
  if (from.size() == 0) return;
  if (from.device().is_cpu()) return stream.queue()->run([from, to] { download_into(from, to); });
  const bool packed = is_packed(target);
  Array source = from;
  if (!same_packed_layout(*from.rep(), target) && has_kernels(from.device())) {
    source = packed_on_device(from, packed ? order_of(target) : Order::c, stream);
  }
  const ArrayRep& rep = *source.rep();
  backend::Backend& backend = backend::backend_for(rep.device);
  if (same_packed_layout(rep, target)) {
    const profiling::Copy copy = recorded("copy_to_host", rep, rep.device, stream);
    return backend.download_queued(target.data, rep.data, bytes_of(rep), stream.queue().get(), both(source, to));
  }
  // The driver knows no gaps on the host: the elements are put in their places here.
  stream.synchronize();
  copy_host(*fetch(source).rep(), target);
}

bool has_kernels(const Device& device) try {
  return backend::backend_for(device).compiler() != nullptr;
} catch (const DeviceError&) {
  return false;
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
      const profiling::Copy copy = detail::recorded("copy", rep, rep.device, {});
      backend::backend_for(rep.device).copy(result.rep()->data, rep.data, detail::bytes_of(rep), nullptr);
    }
    return result;
  }
  if (detail::has_kernels(rep.device)) return detail::packed_on_device(*this, order, {});
  return detail::upload(detail::fetch(*this).copy(order), rep.device, {});
}

Array device_array(const Shape& shape, DType dtype, const Device& device, Order order) {
  return detail::allocate_packed(shape, dtype, order, false, device);
}

Array device_array(const Shape& shape, DType dtype, const Device& device, const Strides& strides) {
  // Any address will do that is aligned: there is none yet.
  alignas(16) static constexpr char kAligned[16] = {};
  detail::check_layout("device_array", kAligned, shape, dtype, strides, !device.is_cpu());
  ArrayRep rep;
  rep.shape = shape;
  rep.strides = strides;
  rep.dtype = dtype;
  rep.size = detail::checked_size(shape, static_cast<std::int64_t>(itemsize(dtype)));
  const detail::Extent extent = detail::covered(rep);
  const Array memory = detail::allocate({extent.high - extent.low}, DType::uint8, {}, false, device);
  rep.data = memory.rep()->data - extent.low;
  rep.buffer = detail::owner_of(memory);
  rep.on_host = false;
  rep.device = device;
  return detail::make_array(std::move(rep));
}

Array device_array_like(const Array& like) {
  const ArrayRep& rep = rep_of(like);
  return detail::allocate_packed(rep.shape, rep.dtype, detail::order_of(rep), false, rep.device);
}

Array to_device(const Array& array, const Device& device, const ToDeviceOptions& options) {
  const ArrayRep& rep = rep_of(array);
  detail::require_stream("to_device", options.stream, device, "for " + to_string(device));
  if (!options.copy) return detail::allocate_packed(rep.shape, rep.dtype, detail::order_of(rep), false, device);
  if (!rep.on_host && rep.device == device) return array;
  if (device.is_cpu()) return detail::placed(detail::fetch(array), false, device);
  if (!rep.on_host && rep.device.same_memory(device)) return detail::placed(array, false, device);
  if (Array copy = detail::from_peer(array, device, options.stream); copy.valid()) return copy;
  const Array host = detail::fetch(array);
  return detail::upload(detail::is_packed(*host.rep()) ? host : host.copy(), device, options.stream);
}

}  // namespace kiln
