// Keeps a directory of entries within its bound: a running estimate beside the entries, and a sweep when that passes the bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kiln::cache {

/// Where things lie in a cache directory: entries as "3f/….kiln" (the digest's first two digits are the folder).
inline constexpr const char* kEntrySuffix = ".kiln";
inline constexpr const char* kDamagedFolder = "damaged";
inline constexpr const char* kLocksFolder = "locks";
inline constexpr const char* kUsageFile = "usage";  ///< "BYTES PUTS\n": the estimate, and the puts since it was exact

/// Adds an entry of this size to the estimate. True where a sweep is due: the estimate passes the bound or is not there, or so
/// many puts have gone by that it may be wrong (a replaced entry counts twice, a removed one still counts). Costs one small
/// file's read and write, whatever the number of entries.
[[nodiscard]] bool add_to_usage(const std::string& directory, std::uint64_t bytes, std::uint64_t max_bytes);

struct Swept {
  std::size_t removed = 0;
  std::uint64_t bytes_left = 0;
};

/// Looks at every file; where they pass the bound, removes damaged ones, then the least recently used entries, until 90 % of it
/// is left, but never the newest entry. Also removes what killed processes left behind (temporary files and locks of more than
/// an hour). An entry's stamp is its modification time, which kiln sets at a put and at a hit; reading does not change it, and
/// it needs no second file. Does nothing while another process sweeps. Never throws for a fault of the disk.
Swept sweep(const std::string& directory, std::uint64_t max_bytes);

}  // namespace kiln::cache
