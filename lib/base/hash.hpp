// XXH3-128 of bytes: names of cache entries and checksums. Not a defence against someone who forges bytes.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace kiln::base {

/// The canonical (big-endian) bytes of a hash; the same on every machine.
using Hash128 = std::array<unsigned char, 16>;

[[nodiscard]] Hash128 hash128(std::string_view bytes) noexcept;

/// 32 lower-case hex digits.
[[nodiscard]] std::string to_hex(const Hash128& hash);

}  // namespace kiln::base
