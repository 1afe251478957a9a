#include "types/value_text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "types/each_dtype.hpp"

namespace kiln {
namespace {

template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using type = std::uint32_t;
};
template <>
struct BitsOf<double> {
  using type = std::uint64_t;
};
template <class T>
  requires(sizeof(T) == 2)
struct BitsOf<T> {
  using type = std::uint16_t;
};

constexpr std::string_view kNan = "nan(0x";

template <class T>
constexpr bool is_half_type = is_half(dtype_of<T>);
/// What the digits of a half are computed in: the shortest of a float reads back to the same half.
template <class T>
using Digits = std::conditional_t<is_half_type<T>, float, T>;

template <class T, class... Format>
std::string digits(T number, Format... format) {
  std::array<char, 64> text;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is set
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number, format...).ptr};
}

template <class T>
std::string text_of(T number) {
  if constexpr (std::is_integral_v<T>) {
    return digits(number);
  } else {
    const auto wide = static_cast<Digits<T>>(number);
    if (!std::isnan(wide)) return digits(wide);
    return std::string(kNan) + digits(std::bit_cast<typename BitsOf<T>::type>(number), 16) + ")";
  }
}

/// All of the text.
template <class T, class... Format>
bool read_digits(std::string_view text, T& number, Format... format) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, format...);
  return error == std::errc() && end == text.data() + text.size();
}

template <class T>
bool read(std::string_view text, T& number) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return read_digits(text, number);
  } else if (text.starts_with(kNan) && text.ends_with(')')) {
    typename BitsOf<T>::type bits = 0;
    if (!read_digits(text.substr(kNan.size(), text.size() - kNan.size() - 1), bits, 16)) return false;
    number = std::bit_cast<T>(bits);
    return std::isnan(static_cast<Digits<T>>(number));
  } else {
    Digits<T> wide = 0;
    if (!read_digits(text, wide)) return false;
    number = static_cast<T>(wide);
    return !std::isnan(wide) && (std::isinf(wide) || !std::isinf(static_cast<Digits<T>>(number)));
  }
}

template <class T>
bool read(std::string_view text, std::complex<T>& number) noexcept {
  const std::size_t comma = text.find(',');
  if (!text.starts_with('(') || !text.ends_with(')') || comma == std::string_view::npos) return false;
  T real = 0;
  T imaginary = 0;
  if (!read(text.substr(1, comma - 1), real) || !read(text.substr(comma + 1, text.size() - comma - 2), imaginary)) return false;
  number = {real, imaginary};
  return true;
}

template <class T>
std::string text_of(std::complex<T> number) {
  return "(" + text_of(number.real()) + "," + text_of(number.imag()) + ")";
}

bool read(std::string_view text, bool& value) noexcept {
  value = text == "true";
  return value || text == "false";
}

std::string text_of(bool value) {
  return value ? "true" : "false";
}

}  // namespace

std::string value_text(DType dtype, const void* value) {
  return with_type(dtype, [&]<class T>(T*) {
    T number;
    std::memcpy(&number, value, sizeof number);
    return text_of(number);
  });
}

bool read_value(std::string_view text, DType dtype, void* value) noexcept {
  return with_type(dtype, [&]<class T>(T*) {
    T number{};
    if (!read(text, number)) return false;
    std::memcpy(value, &number, sizeof number);
    return true;
  });
}

}  // namespace kiln
