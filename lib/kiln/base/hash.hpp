// XXH3 of bytes: names of cache entries, checksums, keys of tables. Not a defence against someone who forges bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::base {

/// The canonical (big-endian) bytes of a hash; the same on every machine.
using Hash128 = std::array<unsigned char, 16>;

/// Its bytes as text.
[[nodiscard]] inline std::string_view view(const Hash128& hash) noexcept {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

[[nodiscard]] Hash128 hash128(std::string_view bytes) noexcept;
/// XXH3-64, for look-ups in this process.
[[nodiscard]] std::uint64_t hash64(std::string_view bytes) noexcept;

/// hash128 of bytes that come in chunks.
class Hasher128 {
 public:
  Hasher128();
  ~Hasher128();
  Hasher128(Hasher128&&) noexcept;
  Hasher128(const Hasher128&) = delete;
  Hasher128& operator=(const Hasher128&) = delete;
  void update(std::string_view bytes) noexcept;
  /// Of all bytes so far; more may follow.
  [[nodiscard]] Hash128 result() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 32 lower-case hex digits.
[[nodiscard]] std::string to_hex(const Hash128& hash);
/// Nothing for another text.
[[nodiscard]] std::optional<Hash128> from_hex(std::string_view text) noexcept;

}  // namespace kiln::base
