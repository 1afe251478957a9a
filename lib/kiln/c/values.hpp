// Devices, dtypes and structs of the C interface as C++ values.
#pragma once

#include <cstddef>
#include <optional>

#include "kiln/c/kiln.h"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"

namespace kiln::c {

/// Returns the dtype. Throws TypeError, with kiln's dtypes, for any other, ArgumentError for lanes. `what` is the operand or
/// member.
[[nodiscard]] DType dtype_of(kiln_dtype dtype, const char* what);
[[nodiscard]] kiln_dtype to_c(DType dtype) noexcept;
[[nodiscard]] inline bool is_none(kiln_dtype dtype) noexcept {
  return dtype.code == 0 && dtype.bits == 0 && dtype.lanes == 0;
}

/// Returns the device that work runs on; none for {0, 0}. Throws ArgumentError for an unknown type or a wrong index.
[[nodiscard]] std::optional<Device> device_of(kiln_device device, const char* what);
/// Does the same, and throws ArgumentError for {0, 0}.
[[nodiscard]] Device required_device(kiln_device device, const char* what);
/// Returns the device of memory; none for the host's.
[[nodiscard]] std::optional<Device> memory_device(kiln_device device, const char* what);
[[nodiscard]] kiln_device to_c(const Device& device);

/// Returns a struct that a caller filled, whose first member is its size. `storage` holds it if the caller's has another size.
/// `least` is the size that the struct has had since it exists. Throws ArgumentError for a smaller one, and for bytes that this
/// kiln does not know unless they are zero.
const void* struct_of(const void* given, std::size_t least, std::size_t size, void* storage, const char* name);
template <class T>
[[nodiscard]] const T& struct_of(const T& given, std::size_t least, T& storage, const char* name) {
  return *static_cast<const T*>(struct_of(&given, least, sizeof(T), &storage, name));
}

/// Writes a struct that kiln fills: as much of it as the caller's has. Throws ArgumentError for one that is too small.
void fill_struct(void* to, const void* from, std::size_t least, std::size_t size, const char* name);

}  // namespace kiln::c
