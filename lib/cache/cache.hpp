// The disk tier of compiled kernels: one file per key, published atomically, verified when read. Any fault of the disk is a
// miss and a log line, never an exception.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::cache {

/// Everything that can change the machine code. canonical() is one JSON text with sorted keys; two keys are equal exactly when
/// those are.
struct Key {
  std::string kiln_version;
  std::string templates;                       ///< digest of the embedded device headers
  std::string source;                          ///< the rendered translation unit
  std::map<std::string, std::string> headers;  ///< every other file reached: name → its text
  std::vector<std::string> options;
  std::vector<std::string> defines;
  bool contract = false;
  bool fast_math = false;
  std::string target;
  std::string compiler;  ///< name and full version
  std::string runtime;   ///< what else the code depends on: glibc's version for CPU code that calls libmvec; else empty

  [[nodiscard]] std::string canonical() const;
};

/// 32 hex digits: XXH3-128 of the canonical text.
std::string digest(std::string_view text);

/// What an entry says about itself besides the key.
struct Info {
  std::string kernel;     ///< name
  std::string signature;  ///< of the loop
  std::string body;       ///< the user's text
  double compile_ms = 0;
  std::int64_t created_unix = 0;
};

struct Entry {
  Info info;
  std::string payload;
};

/// Turns an entry into the bytes of a file and back. decode gives nothing for bytes that are damaged, foreign, of another
/// format version, or whose key differs from `canonical_key`; `why` then says which.
std::string encode(const std::string& canonical_key, const Entry& entry);
std::optional<Entry> decode(std::string_view bytes, std::string_view canonical_key, std::string* why);

/// A directory of entries. Thread- and process-safe.
class DiskStore {
 public:
  /// Nothing is touched until the first use. `log` gets one line for each fault; a fault that would come with every call (a
  /// refused directory, a full disk) gets one in the store's life. A flight waits no longer than `flight_timeout`.
  DiskStore(std::string directory, std::vector<std::string> read_only_directories, std::uint64_t max_bytes,
            std::function<void(const std::string&)> log, std::chrono::milliseconds flight_timeout = std::chrono::seconds(30));
  ~DiskStore();
  DiskStore(const DiskStore&) = delete;
  DiskStore& operator=(const DiskStore&) = delete;
  /// The entry of that key from the directory, else from the first read-only one that has it. Costs one open, and one stamp
  /// every few minutes; never looks through a directory. A damaged entry is moved into the folder "damaged".
  [[nodiscard]] std::optional<Entry> find(const std::string& canonical_key);
  /// Publishes by O_EXCL temporary file and rename: readers see all of an entry or nothing. (An entry that a power cut tears is
  /// found by its checksum.) Evicts the least recently used entries beyond the bound.
  void put(const std::string& canonical_key, const Entry& entry);
  /// Held while one process compiles a key, so that the others wait for it (with a time-out, after which they compile alone).
  /// Null where there is nothing to wait for: no directory, no locks, or the time-out. Look again with find() once it is held.
  class Flight;
  [[nodiscard]] std::unique_ptr<Flight> lock(const std::string& canonical_key);
  /// The directory, which need not be there yet; empty where it is refused, which the log has the reason for.
  [[nodiscard]] const std::string& directory() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class DiskStore::Flight {
 public:
  virtual ~Flight() = default;
};

/// The store of KILN_CACHE_DIR, XDG_CACHE_HOME or HOME, made at first use, never destroyed. KILN_CACHE_DIR="" (empty) switches
/// the disk off, read-only tiers included: null.
DiskStore* default_store();

}  // namespace kiln::cache
