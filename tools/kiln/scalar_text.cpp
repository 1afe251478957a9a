#include "scalar_text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>

#include "usage_error.hpp"

namespace kiln::tool {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::size_t count_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
  return n;
}

std::size_t sign_length(std::string_view text) {
  return !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
}

/// The length of the longest real number that `text` (in lower case) starts with, sign included; 0 where there is none.
std::size_t real_length(std::string_view text) {
  const std::size_t sign = sign_length(text);
  const std::string_view rest = text.substr(sign);
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (rest.starts_with(word)) return sign + word.size();
  }
  const std::size_t whole = count_digits(rest);
  std::size_t length = whole;
  std::size_t fraction = 0;
  if (length < rest.size() && rest[length] == '.') {
    fraction = count_digits(rest.substr(length + 1));
    length += 1 + fraction;
  }
  if (whole + fraction == 0) return 0;
  if (length < rest.size() && rest[length] == 'e') {
    const std::size_t exponent_sign = sign_length(rest.substr(length + 1));
    const std::size_t digits = count_digits(rest.substr(length + 1 + exponent_sign));
    if (digits > 0) length += 1 + exponent_sign + digits;
  }
  return sign + length;
}

/// strtod gives infinity and zero beyond float64's range, as Python does; from_chars would only report an error. The
/// process never leaves the "C" locale, so the point is a point.
double to_double(std::string_view text) {
  return std::strtod(std::string(text).c_str(), nullptr);
}

std::optional<Scalar> read_integer(std::string_view text, std::string_view original) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(sign_length(text));
  int base = 10;
  if (digits.starts_with("0x")) {
    base = 16;
    digits.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (fault != std::errc{} || (negative && magnitude > kMax + 1)) {
    throw UsageError(fmt::format("operand \"{}\" does not fit in 64 bits: write it as a float, {}", original,
                                 base == 10 ? fmt::format("\"{}.0\"", original) : "in decimal digits"));
  }
  if (negative) return Scalar(static_cast<std::int64_t>(-magnitude));
  if (magnitude <= kMax) return Scalar(static_cast<std::int64_t>(magnitude));
  return Scalar(magnitude);
}

std::optional<Scalar> read_complex(std::string_view text) {
  const std::size_t first = real_length(text);
  if (first == 0) return std::nullopt;
  if (text.substr(first) == "j") return Scalar(std::complex<double>(0.0, to_double(text.substr(0, first))));
  const std::string_view second = text.substr(first);
  if (sign_length(second) == 0) return std::nullopt;
  const std::size_t length = real_length(second);
  if (length == 0 || second.substr(length) != "j") return std::nullopt;
  return Scalar(std::complex<double>(to_double(text.substr(0, first)), to_double(second.substr(0, length))));
}

}  // namespace

std::optional<Scalar> read_scalar(std::string_view original) {
  const std::string text = lower_case(original);
  if (text == "true" || text == "false") return Scalar(text == "true");
  if (auto integer = read_integer(text, original)) return integer;
  const std::size_t length = real_length(text);
  if (length > 0 && length == text.size()) return Scalar(to_double(text));
  return read_complex(text);
}

Arg to_arg(const Scalar& scalar) {
  return std::visit([](auto value) { return Arg(value); }, scalar);
}

}  // namespace kiln::tool
