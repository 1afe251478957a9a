// Shortest digits come from std::to_chars (Ryu) for float and double and from a search over the few candidates for the 16-bit
// types; rounded ones from std::to_chars with a precision, which is exact.
#include "print/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "shared/half_bits.hpp"

namespace kiln::detail {
namespace {

// d.ddd × 10^exponent; the digits without their point and without zeros at the end, but at least one.
struct Digits {
  std::string digits;
  int exponent = 0;
};

// Longest text: 310 digits before the point, 8 after it, or 17 digits with an exponent.
constexpr std::size_t kBuffer = 512;

Digits parse_scientific(std::string_view text) {
  const std::size_t e = text.find('e');
  Digits result;
  for (const char c : text.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  const std::string_view exponent = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  return result;
}

void drop_zeros(std::string& digits) {
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
}

Digits rounded(double magnitude, int precision) {
  char buffer[kBuffer];
  const auto end = std::to_chars(buffer, buffer + kBuffer, magnitude, std::chars_format::scientific, precision).ptr;
  return parse_scientific({buffer, static_cast<std::size_t>(end - buffer)});
}

double value_of(const Digits& number) {
  const std::string text = number.digits + 'e' + std::to_string(number.exponent - static_cast<int>(number.digits.size()) + 1);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The 16-bit dtypes: with p digits the number lies between two candidates; the nearer one that reads back as the number wins,
// the fewest digits first.
Digits shortest16(double magnitude, DType dtype) {
  const auto bits_of = [&](double v) {
    return dtype == DType::float16 ? half_bits_from_double(v) : bfloat_bits_from_double(v);
  };
  const std::uint16_t bits = bits_of(magnitude);
  constexpr int kEnough = 6;
  for (int precision = 0; precision < kEnough; ++precision) {
    Digits nearer = rounded(magnitude, precision);
    const double nearer_value = value_of(nearer);
    if (bits_of(nearer_value) == bits) return nearer;
    // At a power of two the upper neighbour is twice as far as the lower one, so the farther candidate may do.
    Digits farther = nearer;
    const int digits = std::atoi(nearer.digits.c_str()) + (nearer_value > magnitude ? -1 : 1);
    farther.digits = std::to_string(digits);
    farther.exponent += static_cast<int>(farther.digits.size()) - static_cast<int>(nearer.digits.size());
    if (digits > 0 && bits_of(value_of(farther)) == bits) return farther;
  }
  return rounded(magnitude, kEnough);
}

Digits shortest(double magnitude, DType dtype) {
  if (magnitude == 0) return {"0", 0};
  if (itemsize(dtype) == 2) {
    Digits number = shortest16(magnitude, dtype);
    drop_zeros(number.digits);
    return number;
  }
  char buffer[kBuffer];
  char* const last = buffer + kBuffer;
  const auto end = dtype == DType::float32
                       ? std::to_chars(buffer, last, static_cast<float>(magnitude), std::chars_format::scientific).ptr
                       : std::to_chars(buffer, last, magnitude, std::chars_format::scientific).ptr;
  Digits number = parse_scientific({buffer, static_cast<std::size_t>(end - buffer)});
  drop_zeros(number.digits);
  return number;
}

std::string assemble(bool negative, const std::string& whole, std::string fraction, const DecimalStyle& style) {
  if (style.trim != Trim::keep) {
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
    if (style.trim == Trim::one_zero && fraction.empty()) fraction = "0";
  }
  std::string text = negative ? "-" : (style.plus ? "+" : "");
  text += whole;
  if (style.trim != Trim::all || !fraction.empty()) text += '.' + fraction;
  return text;
}

}  // namespace

std::string positional(double value, DType dtype, const DecimalStyle& style) {
  const double magnitude = std::fabs(value);
  const Digits number = shortest(magnitude, dtype);
  const auto count = static_cast<int>(number.digits.size());
  const int fraction_digits = std::max(0, count - 1 - number.exponent);
  std::string whole;
  std::string fraction;
  if (style.precision >= 0 && fraction_digits > style.precision) {
    char buffer[kBuffer];
    const auto end = std::to_chars(buffer, buffer + kBuffer, magnitude, std::chars_format::fixed, style.precision).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    const std::size_t point = std::min(text.find('.'), text.size());
    whole = text.substr(0, point);
    fraction = text.substr(std::min(point + 1, text.size()));
  } else if (number.exponent < 0) {
    whole = "0";
    fraction = std::string(static_cast<std::size_t>(-number.exponent - 1), '0') + number.digits;
  } else {
    const auto whole_digits = static_cast<std::size_t>(number.exponent) + 1;
    whole = number.digits.substr(0, whole_digits);
    if (whole.size() < whole_digits) whole.append(whole_digits - whole.size(), '0');
    if (number.digits.size() > whole_digits) fraction = number.digits.substr(whole_digits);
  }
  return assemble(std::signbit(value), whole, std::move(fraction), style);
}

std::string scientific(double value, DType dtype, const DecimalStyle& style) {
  const double magnitude = std::fabs(value);
  Digits number = shortest(magnitude, dtype);
  const auto fraction_digits = static_cast<int>(number.digits.size()) - 1;
  if (style.precision >= 0 && fraction_digits > style.precision) {
    number = rounded(magnitude, style.precision);
  } else if (fraction_digits < style.min_digits) {
    // Dragon4 goes on with the number's own digits, not with zeros.
    number = rounded(magnitude, style.min_digits);
  }
  std::string text = assemble(std::signbit(value), number.digits.substr(0, 1), number.digits.substr(1), style);
  const std::string exponent = std::to_string(std::abs(number.exponent));
  text += number.exponent < 0 ? "e-" : "e+";
  const auto width = static_cast<std::size_t>(style.exponent_digits);
  if (exponent.size() < width) text.append(width - exponent.size(), '0');
  return text + exponent;
}

}  // namespace kiln::detail
