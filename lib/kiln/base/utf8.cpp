#include "base/utf8.hpp"

#include <algorithm>

namespace kiln::base {
namespace {

// The number of continuation bytes and the range of the first of them, by Unicode's table 3-7; none for an invalid lead byte.
struct Utf8Lead {
  std::size_t continuations = 0;
  unsigned char low = 0x80, high = 0xBF;
};

Utf8Lead classify(unsigned char lead) noexcept {
  if (lead >= 0xC2 && lead <= 0xDF) return {1};
  if (lead == 0xE0) return {2, 0xA0};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2};
  if (lead == 0xF0) return {3, 0x90};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  if (lead >= 0xF1 && lead <= 0xF3) return {3};
  return {};
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const Utf8Lead kind = classify(lead);
  const std::size_t length = 1 + kind.continuations;
  if (kind.continuations == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < (i == 1 ? kind.low : 0x80) || byte > (i == 1 ? kind.high : 0xBF)) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Control characters would move the terminal's cursor, and bytes that are not UTF-8 have no width.
std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const bool control = (byte < 0x20 && byte != '\t') || byte == 0x7f;
    const std::size_t length = utf8_length(text);
    shown += control || length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace kiln::base
