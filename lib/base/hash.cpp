// The one place that compiles xxHash in.
#include "base/hash.hpp"

#include <xxhash.h>

#include <cstring>

namespace kiln::base {

Hash128 hash128(std::string_view bytes) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Hash128 hash;
  static_assert(sizeof canonical.digest == hash.size());
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

std::string to_hex(const Hash128& hash) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * hash.size());
  for (const unsigned char byte : hash) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace kiln::base
