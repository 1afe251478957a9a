// The kernel cache: where compiled kernels are kept, what is in it, and what it did.
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

/// Why a tier did not have a kernel.
enum class Miss : std::uint8_t {
  absent,        ///< never compiled, or removed
  damaged,       ///< truncated, or its checksum is wrong
  other_format,  ///< an entry of an older or newer kiln
  other_key,     ///< a file of that name with another key
  not_trusted,   ///< others could have written it
  unreadable,    ///< the disk said no
};
/// How many reasons there are.
inline constexpr std::size_t kMissKinds = 6;
/// "absent", "damaged", "other format", "other key", "not trusted", "unreadable".
[[nodiscard]] KILN_API std::string_view name(Miss reason) noexcept;

/// Counts since the cache was opened in this process. Every kernel that a call needed and that was not yet bound to it counts
/// once as a hit, a compile or a failure.
struct Stats {
  std::uint64_t memory_hits = 0;          ///< in this process's memory
  std::uint64_t disk_hits = 0;            ///< in the directory
  std::uint64_t read_only_hits = 0;       ///< in a read-only tier
  std::uint64_t compiles = 0;             ///< compilers run, also for what failed
  std::uint64_t failures = 0;             ///< kernels that do not compile, each time one was asked for
  std::uint64_t misses[kMissKinds] = {};  ///< by reason, one for each kernel that no tier had: the first tier's that had a file
  double compile_ms = 0;                  ///< spent in compilers
  double saved_ms = 0;                    ///< what the kernels that were found had taken to compile
  std::uint64_t bytes_read = 0;           ///< of entries, from all disk tiers
  std::uint64_t bytes_written = 0;        ///< of entries, to the directory
  std::uint64_t memory_bytes = 0;         ///< machine code held in memory now
};

/// One stored kernel.
struct Entry {
  std::string id;                ///< 32 hex digits, of the key
  std::string kernel;            ///< name
  std::string kind;              ///< "ufunc", "gufunc", "reduction" or "kernel"; for people
  std::string signature;         ///< of the loop: "float32(float32 a, float32 b)"
  std::string variant;           ///< what tells it from the loop's other kernels: "contiguous", "reduce (block)"; may be empty
  std::string target;            ///< "sm_90", "gfx90a:xnack-", "x86-64-v3", for this machine's CPU its short form
  std::string compiler;          ///< "NVRTC 13.0.48"
  std::uint64_t bytes = 0;       ///< of the file
  std::uint64_t code_bytes = 0;  ///< of the machine code
  double compile_ms = 0;         ///< 0 where it came from a bundle
  std::int64_t created = 0;      ///< seconds since 1970; 0 where it came from a bundle
  std::int64_t used = 0;         ///< seconds since 1970, to about ten minutes; 0 in a bundle
  std::uint64_t hits = 0;        ///< of programs that found it in the directory, counted once in about ten minutes
  std::string tier;              ///< the directory or the bundle that holds it
};

/// A launch shape that was measured for a kernel on a device (kiln/tune.hpp). It is used for calls whose number of elements is
/// between the same two powers of four.
struct TunedShape {
  std::string device;             ///< "NVIDIA H200, 132 multiprocessors"
  std::string driver;             ///< "CUDA 13.0"
  std::int64_t elements = 0;      ///< of the call that was measured
  int block = 0;                  ///< threads of a block
  int accesses = 0;               ///< that a thread has in flight
  double milliseconds = 0;        ///< the kernel's, median
  double model_milliseconds = 0;  ///< with the shape of the cost model
  bool model = false;             ///< the cost model's shape was the best
  std::int64_t measured = 0;      ///< seconds since 1970
};

/// An entry with all that it holds.
struct Contents {
  Entry entry;                         ///< what list() tells of it
  std::string body;                    ///< the user's text
  std::string key;                     ///< canonical JSON: all that decided the machine code
  std::string source;                  ///< the whole translation unit, from the key
  std::string code;                    ///< machine code: cubin, code object or ELF shared object
  std::vector<TunedShape> tuned = {};  ///< of all devices, also of those that are not here
};

/// A field of the key that differs; long texts are cut to the first lines that do.
struct Difference {
  std::string field;   ///< "target", "compiler", "source", "headers/scale.h", "options", …
  std::string wanted;  ///< in the key that was asked for
  std::string found;   ///< in the entry's
};

/// Whether a kernel is in the cache, and where not, how it differs from the entry that is most like it.
struct Explanation {
  std::string id;              ///< of the key asked for
  bool hit = false;            ///< whether a tier has it
  std::string tier;            ///< where hit: the directory or the bundle
  Miss reason = Miss::absent;  ///< where not
  std::string nearest;         ///< id of the entry with the fewest different fields, of the same kernel name; may be empty
  std::vector<Difference> differences;  ///< from that one
};

/// What verify() found. Paths are within the directory.
struct Verification {
  /// A file that is not as it should be.
  struct Fault {
    std::string path;     ///< within the directory
    std::string reason;   ///< "wrong checksum", "left by a process that died", …
    bool mended = false;  ///< removed; never what could not be read, which may be sound
  };
  std::uint64_t entries = 0;       ///< sound ones
  std::uint64_t bytes = 0;         ///< of their files
  std::uint64_t other_format = 0;  ///< entries of an older or newer kiln's format, which are left to it
  std::vector<Fault> faults;       ///< all that were found, also those that were mended
  std::uint64_t tuned = 0;         ///< sound results of `kiln tune`, a file for each kernel; entries do not count them
  std::vector<Fault> not_used;     ///< of these, results for other devices or drivers than are here, which are left as they are
};

/// What prune() and clear() removed.
struct Removal {
  std::uint64_t entries = 0;  ///< how many
  std::uint64_t bytes = 0;    ///< of their files
};

/// What export_bundle() wrote, or import_bundle() read.
struct BundleReport {
  std::uint64_t entries = 0;  ///< in the bundle
  std::uint64_t bytes = 0;    ///< of the bundle
  std::uint64_t already = 0;  ///< import: entries that were there
};

}  // namespace cache

/// Where a cache keeps its kernels. Members are to be named.
struct CacheOptions {
  std::string directory = {};  ///< made at the first write, mode 0700; empty: no disk tier
  /// Directories and bundles that are looked into after it, in order, and never written.
  std::vector<std::string> read_only = {};
  std::uint64_t max_bytes = std::uint64_t{1} << 30;      ///< of the directory; beyond it the least recently used entries go
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;  ///< machine code kept in memory; the least recently used goes
  std::chrono::milliseconds wait = std::chrono::seconds(30);  ///< for another process that compiles the same kernel
};

namespace detail {
class CacheImpl;
}

/// A store of compiled kernels: memory, a directory, read-only tiers. A handle: copies share the store, which lives as long as
/// a handle or a definition that was given it. Thread-safe. Faults of the disk never fail a call that runs a kernel: they are
/// misses, and a line of the log. The functions that look after the directory (list, verify, prune, …) throw CacheError where
/// the directory is refused, and IoError for what the disk says.
class KILN_API Cache {
 public:
  /// The process's cache, of KILN_CACHE_DIR, KILN_CACHE_READONLY_DIRS and KILN_CACHE_MAX_BYTES, read at first use.
  Cache() noexcept;
  /// Another one. Nothing is touched until its first use.
  explicit Cache(const CacheOptions& options);

  /// The directory of the disk tier; empty where there is none: none was given, or it was refused (the log says why).
  [[nodiscard]] std::string directory() const;
  /// The bound of the directory in bytes, as it was given; 0 for a cache of memory alone.
  [[nodiscard]] std::uint64_t max_bytes() const;
  /// What it did in this process. Zeros before the first use.
  [[nodiscard]] cache::Stats stats() const noexcept;

  /// The entries of every tier, an id once, by kernel name, then id. Damaged files are left out: see verify().
  [[nodiscard]] std::vector<cache::Entry> list() const;
  /// The entry whose id begins so. Nothing where there is none; CacheError where several do, with their ids; IoError where it
  /// is damaged.
  [[nodiscard]] std::optional<cache::Contents> find(std::string_view id) const;
  /// `key` is canonical JSON, as in Contents::key or from Manifest::kernels(). CacheError for another text. Changes nothing: a
  /// damaged entry stays where it is, its time of last use stays, and stats() do not count it.
  [[nodiscard]] cache::Explanation explain(std::string_view key) const;

  /// Reads every file of the directory and compares checksums; `fix` removes what is damaged or was left by processes that
  /// died, but nothing that could not be read: that may be sound.
  cache::Verification verify(bool fix = false) const;
  /// Removes entries not used since `older_than` ago, then the least recently used until `max_bytes` are left.
  cache::Removal prune(std::optional<std::uint64_t> max_bytes, std::optional<std::chrono::seconds> older_than = {}) const;
  /// Removes every entry of the directory, and nothing that is not kiln's. Programs that run keep what they have loaded.
  cache::Removal clear() const;

  /// Writes entries of every tier to one file, which may be a read-only tier elsewhere. Those with these ids; all where there
  /// are none. The same entries give the same bytes. The file appears whole or not at all.
  cache::BundleReport export_bundle(const std::string& path, const std::vector<std::string>& ids = {}) const;
  /// Puts a bundle's entries into the directory. The whole file is verified before the first one is; IoError where it is
  /// damaged, or an entry cannot be written: those before it stay. CacheError where there is no directory, or the bundle is
  /// larger than its bound.
  cache::BundleReport import_bundle(const std::string& path) const;

  /// For the library itself.
  explicit Cache(std::shared_ptr<detail::CacheImpl> impl) noexcept;
  [[nodiscard]] const std::shared_ptr<detail::CacheImpl>& impl() const noexcept { return impl_; }  ///< null: the process's

 private:
  std::shared_ptr<detail::CacheImpl> impl_;
};

namespace cache {

/// Cache().stats(): of the process's cache. Does not open it.
[[nodiscard]] KILN_API Stats stats() noexcept;
/// Cache().directory(): of the process's cache.
[[nodiscard]] KILN_API std::string directory();

/// Receives one line for each fault of a disk tier (a refused directory, a damaged entry, a full disk), of every cache, for a
/// KILN_CACHE_MAX_BYTES or KILN_HOST_POOL_MAX_BYTES that is no number, in whose place the default holds, and for each warning
/// of a kernel ("disc:1:7: shift count >= width of type"; Ufunc::warnings() has them as values). None by default: the library
/// never prints. An empty callback takes the last one away. Called from whatever thread met the fault; must not call kiln.
KILN_API void set_log(std::function<void(std::string_view)> callback);

}  // namespace cache
}  // namespace kiln
