// The disk tiers of compiled kernels: a directory with one file per key, published atomically, verified when read, and what is
// read-only behind it. Any fault of the disk is a miss and a log line, never an exception.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/directory_tier.hpp"
#include "cache/folder.hpp"
#include "cache/tier.hpp"

namespace kiln::cache {

/// Thread- and process-safe.
class DiskStore {
 public:
  /// Nothing is touched until the first use. An empty directory leaves the read-only tiers alone. `log` gets one line for each
  /// fault; a fault that would come with every call (a refused directory, a full disk) gets one in the store's life. A flight
  /// waits no longer than `flight_timeout`. `unusable` gets the lines for a directory that cannot be used or written in, in the
  /// place of `log`.
  DiskStore(std::string directory, std::vector<std::string> read_only, std::uint64_t max_bytes, Log log,
            std::chrono::milliseconds flight_timeout = std::chrono::seconds(30), Log unusable = {});
  ~DiskStore();
  DiskStore(const DiskStore&) = delete;
  DiskStore& operator=(const DiskStore&) = delete;
  /// The entry of that key from the directory, else from the first read-only tier that has it; where none has, the flaw is that
  /// of the first one that had a file. Costs three opens, and one stamp every few minutes; never looks through a directory. A
  /// damaged entry is moved into the folder "damaged". An entry of another format is left to the kiln that wrote it.
  [[nodiscard]] Found find(const std::string& canonical_key);
  /// Publishes by O_EXCL temporary file and rename: readers see all of an entry or nothing. (An entry that a power cut tears is
  /// found by its checksum.) Evicts the least recently used entries beyond the bound. The bytes written; 0 where it could not.
  std::uint64_t put(const std::string& canonical_key, const Record& entry);
  /// The same for an entry as the bytes of its file.
  bool put_bytes(const std::string& digest, std::string_view bytes);
  /// ": No space left on device", the reason of the last write that failed; "" where none failed.
  [[nodiscard]] std::string why_not_written() const;
  /// Publishes entries of one folder of the directory, which has none of them: those whose digests begin with the same two
  /// digits. Their bytes are counted at once, before the first is written.
  class Batch;
  [[nodiscard]] Batch begin_batch(unsigned shard, std::uint64_t bytes);
  /// What was measured for the entry of that digest, of every tier, the directory first. Costs as many opens as find(). What is
  /// damaged is a line of the log.
  [[nodiscard]] std::vector<TunedShape> tuning(const std::string& digest);
  /// Adds a shape to those of the directory (replace_shape), published as an entry is. Of two processes that add to the same
  /// file at once one may lose its shape. False where it could not.
  bool put_tuning(const std::string& digest, const TunedShape& shape);
  /// Why each tier has no sound entry of the key, "/a/b (no entry)", the directory first; a tier that has one is left out.
  [[nodiscard]] std::vector<std::string> why_absent(const std::string& canonical_key) const;
  /// Held while one process compiles a key, so that the others wait for it (with a time-out, after which they compile alone).
  /// Null where there is nothing to wait for: no directory, no locks, or the time-out. Look again with find() once it is held.
  class Flight;
  [[nodiscard]] std::unique_ptr<Flight> lock(const std::string& canonical_key);
  /// The directory, open and made where it was not there; empty where there is none or it is refused, which the log has the
  /// reason for.
  [[nodiscard]] Folder find_directory() const;
  /// Its path, which need not be there yet; empty where it is refused, which the log has the reason for.
  [[nodiscard]] const std::string& directory() const noexcept;

  /// Every tier that is there, the directory first, for those who look through them. CacheError where the directory is refused.
  /// They live as long as the store.
  [[nodiscard]] std::vector<const Tier*> tiers() const;
  /// The directory, open, for those who look after it; empty where there is none, or it is not there yet. CacheError where it
  /// is refused.
  [[nodiscard]] Folder open_directory() const;
  [[nodiscard]] std::uint64_t max_bytes() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Move-only. Ends before its store.
class DiskStore::Batch {
 public:
  /// As put_bytes().
  bool put(const std::string& digest, std::string_view bytes) const;
  /// Whether the directory may pass its bound, so that sweep() is due behind the last entry.
  [[nodiscard]] bool needs_sweep() const noexcept { return needs_sweep_; }
  /// Evicts what is beyond the bound. What other threads count meanwhile is lost to the estimate.
  void sweep() const;

 private:
  friend class DiskStore;
  Batch(Impl& store, Folder root, Folder folder, bool needs_sweep)
      : store_(&store), root_(std::move(root)), folder_(std::move(folder)), needs_sweep_(needs_sweep) {}

  Impl* store_;
  Folder root_;
  Folder folder_;  // empty: nothing can be written
  bool needs_sweep_;
};

class DiskStore::Flight {
 public:
  virtual ~Flight() = default;
};

}  // namespace kiln::cache
