#include "c/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "array/dlpack.hpp"
#include "c/argument_error.hpp"
#include "kiln/version.hpp"

namespace kiln::c {

DType dtype_of(kiln_dtype dtype, const char* what) {
  return dlpack::dtype_of({dtype.code, dtype.bits, dtype.lanes}, what);
}

kiln_dtype to_c(DType dtype) noexcept {
  const auto [code, bits, lanes] = dlpack::data_type(dtype);
  return {code, bits, lanes};
}

std::optional<Device> memory_device(kiln_device device, const char* what) {
  return device.type == 0 ? std::nullopt : dlpack::device_of({device.type, device.index}, what);
}

std::optional<Device> device_of(kiln_device device, const char* what) {
  if (device.type == 0 && device.index == 0) return std::nullopt;
  if (device.type == KILN_CPU) return Device::cpu();
  if (device.type == KILN_CUDA_HOST || device.type == KILN_ROCM_HOST) {
    throw ArgumentError(
        fmt::format("{}: {{{}, {}}} is memory, and no device that work runs on", what, device.type, device.index), what);
  }
  return dlpack::device_of({device.type, device.index}, what);
}

Device required_device(kiln_device device, const char* what) {
  const std::optional<Device> found = device_of(device, what);
  if (!found) throw ArgumentError(fmt::format("{} is {{0, 0}}: give a device", what), what);
  return *found;
}

kiln_device to_c(const Device& device) {
  const auto [type, index] = dlpack::place_of(device);
  return {type, index};
}

const void* struct_of(const void* given, std::size_t least, std::size_t size, void* storage, const char* name) {
  std::size_t theirs = 0;
  std::memcpy(&theirs, given, sizeof theirs);
  if (theirs == size) return given;
  if (theirs < least || theirs > 65536) {
    throw ArgumentError(
        fmt::format("{}.struct_size is {}, and the struct has {} bytes: set it by {}_default()", name, theirs, size, name),
        "struct_size");
  }
  const auto* const bytes = static_cast<const unsigned char*>(given);
  for (std::size_t i = size; i < theirs; ++i) {
    if (bytes[i] == 0) continue;
    throw ArgumentError(fmt::format("{}: byte {} of the struct is not zero, and kiln {} knows {} bytes of it: the caller uses "
                                    "an option of a newer kiln",
                                    name, i, KILN_VERSION, size),
                        std::to_string(i));
  }
  std::memset(storage, 0, size);
  std::memcpy(storage, given, std::min(theirs, size));
  std::memcpy(storage, &size, sizeof size);
  return storage;
}

void fill_struct(void* to, const void* from, std::size_t least, std::size_t size, const char* name) {
  std::size_t theirs = 0;
  std::memcpy(&theirs, to, sizeof theirs);
  if (theirs < least || theirs > 65536) {
    throw ArgumentError(
        fmt::format("{}.struct_size is {}, and the struct has {} bytes: set it by {}_default()", name, theirs, size, name),
        "struct_size");
  }
  auto* const bytes = static_cast<unsigned char*>(to);
  std::memset(bytes + sizeof theirs, 0, theirs - sizeof theirs);
  std::memcpy(bytes + sizeof theirs, static_cast<const unsigned char*>(from) + sizeof theirs,
              std::min(theirs, size) - sizeof theirs);
}

}  // namespace kiln::c
