#include "base/utf8.hpp"

#include <cstddef>

namespace kiln::base {
namespace {

// The number of continuation bytes and the range of the first of them, by Unicode's table 3-7; none for an invalid lead byte.
struct Utf8Lead {
  int continuations = 0;
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

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) continue;
    const Utf8Lead kind = classify(lead);
    if (kind.continuations == 0) return false;
    for (int k = 1; k <= kind.continuations; ++k) {
      if (++i >= text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < (k == 1 ? kind.low : 0x80) || byte > (k == 1 ? kind.high : 0xBF)) return false;
    }
  }
  return true;
}

}  // namespace kiln::base
