// Every dtype in one table, of which other tables and switches are made.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kiln/dtype.hpp"
#include "kiln/half.hpp"

/// X(dtype, C++ type, name, code in .npy files, kind, is signed, digits, range) for each, in the order of their values. A type
/// holds `digits` bits of integers exactly, and values up to a power of two of `range`.
#define KILN_EACH_DTYPE(X)                                                     \
  X(bool_, bool, "bool", "b1", boolean, false, 1, 1)                           \
  X(int8, std::int8_t, "int8", "i1", integer, true, 7, 7)                      \
  X(int16, std::int16_t, "int16", "i2", integer, true, 15, 15)                 \
  X(int32, std::int32_t, "int32", "i4", integer, true, 31, 31)                 \
  X(int64, std::int64_t, "int64", "i8", integer, true, 63, 63)                 \
  X(uint8, std::uint8_t, "uint8", "u1", integer, false, 8, 8)                  \
  X(uint16, std::uint16_t, "uint16", "u2", integer, false, 16, 16)             \
  X(uint32, std::uint32_t, "uint32", "u4", integer, false, 32, 32)             \
  X(uint64, std::uint64_t, "uint64", "u8", integer, false, 64, 64)             \
  X(float16, ::kiln::float16, "float16", "f2", floating, true, 11, 16)         \
  X(bfloat16, ::kiln::bfloat16, "bfloat16", "V2", floating, true, 8, 128)      \
  X(float32, float, "float32", "f4", floating, true, 24, 128)                  \
  X(float64, double, "float64", "f8", floating, true, 53, 1024)                \
  X(complex64, std::complex<float>, "complex64", "c8", complex, true, 24, 128) \
  X(complex128, std::complex<double>, "complex128", "c16", complex, true, 53, 1024)

namespace kiln {

/// The name of each.
#define KILN_NAME(dtype, type, name, ...) name,
inline constexpr std::array<std::string_view, kDTypeCount> kDTypeNames{{KILN_EACH_DTYPE(KILN_NAME)}};
#undef KILN_NAME

/// What itemsize() gives, for calls of nanoseconds. All are powers of two.
#define KILN_BYTES(dtype, type, ...) sizeof(type),
inline constexpr std::array<std::uint8_t, kDTypeCount> kItemBytes{{KILN_EACH_DTYPE(KILN_BYTES)}};
#undef KILN_BYTES
static_assert(std::ranges::all_of(kItemBytes, [](std::uint8_t bytes) { return std::has_single_bit(bytes); }));

#define KILN_IS_HALF(dtype, type, name, code, kind, ...) std::string_view(#kind) == "floating" && sizeof(type) < sizeof(float),
inline constexpr std::array<bool, kDTypeCount> kIsHalfDType{{KILN_EACH_DTYPE(KILN_IS_HALF)}};
#undef KILN_IS_HALF

/// Whether it is one of the dtypes that bodies compute with as float32.
[[nodiscard]] constexpr bool is_half(DType dtype) noexcept {
  return kIsHalfDType[static_cast<std::size_t>(dtype)];
}

/// Calls `use` with a null pointer to the dtype's C++ type.
template <class Use>
auto with_type(DType dtype, const Use& use) {
  switch (dtype) {
#define KILN_USE(dtype, type, ...) \
  case DType::dtype:               \
    return use(static_cast<type*>(nullptr));
    KILN_EACH_DTYPE(KILN_USE)
#undef KILN_USE
  }
  return use(static_cast<double*>(nullptr));
}

}  // namespace kiln
