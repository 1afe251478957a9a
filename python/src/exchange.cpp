#include "exchange.hpp"

#include "arrays.hpp"
#include "dlpack_structs.hpp"
#include "errors.hpp"

namespace kiln::python {
namespace {

using dlpack::Exchange;
using dlpack::ManagedVersioned;
using dlpack::Tensor;

/// CUDA's legacy default stream. kiln makes it wait for its own work, and names it as the stream of the tensors that it gives.
constexpr std::intptr_t kLegacyStream = 1;

bool is_gpu(std::int32_t type) noexcept {
  return type == KILN_CUDA || type == KILN_ROCM;
}

int allocate(Tensor* prototype, ManagedVersioned** out, void* context, void (*fail)(void*, const char*, const char*)) {
  ArrayHandle array;
  kiln_error* error = nullptr;
  void* managed = nullptr;
  const kiln_device device = prototype->device.type == KILN_CPU ? kiln_device{0, 0} : prototype->device;
  const bool made =
      kiln_array_new(array.out(), device, prototype->dtype, prototype->ndim, prototype->shape, &error) == KILN_OK &&
      kiln_array_to_dlpack(&managed, array.get(), 1, nullptr, &error) == KILN_OK;
  if (!made) fail(context, "RuntimeError", kiln_error_message(error));
  kiln_error_release(error);
  *out = static_cast<ManagedVersioned*>(managed);
  return made ? 0 : -1;
}

int give(void* object, ManagedVersioned** out) {
  auto* const array = static_cast<ArrayObject*>(object);
  if (Py_TYPE(reinterpret_cast<PyObject*>(array)) != array_type()) {
    PyErr_SetString(PyExc_TypeError, "a kiln.Array is expected");
    return -1;
  }
  Error error;
  StreamHandle consumer;
  const kiln_device device = array->info.device;
  void* managed = nullptr;
  if ((is_gpu(device.type) &&
       kiln_stream_wrap(consumer.out(), device, reinterpret_cast<void*>(device.type == KILN_ROCM ? 0 : kLegacyStream),
                        error.out()) != KILN_OK) ||
      kiln_array_to_dlpack(&managed, array->handle, 1, consumer.get(), error.out()) != KILN_OK) {
    error.raise();
    return -1;
  }
  *out = static_cast<ManagedVersioned*>(managed);
  return 0;
}

int take(ManagedVersioned* tensor, void** out) {
  Error error;
  ArrayHandle array;
  StreamHandle producer;
  const kiln_device device = tensor->tensor.device;
  if ((is_gpu(device.type) &&
       kiln_stream_wrap(producer.out(), device, reinterpret_cast<void*>(device.type == KILN_ROCM ? 0 : kLegacyStream),
                        error.out()) != KILN_OK) ||
      kiln_array_from_dlpack(array.out(), tensor, 1, producer.get(), error.out()) != KILN_OK) {
    error.raise();
    return -1;
  }
  *out = own_array(std::move(array));
  return *out == nullptr ? -1 : 0;
}

int current_stream(std::int32_t type, std::int32_t, void** out) {
  *out = is_gpu(type) && type == KILN_CUDA ? reinterpret_cast<void*>(kLegacyStream) : nullptr;
  return 0;
}

/// Borrowed tensors have strides in elements, and a kiln.Array has them in bytes: there is none.
Exchange table{.header = {.major = 1, .minor = 3, .previous = nullptr},
               .allocate = allocate,
               .from_object = give,
               .to_object = take,
               .borrow = nullptr,
               .current_stream = current_stream};

}  // namespace

bool add_exchange(PyObject* array_class) {
  const Ref capsule(PyCapsule_New(&table, "dlpack_exchange_api", nullptr));
  return capsule && PyObject_SetAttrString(array_class, "__dlpack_c_exchange_api__", capsule.get()) == 0;
}

}  // namespace kiln::python
