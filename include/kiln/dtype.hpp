// The element types of arrays and kernels: names, sizes, casting and promotion, by NumPy's rules
// (bfloat16 as in ml_dtypes). Pure functions over tables, safe from any thread.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "kiln/export.hpp"
#include "kiln/half.hpp"

namespace kiln {

/// The type of an array's elements.
enum class DType : std::uint8_t {
  bool_,       ///< a byte, 0 or 1
  int8,        ///< std::int8_t
  int16,       ///< std::int16_t
  int32,       ///< std::int32_t
  int64,       ///< std::int64_t
  uint8,       ///< std::uint8_t
  uint16,      ///< std::uint16_t
  uint32,      ///< std::uint32_t
  uint64,      ///< std::uint64_t
  float16,     ///< IEEE binary16: kiln::float16
  bfloat16,    ///< the upper half of a float32: kiln::bfloat16
  float32,     ///< float
  float64,     ///< double
  complex64,   ///< std::complex<float>
  complex128,  ///< std::complex<double>
};
/// Number of dtypes; their values count from 0.
inline constexpr int kDTypeCount = 15;

/// NumPy's kinds, in rising order.
enum class Kind : std::uint8_t {
  boolean,   ///< bool
  integer,   ///< signed and unsigned
  floating,  ///< float16 to float64
  complex,   ///< complex64, complex128
};

/// Rules for casts: numpy's `casting=` argument. Each rule includes those before it.
enum class Casting : std::uint8_t {
  no,         ///< equal dtypes only
  equiv,      ///< no change but byte order: the same as `no`, since an array has its machine's byte order
  safe,       ///< value-preserving casts; 64-bit integers to float64 and complex128 count as such
  same_kind,  ///< casts to a smaller dtype of the kind, and to every higher kind; from signed to unsigned excluded
  unsafe,     ///< every cast
};

/// Returns the size of one element in bytes.
[[nodiscard]] KILN_API std::size_t itemsize(DType dtype) noexcept;
/// Returns NumPy's name: "bool", "float32", …
[[nodiscard]] KILN_API std::string_view name(DType dtype) noexcept;
/// Returns the dtype of that name. Throws TypeError, with the nearest name, for an unknown one.
[[nodiscard]] KILN_API DType dtype_from_name(std::string_view name);
/// Returns the kind of a dtype.
[[nodiscard]] KILN_API Kind kind(DType dtype) noexcept;
/// Returns true for dtypes with negative values: signed integers, floating and complex numbers.
[[nodiscard]] KILN_API bool is_signed(DType dtype) noexcept;
/// Returns numpy.can_cast(from, to, casting).
[[nodiscard]] KILN_API bool can_cast(DType from, DType to, Casting casting = Casting::safe) noexcept;
/// Returns numpy.promote_types(a, b); float32 for float16 with bfloat16.
[[nodiscard]] KILN_API DType promote(DType a, DType b) noexcept;
/// Returns "no", "equiv", "safe", "same_kind" or "unsafe".
[[nodiscard]] KILN_API std::string_view name(Casting casting) noexcept;

namespace detail {
template <class T>
struct dtype_of_impl;
template <>
struct dtype_of_impl<bool> {
  static constexpr DType value = DType::bool_;
};
template <>
struct dtype_of_impl<float16> {
  static constexpr DType value = DType::float16;
};
template <>
struct dtype_of_impl<bfloat16> {
  static constexpr DType value = DType::bfloat16;
};
template <>
struct dtype_of_impl<float> {
  static constexpr DType value = DType::float32;
};
template <>
struct dtype_of_impl<double> {
  static constexpr DType value = DType::float64;
};
template <>
struct dtype_of_impl<std::complex<float>> {
  static constexpr DType value = DType::complex64;
};
template <>
struct dtype_of_impl<std::complex<double>> {
  static constexpr DType value = DType::complex128;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct dtype_of_impl<T> {
  static constexpr DType value = std::is_signed_v<T> ? (sizeof(T) == 1   ? DType::int8
                                                        : sizeof(T) == 2 ? DType::int16
                                                        : sizeof(T) == 4 ? DType::int32
                                                                         : DType::int64)
                                                     : (sizeof(T) == 1   ? DType::uint8
                                                        : sizeof(T) == 2 ? DType::uint16
                                                        : sizeof(T) == 4 ? DType::uint32
                                                                         : DType::uint64);
};
}  // namespace detail

/// The dtype whose elements are Ts: dtype_of<float> is DType::float32. Every integer type maps by size and sign.
template <class T>
inline constexpr DType dtype_of = detail::dtype_of_impl<std::remove_cv_t<T>>::value;

/// A C++ type that is an element of a dtype or a scalar argument.
template <class T>
concept Element = requires { detail::dtype_of_impl<std::remove_cv_t<T>>::value; };

}  // namespace kiln
