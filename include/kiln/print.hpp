// Printing: arrays, shapes, dtypes and devices as text, and on streams. kiln/format.hpp has them in std::format.
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>

#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"

namespace kiln {

class Array;

/// Returns the array as text, by the rules of NumPy's str(). Arrays of more than 1000 elements are summarized; only the
/// elements shown are read. Numbers are aligned, with at most eight digits; a 0-d array shows all its digits.
///
/// Beyond NumPy's 64 axes, axes of extent 1 are omitted. bfloat16, unknown to NumPy, prints by float32's rules with its own
/// digits.
[[nodiscard]] KILN_API std::string to_string(const Array& array);
/// Writes to_string(array) to the stream and returns the stream.
KILN_API std::ostream& operator<<(std::ostream& stream, const Array& array);

/// Returns name(dtype): "float32".
[[nodiscard]] inline std::string to_string(DType dtype) {
  return std::string(name(dtype));
}
/// Returns name(casting): "same_kind".
[[nodiscard]] inline std::string to_string(Casting casting) {
  return std::string(name(casting));
}
/// Returns "boolean", "integer", "floating" or "complex".
[[nodiscard]] KILN_API std::string to_string(Kind kind);
/// Returns "cpu", "cuda" or "hip".
[[nodiscard]] KILN_API std::string to_string(DeviceKind kind);

namespace detail {
// No types that convert: a vector or a number is not printed as a shape.
template <class T>
concept Printed = std::same_as<T, Dims> || std::same_as<T, DType> || std::same_as<T, Device> || std::same_as<T, Casting> ||
                  std::same_as<T, Kind> || std::same_as<T, DeviceKind>;
KILN_API std::ostream& print(std::ostream& stream, std::string_view text);
}  // namespace detail

/// Writes to_string(value) to the stream and returns the stream: `std::cout << a.shape() << a.dtype() << a.device()`.
template <detail::Printed T>
std::ostream& operator<<(std::ostream& stream, const T& value) {
  return detail::print(stream, to_string(value));
}

/// @name Returns to_string(value), which {fmt} prints since its version 10
/// @{
template <detail::Printed T>
[[nodiscard]] std::string format_as(const T& value) {
  return to_string(value);
}
[[nodiscard]] inline std::string format_as(const Array& array) {
  return to_string(array);
}
/// @}

}  // namespace kiln
