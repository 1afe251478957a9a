#include "ufunc/cost.hpp"

#include <algorithm>
#include <array>

namespace kiln::ufunc {
namespace {

constexpr std::array<std::string_view, 37> kSlow = {
    "acos", "acosh", "arg",       "asin", "asinh",  "atan",   "atan2", "atanh", "cbrt",   "cos",   "cosh", "erf",       "erfc",
    "exp",  "exp2",  "expm1",     "fmod", "hypot",  "lgamma", "log",   "log10", "log1p",  "log2",  "logb", "nextafter", "polar",
    "pow",  "proj",  "remainder", "sin",  "sincos", "sinh",   "tan",   "tanh",  "tgamma", "while", "for"};

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

}  // namespace kiln::ufunc
