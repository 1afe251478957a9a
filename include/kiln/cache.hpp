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

#include "kiln/export.hpp"

namespace kiln {

namespace cache {

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
  std::uint64_t memory_bytes = 0;   ///< machine code held in memory now
};

/// One stored kernel.
struct Entry {
  std::string id;                ///< hash of the key: 32 hex digits
  std::string kernel;            ///< name of the kernel
  std::string kind;              ///< "ufunc", "gufunc", "reduction" or "kernel"; informative
  std::string signature;         ///< signature of the loop: "float32(float32 a, float32 b)"
  std::string variant;           ///< difference to the loop's other kernels: "contiguous", "reduce (block)"; may be empty
  std::string target;            ///< "sm_90", "gfx90a:xnack-", "x86-64-v3"; the short form for this machine's CPU
  std::string compiler;          ///< "NVRTC 13.0.48"
  std::uint64_t bytes = 0;       ///< size of the file
  std::uint64_t code_bytes = 0;  ///< size of the machine code
  double compile_ms = 0;         ///< time of the compile; 0 for an entry from a bundle
  std::int64_t created = 0;      ///< seconds since 1970; 0 for an entry from a bundle
  std::int64_t used = 0;         ///< last use in seconds since 1970, to about ten minutes; 0 in a bundle
  std::uint64_t hits = 0;        ///< programs that found it in the directory, counted once in about ten minutes
  std::string tier;              ///< directory or bundle that holds the entry
};

/// A launch shape that was measured for a kernel on a device (kiln/tune.hpp). Calls use it if their number of elements is
/// between the same two powers of four.
struct TunedShape {
  std::string device;             ///< "NVIDIA H200, 132 multiprocessors"
  std::string driver;             ///< "CUDA 13.0"
  std::int64_t elements = 0;      ///< elements of the call that was measured
  int block = 0;                  ///< threads of a block
  int accesses = 0;               ///< accesses that a thread has in flight
  double milliseconds = 0;        ///< time of the kernel, median
  double model_milliseconds = 0;  ///< time with the cost model's shape
  bool model = false;             ///< true: the cost model's shape was the best
  std::int64_t measured = 0;      ///< time of the measurement, in seconds since 1970
};

/// An entry and everything that it holds.
struct Contents {
  Entry entry;                         ///< the entry, as in list()
  std::string body;                    ///< the user's text
  std::string key;                     ///< canonical JSON: everything that decided the machine code
  std::string source;                  ///< the whole translation unit, from the key
  std::string code;                    ///< machine code: cubin, code object or ELF shared object
  std::vector<TunedShape> tuned = {};  ///< shapes for all devices, absent ones included
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

}  // namespace cache

/// Tiers and limits of a cache. Members are to be named.
struct CacheOptions {
  std::string directory = {};  ///< created at the first write, mode 0700; empty: no disk tier
  /// Directories and bundles that are searched after the directory, in order, and never written.
  std::vector<std::string> read_only = {};
  /// Limit of the directory; beyond it the least recently used entries are removed.
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
  /// Limit of machine code in memory; beyond it the least recently used code is dropped.
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  /// Time to wait for another process that compiles the same kernel.
  std::chrono::milliseconds wait = std::chrono::seconds(30);
};

namespace detail {
class CacheImpl;
}

/// A store of compiled kernels: memory, a directory, read-only tiers. A Cache is a handle whose copies share the store. The
/// store lives as long as a handle or a definition that uses it. Thread-safe.
///
/// A fault of the disk never fails a call that runs a kernel. It counts as a miss and adds a line to the log. The functions
/// that maintain the directory (list, verify, prune, …) throw CacheError if the directory is refused, and IoError if the disk
/// reports an error.
class KILN_API Cache {
 public:
  /// Constructs a handle on the process's cache. KILN_CACHE_DIR, KILN_CACHE_READONLY_DIRS and KILN_CACHE_MAX_BYTES configure
  /// it; they are read at first use.
  Cache() noexcept;
  /// Constructs another cache. Nothing is touched until its first use.
  explicit Cache(const CacheOptions& options);

  /// Returns the directory of the disk tier. The result is empty if none was given, or if it was refused (the log says why).
  [[nodiscard]] std::string directory() const;
  /// Returns the limit of the directory in bytes, as it was given; 0 for a cache in memory alone.
  [[nodiscard]] std::uint64_t max_bytes() const;
  /// Returns the counts of this process: zeros before the first use.
  [[nodiscard]] cache::Stats stats() const noexcept;

  /// Returns the entries of every tier, each id once, sorted by kernel name, then id. Damaged files are omitted: see verify().
  [[nodiscard]] std::vector<cache::Entry> list() const;
  /// Returns the entry whose id begins with this text, or nothing if there is none. Throws CacheError, with the ids, if there
  /// are several, and IoError if the entry is damaged.
  [[nodiscard]] std::optional<cache::Contents> find(std::string_view id) const;
  /// Looks a key up. `key` is canonical JSON, from Contents::key or Manifest::kernels(). Throws CacheError for another text.
  ///
  /// The call changes nothing: a damaged entry stays in its place, times of last use stay, and stats() do not count it.
  [[nodiscard]] cache::Explanation explain(std::string_view key) const;

  /// Reads every file of the directory and compares checksums. `fix` removes damaged files and files left by processes that
  /// died. Unreadable files stay, as they may be intact.
  cache::Verification verify(bool fix = false) const;
  /// Removes the entries whose last use is more than `older_than` ago. Then removes the least recently used ones until at most
  /// `max_bytes` are left.
  cache::Removal prune(std::optional<std::uint64_t> max_bytes, std::optional<std::chrono::seconds> older_than = {}) const;
  /// Removes every entry of the directory, and nothing that is not kiln's. Running programs keep the kernels that they have
  /// loaded.
  cache::Removal clear() const;

  /// Writes entries of every tier to one file, which may serve as a read-only tier elsewhere. `ids` selects entries; an empty
  /// list selects all. The same entries give the same bytes. The file appears whole or not at all.
  cache::BundleReport export_bundle(const std::string& path, const std::vector<std::string>& ids = {}) const;
  /// Adds a bundle's entries to the directory. The whole file is verified before the first entry is added. Throws IoError if
  /// the file is damaged or an entry cannot be written; the entries before that one stay. Throws CacheError if there is no
  /// directory, or if the bundle exceeds its limit.
  cache::BundleReport import_bundle(const std::string& path) const;

  /// Constructor for the library's own use.
  explicit Cache(std::shared_ptr<detail::CacheImpl> impl) noexcept;
  /// Accessor for the library's own use; null: the process's cache.
  [[nodiscard]] const std::shared_ptr<detail::CacheImpl>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<detail::CacheImpl> impl_;
};

namespace cache {

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

}  // namespace cache
}  // namespace kiln
