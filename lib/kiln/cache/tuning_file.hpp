// The launch shapes that were measured for one entry, as a value and as the bytes of the file beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/entry.hpp"
#include "kiln/cache_entry.hpp"

namespace kiln::cache {

/// On what a shape was measured.
struct TunedOn {
  std::string device;
  std::string driver;
  friend bool operator==(const TunedOn&, const TunedOn&) = default;
};
[[nodiscard]] inline TunedOn tuned_on(const TunedShape& shape) {
  return {shape.device, shape.driver};
}

/// Calls of one class share a shape: 4^class elements and more, fewer than 4^(class + 1).
inline constexpr int kSizeClasses = 32;
[[nodiscard]] int size_class(std::int64_t elements) noexcept;

inline constexpr int kMaxTunedBlock = 1024;
inline constexpr int kMaxTunedAccesses = 16;
inline constexpr std::size_t kMaxTunedShapes = 64;                        ///< of a file
inline constexpr std::uint64_t kMaxTuningBytes = std::uint64_t{1} << 16;  ///< a larger file is none

/// Turns shapes into the bytes of a file and back. decode_tuning gives nothing for bytes that are damaged, of another format
/// version, or of another entry; `why` (may be null) then says which. The bytes may be hostile: numbers out of range are
/// damage.
[[nodiscard]] std::string encode_tuning(const std::string& digest, std::span<const TunedShape> shapes);
[[nodiscard]] std::optional<std::vector<TunedShape>> decode_tuning(std::string_view bytes, const std::string& digest,
                                                                   Flaw* why);

/// Adds a shape in the place of those of the same device and size class, whatever their driver. The oldest goes where there
/// are more than kMaxTunedShapes.
void replace_shape(std::vector<TunedShape>& shapes, TunedShape added);

}  // namespace kiln::cache
