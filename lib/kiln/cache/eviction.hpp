// Keeps a directory of entries within its bound: a running estimate beside the entries, and a sweep when that passes the bound.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cache/folder.hpp"

namespace kiln::cache {

/// Adds an entry of this size to the estimate. True where a sweep is due: the estimate passes the bound or is not there, or so
/// many puts have gone by that it may be wrong (a replaced entry counts twice, a removed one still counts). Costs one small
/// file's read and write, whatever the number of entries. Where the estimate has no file, since its name is taken, a sweep is
/// due each time and `why` says what has the name.
[[nodiscard]] bool add_to_usage(const Folder& root, std::uint64_t bytes, std::uint64_t max_bytes, Refusal* why = nullptr);

/// Makes the estimate exact.
void set_usage(const Folder& root, std::uint64_t bytes);

/// What is to go.
struct Limits {
  std::optional<std::uint64_t> max_bytes = {};          ///< where there is more, the least recently used entries
  std::optional<std::uint64_t> enough = {};             ///< once it has begun: down to this, instead of max_bytes
  std::optional<std::chrono::seconds> older_than = {};  ///< entries not used for so long
  bool everything = false;
  bool keep_newest = false;  ///< whatever its size
};

struct Swept {
  std::size_t removed = 0;
  std::uint64_t removed_bytes = 0;
  std::uint64_t bytes_left = 0;
  std::string failure = {};  ///< the first file that could not be removed, or folder that could not be read, and why
};

/// Looks at every file and removes what the limits say: damaged ones first, then by stamp; and what processes that died left
/// behind more than an hour ago (temporary files and locks). An entry's stamp is its modification time, which kiln sets at a
/// put and at a hit; reading does not change it, and it needs no second file. Stamps are compared with the file system's own
/// clock; one in the future, which a clock that was wrong left, is set to now. Makes the estimate exact. Never throws for a
/// fault of the disk.
Swept remove_entries(const Folder& root, const Limits& limits);

/// remove_entries() where the directory passes the bound, until 90 % of it is left, but never the newest entry. Does nothing
/// while another process sweeps; where the lock's name is taken, several may sweep at once.
Swept sweep(const Folder& root, std::uint64_t max_bytes);

}  // namespace kiln::cache
