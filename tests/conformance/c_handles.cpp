#include "c_handles.hpp"

#include "kiln/error.hpp"

namespace conformance {

void rethrow(kiln_error* raw) {
  const CError error(raw);
  const std::string message = kiln_error_message(raw);
  switch (kiln_error_status(raw)) {
    case KILN_E_SIGNATURE:
      throw kiln::SignatureError(message, "", 0);
    case KILN_E_SHAPE:
      throw kiln::ShapeError(message);
    case KILN_E_TYPE:
      throw kiln::TypeError(message);
    case KILN_E_STOPPED:
      throw kiln::Stopped(message);
    case KILN_E_DEVICE:
      throw kiln::DeviceError(message);
    case KILN_E_CACHE:
      throw kiln::CacheError(message);
    case KILN_E_IO:
      throw kiln::IoError(message);
    default:
      throw std::runtime_error(std::string(kiln_status_name(kiln_error_status(raw))) + ": " + message);
  }
}

kiln_dtype c_dtype(kiln::DType dtype) {
  constexpr std::uint8_t kCodes[] = {KILN_BOOL,   KILN_INT,   KILN_INT,   KILN_INT,     KILN_INT,
                                     KILN_UINT,   KILN_UINT,  KILN_UINT,  KILN_UINT,    KILN_FLOAT,
                                     KILN_BFLOAT, KILN_FLOAT, KILN_FLOAT, KILN_COMPLEX, KILN_COMPLEX};
  return {kCodes[static_cast<std::size_t>(dtype)], static_cast<std::uint8_t>(8 * kiln::itemsize(dtype)), 1};
}

kiln_device c_device(const kiln::Device& device) {
  const std::string name = to_string(device);
  kiln_device c{};
  check(kiln_device_parse(&c, name.data(), name.size(), nullptr));
  return c;
}

CArray c_array(const kiln::Array& array) {
  kiln_array_info info = kiln_array_info_default();
  info.data = array.data();
  if (!array.is_host()) info.device = c_device(array.device());
  info.dtype = c_dtype(array.dtype());
  info.ndim = array.ndim();
  info.shape = array.shape().data();
  info.strides = array.strides().data();
  info.read_only = array.read_only() ? 1 : 0;
  auto* const held = new kiln::Array(array);
  info.owner = held;
  info.release = [](void* owner) { delete static_cast<kiln::Array*>(owner); };
  kiln_array* made = nullptr;
  kiln_error* error = nullptr;
  if (kiln_array_view(&made, &info, &error) != KILN_OK) {
    delete held;
    rethrow(error);
  }
  return CArray(made);
}

kiln::Array cpp_array(const kiln_array* array) {
  void* managed = nullptr;
  kiln_error* error = nullptr;
  if (kiln_array_to_dlpack(&managed, array, 1, nullptr, &error) != KILN_OK) rethrow(error);
  return kiln::Array::from_dlpack(static_cast<DLManagedTensorVersioned*>(managed));
}

}  // namespace conformance
