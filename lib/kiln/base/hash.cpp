// The one place that compiles xxHash in.
#include "base/hash.hpp"

#include <xxhash.h>

#include <cstring>

namespace kiln::base {

namespace {

Hash128 canonical_bytes(XXH128_hash_t value) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, value);
  Hash128 hash;
  static_assert(sizeof canonical.digest == hash.size());
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

}  // namespace

struct Hasher128::State {
  XXH3_state_t value;
};

Hash128 hash128(std::string_view bytes) noexcept {
  return canonical_bytes(XXH3_128bits(bytes.data(), bytes.size()));
}

std::uint64_t hash64(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hasher128::Hasher128() : state_(std::make_unique<State>()) {
  XXH3_INITSTATE(&state_->value);
  XXH3_128bits_reset(&state_->value);
}

Hasher128::Hasher128(Hasher128&&) noexcept = default;

Hasher128::~Hasher128() = default;

void Hasher128::update(std::string_view bytes) noexcept {
  XXH3_128bits_update(&state_->value, bytes.data(), bytes.size());
}

Hash128 Hasher128::result() const noexcept {
  return canonical_bytes(XXH3_128bits_digest(&state_->value));
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

std::optional<Hash128> from_hex(std::string_view text) noexcept {
  Hash128 hash{};
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char digit = text[i];
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && (digit < 'a' || digit > 'f')) return std::nullopt;
    const auto value = static_cast<unsigned char>(decimal ? digit - '0' : digit - 'a' + 10);
    hash[i / 2] = static_cast<unsigned char>(hash[i / 2] << 4 | value);
  }
  return hash;
}

}  // namespace kiln::base
