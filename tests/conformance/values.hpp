// Elements as exact numbers: every value of every dtype is a complex<long double>. Rounding to a dtype is done here by means
// that share nothing with the library: tables of all halves, and the conversions of the C++ compiler.
#pragma once

#include <kiln/array.hpp>

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace conformance {

using Exact = std::complex<long double>;

inline constexpr kiln::DType kEveryDType[] = {
    kiln::DType::bool_,    kiln::DType::int8,    kiln::DType::int16,   kiln::DType::int32,     kiln::DType::int64,
    kiln::DType::uint8,    kiln::DType::uint16,  kiln::DType::uint32,  kiln::DType::uint64,    kiln::DType::float16,
    kiln::DType::bfloat16, kiln::DType::float32, kiln::DType::float64, kiln::DType::complex64, kiln::DType::complex128};

/// Calls f(std::type_identity<T>{}) with the element type of the dtype.
template <class F>
auto with_type(kiln::DType dtype, F f) {
  using kiln::DType;
  switch (dtype) {
    case DType::bool_:
      return f(std::type_identity<bool>{});
    case DType::int8:
      return f(std::type_identity<std::int8_t>{});
    case DType::int16:
      return f(std::type_identity<std::int16_t>{});
    case DType::int32:
      return f(std::type_identity<std::int32_t>{});
    case DType::int64:
      return f(std::type_identity<std::int64_t>{});
    case DType::uint8:
      return f(std::type_identity<std::uint8_t>{});
    case DType::uint16:
      return f(std::type_identity<std::uint16_t>{});
    case DType::uint32:
      return f(std::type_identity<std::uint32_t>{});
    case DType::uint64:
      return f(std::type_identity<std::uint64_t>{});
    case DType::float16:
      return f(std::type_identity<kiln::float16>{});
    case DType::bfloat16:
      return f(std::type_identity<kiln::bfloat16>{});
    case DType::float32:
      return f(std::type_identity<float>{});
    case DType::float64:
      return f(std::type_identity<double>{});
    case DType::complex64:
      return f(std::type_identity<std::complex<float>>{});
    case DType::complex128:
      break;
  }
  return f(std::type_identity<std::complex<double>>{});
}

/// The value of those 16 bits, from the definition of the format.
long double decode_half(std::uint16_t bits, bool bfloat);
/// The bits of the nearest half, ties to the even one.
std::uint16_t encode_half(long double value, bool bfloat);

/// The value that C++'s conversion gives in `dtype`; half, float and complex round to nearest even; out of range wraps for
/// integers.
Exact rounded(kiln::DType dtype, Exact value);

/// A host array of those values, rounded; one-dimensional without a shape.
kiln::Array make(kiln::DType dtype, const std::vector<Exact>& values, std::optional<kiln::Shape> shape = std::nullopt);
/// The elements of a host-readable array in C order.
std::vector<Exact> read(const kiln::Array& array);

/// Of one shape and dtype, and the same elements to the bit. Of the host.
bool same_bits(const kiln::Array& a, const kiln::Array& b);

/// Empty where the lists are equal (NaN equals NaN, 0 equals -0), else the first difference. `tolerance` is relative to the
/// magnitude of the expected value; what is within `absolute` is equal, too.
std::string difference(const std::vector<Exact>& got, const std::vector<Exact>& expected, long double tolerance = 0,
                       long double absolute = 0);

}  // namespace conformance
