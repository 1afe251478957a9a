// The handle of a kernel cache. Its results are in kiln/cache.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/export.hpp"

namespace kiln {

namespace cache {
struct BundleReport;
struct Contents;
struct Entry;
struct Explanation;
struct Removal;
struct Stats;
struct Verification;
}  // namespace cache

/// Tiers and limits of a cache. Members are to be named.
struct CacheOptions {
  std::string directory = {};  ///< created at the first write, mode 0700; empty: no disk tier
  /// Directories and bundles that are searched after the directory, in order, and never written.
  std::vector<std::string> read_only = {};
  /// Limit of the directory; beyond it the least recently used entries are removed.
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
  /// Limit of machine code in memory, as stored and as loaded; beyond it the least recently used code is dropped. A kernel
  /// loaded on the CPU is at least a page.
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

}  // namespace kiln
