#include "ufunc/identity_literal.hpp"

#include <charconv>
#include <limits>
#include <system_error>

#include "kiln/error.hpp"
#include "types/convert.hpp"

namespace kiln::ufunc {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

std::optional<double> floating_literal(std::string_view text) {
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
  const auto with_sign = [negative](double value) { return negative ? -value : value; };
  if (text == "INFINITY" || text == "HUGE_VAL" || text == "HUGE_VALF")
    return with_sign(std::numeric_limits<double>::infinity());
  if (text == "NAN") return std::numeric_limits<double>::quiet_NaN();
  if (text.find_first_of(".eE") == std::string_view::npos || text.find_first_of("xX") != std::string_view::npos)
    return std::nullopt;
  if (text.back() == 'f' || text.back() == 'F') text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (error == std::errc() && end == text.data() + text.size()) return with_sign(value);
  return std::nullopt;
}

bool identity_fits(const std::string& identity, DType dtype) {
  if (kind(dtype) != Kind::integer && dtype != DType::bool_) return true;
  const std::optional<double> value = floating_literal(identity);
  if (!value) return true;
  return dtype == DType::bool_ ? *value == 0 || *value == 1 : float_fits(DType::float64, &*value, dtype);
}

void check_identity(const std::string& name, const std::string& identity, DType dtype, const std::string& loop) {
  if (identity_fits(identity, dtype)) return;
  throw TypeError(name + ": .identity is \"" + identity + "\", which " + std::string(kiln::name(dtype)) + " of the loop " +
                  loop +
                  " cannot hold; restrict the loops to floating-point numbers, or leave .identity out and set .reorderable");
}

}  // namespace kiln::ufunc
