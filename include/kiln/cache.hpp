// The kernel cache: its place, its contents and its statistics.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/cache_entry.hpp"
#include "kiln/cache_handle.hpp"
#include "kiln/export.hpp"

namespace kiln::cache {

/// Reason for which a tier did not have a kernel.
enum class Miss : std::uint8_t {
  absent,        ///< the kernel was never compiled, or was removed
  damaged,       ///< the file is truncated, or its checksum is wrong
  other_format,  ///< the entry has the format of an older or newer kiln
  other_key,     ///< a file of that name has another key
  not_trusted,   ///< other users could have written the file
  unreadable,    ///< the disk reported an error
};
/// Number of reasons.
inline constexpr std::size_t kMissKinds = 6;
/// Returns "absent", "damaged", "other format", "other key", "not trusted" or "unreadable".
[[nodiscard]] KILN_API std::string_view name(Miss reason) noexcept;

/// Counts since the cache was opened in this process. Every kernel that a call needs and has not used yet counts once: as a
/// hit, a compile or a failure.
struct Stats {
  std::uint64_t memory_hits = 0;     ///< kernels found in this process's memory
  std::uint64_t disk_hits = 0;       ///< kernels found in the directory
  std::uint64_t read_only_hits = 0;  ///< kernels found in a read-only tier
  std::uint64_t compiles = 0;        ///< compiler runs, failed ones included
  std::uint64_t failures = 0;        ///< kernels that do not compile, counted at each request
  /// Counts by reason, one for each kernel that no tier had; the reason is that of the first tier that had a file.
  std::uint64_t misses[kMissKinds] = {};
  double compile_ms = 0;            ///< time spent in compilers
  double saved_ms = 0;              ///< compile time of the kernels that were found
  std::uint64_t bytes_read = 0;     ///< bytes of entries read from all disk tiers
  std::uint64_t bytes_written = 0;  ///< bytes of entries written to the directory
  std::uint64_t memory_bytes = 0;   ///< machine code held in memory now, as stored and as loaded
};

/// A field of the key that differs. Long texts are cut to the first lines that differ.
struct Difference {
  std::string field;   ///< "target", "compiler", "source", "headers/scale.h", "options", …
  std::string wanted;  ///< value in the requested key
  std::string found;   ///< value in the entry's key
};

/// Result of a look-up, and on a miss the differences to the most similar entry.
struct Explanation {
  std::string id;              ///< hash of the requested key
  bool hit = false;            ///< true: a tier has the kernel
  std::string tier;            ///< directory or bundle, on a hit
  Miss reason = Miss::absent;  ///< reason, on a miss
  std::string nearest;         ///< id of the entry of the same kernel name with the fewest different fields; may be empty
  std::vector<Difference> differences;  ///< fields that differ from `nearest`
};

/// Result of verify(). Paths are relative to the directory.
struct Verification {
  /// A defective file.
  struct Fault {
    std::string path;     ///< path relative to the directory
    std::string reason;   ///< "wrong checksum", "left by a process that died", …
    bool mended = false;  ///< true: the file was removed; false for an unreadable file, which may be intact
  };
  std::uint64_t entries = 0;       ///< intact entries
  std::uint64_t bytes = 0;         ///< bytes of their files
  std::uint64_t other_format = 0;  ///< entries of an older or newer kiln's format, which are left alone
  std::vector<Fault> faults;       ///< all defects, repaired ones included
  std::uint64_t tuned = 0;         ///< intact results of `kiln tune`, one file for each kernel; `entries` does not count them
  /// Results of `kiln tune` for other devices or drivers than are present; they are left unchanged.
  std::vector<Fault> not_used;
};

/// Result of prune() and clear().
struct Removal {
  std::uint64_t entries = 0;  ///< entries removed
  std::uint64_t bytes = 0;    ///< bytes of their files
};

/// Result of export_bundle() or import_bundle().
struct BundleReport {
  std::uint64_t entries = 0;  ///< entries in the bundle
  std::uint64_t bytes = 0;    ///< size of the bundle
  std::uint64_t already = 0;  ///< import: entries that were present before
};

/// Returns the bundle of Cache::export_bundle() as bytes. Its kernels are those of the disk tiers. Throws CacheError for an id
/// that no tier has, and IoError for an entry that cannot be read. Thread-safe.
[[nodiscard]] KILN_API std::string export_bytes(const Cache& from, const std::vector<std::string>& ids = {});
/// Adds the kernels of a bundle's bytes to a cache: to its directory, or to its memory if it has none. The exceptions are those
/// of Cache::import_bundle(). Thread-safe.
KILN_API BundleReport import_bytes(const Cache& to, std::string_view bytes);

/// Returns the statistics of the process's cache, Cache().stats(), without opening it.
[[nodiscard]] KILN_API Stats stats() noexcept;
/// Returns the directory of the process's cache, Cache().directory().
[[nodiscard]] KILN_API std::string directory();

/// Sets the callback that receives log lines of every cache; the library never prints. An empty callback removes the last one.
/// There is none by default. The thread that meets the fault calls it; the callback must not call kiln.
///
/// A line reports one of:
/// - a fault of a disk tier: a refused directory, a damaged entry, a full disk;
/// - a KILN_CACHE_MAX_BYTES or KILN_HOST_POOL_MAX_BYTES that is not a number, replaced by the default;
/// - a warning of a kernel: "disc:1:7: shift count >= width of type" (Ufunc::warnings() returns them as values).
KILN_API void set_log(std::function<void(std::string_view)> callback);

}  // namespace kiln::cache
