// Where things lie in a cache directory, and which names are kiln's: nothing else in it is ever touched.
#pragma once

#include <string>
#include <string_view>

namespace kiln::cache {

/// Entries are "3f/….kiln": the digest's first two digits are the folder.
inline constexpr std::string_view kEntrySuffix = ".kiln";
inline constexpr std::string_view kTuningSuffix = ".tune";  ///< beside an entry: what was measured for it
inline constexpr std::string_view kLockSuffix = ".lock";
inline constexpr std::string_view kDamagedFolder = "damaged";  ///< entries set aside, by their whole digest
inline constexpr std::string_view kLocksFolder = "locks";      ///< of flights, by the digest
inline constexpr std::string_view kDebugFolder = "debug";      ///< texts for debuggers, a folder for each digest
inline constexpr std::string_view kUsageFile = "usage";       ///< "BYTES PUTS\n": the estimate, and the puts since it was exact
inline constexpr std::string_view kSweepFile = "sweep.lock";  ///< held by who removes old entries
inline constexpr std::size_t kDigestDigits = 32;

/// Lower-case hex digits alone.
[[nodiscard]] bool is_hex(std::string_view text) noexcept;

/// "3f/….kiln" of a digest.
[[nodiscard]] std::string entry_path(std::string_view digest);
/// "3f/….tune" of an entry's digest.
[[nodiscard]] std::string tuning_path(std::string_view digest);
/// The reverse of both, for paths in a shard; empty for other paths.
[[nodiscard]] std::string digest_of_path(std::string_view path);

enum class NameKind {
  foreign,    ///< not kiln's
  entry,      ///< in a folder of two digits, or set aside
  tuning,     ///< what was measured for an entry, beside it
  temporary,  ///< an entry or a tuning that is being written, or was by a process that died
  lock,       ///< of a flight
};
/// What a file in one of the cache's folders ("3f", "damaged", "locks") is, by its name.
[[nodiscard]] NameKind classify_name(std::string_view folder, std::string_view name) noexcept;

}  // namespace kiln::cache
