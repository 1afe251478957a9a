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

enum class DType : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};
inline constexpr int kDTypeCount = 15;

/// NumPy's kinds, in the order in which they rise.
enum class Kind : std::uint8_t { boolean, integer, floating, complex };

/// What a cast may do: numpy's `casting=` argument.
enum class Casting : std::uint8_t { no, equiv, safe, same_kind, unsafe };

/// Size of one element in bytes.
[[nodiscard]] KILN_API std::size_t itemsize(DType dtype) noexcept;
/// NumPy's name: "bool", "float32", …
[[nodiscard]] KILN_API std::string_view name(DType dtype) noexcept;
/// The dtype of that name; TypeError (with the nearest name) where there is none.
[[nodiscard]] KILN_API DType dtype_from_name(std::string_view name);
[[nodiscard]] KILN_API Kind kind(DType dtype) noexcept;
[[nodiscard]] KILN_API bool is_signed(DType dtype) noexcept;
/// numpy.can_cast(from, to, casting).
[[nodiscard]] KILN_API bool can_cast(DType from, DType to, Casting casting = Casting::safe) noexcept;
/// numpy.promote_types(a, b). float16 with bfloat16 is float32.
[[nodiscard]] KILN_API DType promote(DType a, DType b) noexcept;
/// "no", "equiv", "safe", "same_kind", "unsafe".
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

/// The dtype whose elements are Ts: dtype_of<float> is DType::float32; every integer type maps by size and sign.
template <class T>
inline constexpr DType dtype_of = detail::dtype_of_impl<std::remove_cv_t<T>>::value;

/// A C++ type that is a dtype's element or a scalar argument.
template <class T>
concept Element = requires { detail::dtype_of_impl<std::remove_cv_t<T>>::value; };

}  // namespace kiln
