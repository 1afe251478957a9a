#include "ufunc/cost.hpp"
#include "kernel/scan/spec.hpp"

#include <algorithm>
#include <array>

namespace kiln::ufunc {
namespace {

constexpr std::array<std::string_view, 37> kSlow = {
    "acos", "acosh", "arg",       "asin", "asinh",  "atan",   "atan2", "atanh", "cbrt",   "cos",   "cosh", "erf",       "erfc",
    "exp",  "exp2",  "expm1",     "fmod", "hypot",  "lgamma", "log",   "log10", "log1p",  "log2",  "logb", "nextafter", "polar",
    "pow",  "proj",  "remainder", "sin",  "sincos", "sinh",   "tan",   "tanh",  "tgamma", "while", "for"};

/// Functions of a few instructions.
constexpr std::array<std::string_view, 13> kSmall = {
    "max",  "min",  "maximum", "minimum",      "maximum_number",    "minimum_number",
    "fmax", "fmin", "real",    "wrapping_add", "wrapping_multiply", "imag",
    "abs"};

bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool names_slow_function(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i && std::find(kSlow.begin(), kSlow.end(), text.substr(i, end - i)) != kSlow.end()) return true;
    i = std::max(end, i + 1);
  }
  return false;
}

kinds::ScanCode scan_code(std::string_view text) noexcept {
  constexpr std::size_t kLong = 200;
  constexpr std::size_t kShort = 32;
  if (text.size() > kLong || text.find_first_of("/%#[") != std::string_view::npos) return kinds::ScanCode::large;
  auto code = kinds::ScanCode::arithmetic;
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    std::size_t end = open;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n')) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    if (name.empty() || name == "return") continue;
    if (std::find(kSmall.begin(), kSmall.end(), name) == kSmall.end()) return kinds::ScanCode::large;
    code = kinds::ScanCode::small;
  }
  return text.size() <= kShort && text.find_first_of("?{") == std::string_view::npos ? code : kinds::ScanCode::small;
}

}  // namespace kiln::ufunc
