#include "c/array.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "array/dlpack.hpp"
#include "c/argument_error.hpp"
#include "c/call_options.hpp"
#include "c/guard.hpp"
#include "c/operands.hpp"
#include "c/stream.hpp"
#include "c/text.hpp"
#include "c/values.hpp"
#include "call/arrays_of.hpp"
#include "kiln/png.hpp"

using namespace kiln::c;
using kiln::Array;
using kiln::Device;
using kiln::Shape;

namespace kiln::c {

namespace {

/// Calls a caller's function when the memory is free.
struct Release {
  explicit Release(const kiln_array_info& info) noexcept : release(info.release), owner(info.owner) {}
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() {
    if (!taken || release == nullptr) return;
    const CallbackScope scope;
    release(owner);
  }
  kiln_release_callback release;
  void* owner;
  bool taken = false;
};

Array view_of(const kiln_array_info& info) {
  ArrayRef ref;
  describe(info, ref, "info");
  auto owner = std::make_shared<Release>(info);
  Array::ViewOptions options{.read_only = ref.read_only, .owner = owner, .device = ref.device};
  if (!ref.strides.empty()) options.strides = Strides(ref.strides);
  Array view = Array::view(ref.data, Shape(ref.shape), ref.dtype, options);
  owner->taken = true;
  return view;
}

/// Returns a zero-dimensional array of a scalar.
Array scalar_array(const Arg& scalar) {
  Array array = Array::empty(Shape{}, scalar.dtype());
  __builtin_memcpy(array.data(), scalar.value(), itemsize(scalar.dtype()));
  return array;
}

std::vector<Array> arrays_of(const kiln_arg* args, std::size_t count, const char* name) {
  if (count != 0 && args == nullptr) fail_null(name);
  std::vector<Array> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(array_of(args[i], name));
  return all;
}

}  // namespace
}  // namespace kiln::c

kiln_status kiln_array_new(kiln_array** array, kiln_device device, kiln_dtype dtype, int32_t ndim, const int64_t* shape,
                           kiln_error** error) noexcept {
  return guarded(error, array, [&] {
    kiln_array*& made = output(array, "array");
    kiln::dlpack::check_rank(ndim, "kiln_array_new");
    if (ndim != 0 && shape == nullptr) fail_null("shape");
    const Shape extents(std::span(shape, static_cast<std::size_t>(ndim)));
    if (device.type == KILN_CUDA_HOST || device.type == KILN_ROCM_HOST) {
      const Device of = device.type == KILN_CUDA_HOST ? Device::cuda(device.index) : Device::hip(device.index);
      Array locked = kiln::pinned(extents, dtype_of(dtype, "dtype"), kiln::Order::c, of);
      std::memset(locked.data(), 0, static_cast<std::size_t>(locked.nbytes()));
      made = make<kiln_array>(std::move(locked));
      return;
    }
    const std::optional<Device> on = device_of(device, "device");
    Array zeros = Array::zeros(extents, dtype_of(dtype, "dtype"));
    made = make<kiln_array>(on ? kiln::to_device(zeros, *on) : std::move(zeros));
  });
}

kiln_status kiln_array_view(kiln_array** array, const kiln_array_info* info, kiln_error** error) noexcept {
  return guarded(error, array, [&] {
    kiln_array*& made = output(array, "array");
    if (info == nullptr) fail_null("info");
    kiln_array_info storage;
    made = make<kiln_array>(view_of(struct_of(*info, kArrayInfoBytes, storage, "kiln_array_info")));
  });
}

kiln_status kiln_array_describe(const kiln_array* array, kiln_array_info* info, kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (info == nullptr) fail_null("info");
    const Array& of = checked(array, "array").array;
    kiln_array_info described = kiln_array_info_default();
    described.data = of.data();
    described.device = of.is_host() ? kiln_device{KILN_CPU, 0} : to_c(of.device());
    described.dtype = to_c(of.dtype());
    described.ndim = of.ndim();
    described.shape = of.shape().data();
    described.strides = of.strides().data();
    described.read_only = of.read_only() ? 1 : 0;
    fill_struct(info, &described, kArrayInfoBytes, sizeof described, "kiln_array_info");
  });
}

kiln_status kiln_array_to(kiln_array** copy, const kiln_array* array, kiln_device device, const kiln_stream* stream,
                          kiln_error** error) noexcept {
  return guarded(error, copy, [&] {
    kiln_array*& made = output(copy, "copy");
    const Array& from = checked(array, "array").array;
    const std::optional<Device> to = device_of(device, "device");
    const kiln::Stream on = stream_of(stream);
    if (to) {
      made = make<kiln_array>(kiln::to_device(from, *to, {.stream = on}));
      return;
    }
    if (on.is_default()) {
      made = make<kiln_array>(from.copy_to_host());
      return;
    }
    Array host = Array::empty(from.shape(), from.dtype());
    from.copy_to_host(host, {.stream = on});
    made = make<kiln_array>(std::move(host));
  });
}

kiln_status kiln_array_assign(const kiln_arg* to, const kiln_arg* from, uint32_t casting, const kiln_stream* stream,
                              kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (to == nullptr) fail_null("to");
    if (from == nullptr) fail_null("from");
    // An assignment is ordered by the default stream.
    const kiln::Stream on = stream_of(stream);
    if (!on.is_default()) on.synchronize();
    const bool scalar = from->kind == KILN_SCALAR || from->kind == KILN_SCALAR_AT;
    const Array source = scalar ? scalar_array(scalar_of(*from, "from")) : array_of(*from, "from");
    array_of(*to, "to").assign(source, casting_of(casting));
  });
}

kiln_status kiln_array_take(kiln_array** copy, const kiln_arg* array, const kiln_arg* indices, size_t count,
                            kiln_error** error) noexcept {
  return guarded(error, copy, [&] {
    kiln_array*& made = output(copy, "copy");
    if (array == nullptr) fail_null("array");
    made = make<kiln_array>(Array(array_of(*array, "array").select(arrays_of(indices, count, "indices"))));
  });
}

kiln_status kiln_array_put(const kiln_arg* array, const kiln_arg* indices, size_t count, const kiln_arg* values,
                           kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (array == nullptr) fail_null("array");
    if (values == nullptr) fail_null("values");
    const bool scalar = values->kind == KILN_SCALAR || values->kind == KILN_SCALAR_AT;
    const Array source = scalar ? scalar_array(scalar_of(*values, "values")) : array_of(*values, "values");
    array_of(*array, "array").select(arrays_of(indices, count, "indices")) = source;
  });
}

kiln_status kiln_array_save_png(const kiln_arg* array, const char* path, const char* colormap, const double* low,
                                const double* high, kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (array == nullptr) fail_null("array");
    if (path == nullptr) fail_null("path");
    kiln::PngOptions options;
    if (colormap != nullptr) options.colormap = colormap;
    if (low != nullptr) options.low = *low;
    if (high != nullptr) options.high = *high;
    kiln::save_png(path, array_of(*array, "array"), options);
  });
}

kiln_status kiln_array_from_dlpack(kiln_array** array, void* managed, int32_t versioned, const kiln_stream* producer,
                                   kiln_error** error) noexcept {
  return guarded(error, array, [&] {
    kiln_array*& made = output(array, "array");
    if (managed == nullptr) fail_null("managed");
    const kiln::Stream stream = stream_of(producer);
    // The handle comes first: without memory for it the tensor stays the caller's.
    kiln_array* const handle = make<kiln_array>(Array());
    try {
      handle->array = versioned != 0 ? Array::from_dlpack(static_cast<DLManagedTensorVersioned*>(managed), stream)
                                     : Array::from_dlpack(static_cast<DLManagedTensor*>(managed), stream);
    } catch (...) {
      release(handle);
      throw;
    }
    made = handle;
  });
}

kiln_status kiln_array_to_dlpack(void** managed, const kiln_array* array, int32_t versioned, const kiln_stream* consumer,
                                 kiln_error** error) noexcept {
  return guarded(error, managed, [&] {
    void*& made = output(managed, "managed");
    const Array& from = checked(array, "array").array;
    const kiln::Stream stream = stream_of(consumer);
    made = versioned != 0 ? static_cast<void*>(from.to_dlpack(stream)) : from.to_dlpack_unversioned(stream);
  });
}

kiln_array* kiln_array_retain(const kiln_array* array) noexcept {
  return retain(array);
}

void kiln_array_release(kiln_array* array) noexcept {
  release(array);
}

kiln_status kiln_registration_new(kiln_registration** registration, const kiln_arg* arrays, size_t count, kiln_device device,
                                  kiln_error** error) noexcept {
  return guarded(error, registration, [&] {
    kiln_registration*& made = output(registration, "registration");
    const std::optional<Device> wanted = device_of(device, "device");
    const std::vector<Array> all = arrays_of(arrays, count, "arrays");
    made = make<kiln_registration>(kiln::register_host(all, wanted ? *wanted : Device::best()));
  });
}

void kiln_registration_release(kiln_registration* registration) noexcept {
  release(registration);
}
