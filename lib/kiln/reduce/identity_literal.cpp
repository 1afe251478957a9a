#include "reduce/identity_literal.hpp"

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

#include "kiln/error.hpp"
#include "types/convert.hpp"

namespace kiln::reduce {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// "12", "0xff", "0b1", "017", with digit separators and a suffix.
std::optional<Literal> integer_literal(std::string_view text, bool negative) {
  while (!text.empty() && std::string_view("uUlLzZ").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  std::string digits;
  for (const char c : text) {
    if (c != '\'') digits += c;
  }
  int base = 10;
  std::size_t prefix = 0;
  if (digits.size() > 1 && digits[0] == '0') {
    base = digits[1] == 'x' || digits[1] == 'X' ? 16 : digits[1] == 'b' || digits[1] == 'B' ? 2 : 8;
    prefix = base == 8 ? 1 : 2;
  }
  Literal literal{.negative = negative, .bits = base != 10};
  const auto [end, error] = std::from_chars(digits.data() + prefix, digits.data() + digits.size(), literal.magnitude, base);
  if (end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return Literal{.floating = std::numeric_limits<double>::infinity()};
  if (error != std::errc()) return std::nullopt;
  return literal;
}

}  // namespace

std::optional<Literal> literal_of(std::string_view text) {
  bool negative = false;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    if (text.front() == '(' && text.back() == ')') {
      text = text.substr(1, text.size() - 2);
    } else if (text.front() == '-' || text.front() == '+') {
      negative = negative != (text.front() == '-');
      text.remove_prefix(1);
    } else {
      break;
    }
  }
  const auto with_sign = [negative](double value) { return Literal{.floating = negative ? -value : value}; };
  if (text == "INFINITY" || text == "HUGE_VAL" || text == "HUGE_VALF")
    return with_sign(std::numeric_limits<double>::infinity());
  if (text == "NAN") return with_sign(std::numeric_limits<double>::quiet_NaN());
  if (text.find_first_of(".eE") == std::string_view::npos || text.find_first_of("xX") != std::string_view::npos)
    return integer_literal(text, negative);
  if (text.back() == 'f' || text.back() == 'F') text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (error == std::errc() && end == text.data() + text.size()) return with_sign(value);
  return std::nullopt;
}

bool identity_fits(const std::string& identity, DType dtype) {
  if (kind(dtype) != Kind::integer && dtype != DType::bool_) return true;
  const std::optional<Literal> literal = literal_of(identity);
  if (!literal) return true;
  if (const std::optional<double>& value = literal->floating) {
    return dtype == DType::bool_ ? *value == 0 || *value == 1 : float_fits(DType::float64, &*value, dtype);
  }
  if (dtype == DType::bool_) return literal->magnitude <= 1;
  const std::uint64_t half = std::uint64_t{1} << (8 * itemsize(dtype) - 1);
  if (literal->negative && is_signed(dtype)) return literal->magnitude <= half;
  const bool whole = literal->bits || !is_signed(dtype);
  return literal->magnitude <= (whole ? half - 1 + half : half - 1);
}

void check_identity(const std::string& name, const std::string& identity, DType dtype, const std::string& loop) {
  if (identity_fits(identity, dtype)) return;
  throw TypeError(name + ": .identity is \"" + identity + "\", which " + std::string(kiln::name(dtype)) + " of the loop " +
                  loop + " cannot hold; restrict the loops to dtypes that can, or leave .identity out and set .reorderable");
}

}  // namespace kiln::reduce
