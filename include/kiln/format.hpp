// std::format("{} {:>8}", a.shape(), a.dtype()), where the standard library has <format>. The specifications are those of
// texts.
#pragma once

#include <version>

#include "kiln/export.hpp"

#ifdef __cpp_lib_format

#include <concepts>
#include <format>
#include <string_view>

#include "kiln/array.hpp"
#include "kiln/print.hpp"

namespace kiln::detail {
template <class T>
concept Formatted = Printed<T> || std::derived_from<T, Array>;
}  // namespace kiln::detail

template <kiln::detail::Formatted T>
struct std::formatter<T> : std::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return std::formatter<std::string_view>::format(kiln::to_string(value), context);
  }
};
#if defined(__cpp_lib_format_ranges)
// A list of numbers would be printed as a range.
template <>
inline constexpr auto std::format_kind<kiln::Dims> = std::range_format::disabled;
#endif

#endif
