// A place on disk that kernels are found in: a directory, or a bundle. Reading only; who writes the cache's own directory is
// DiskStore.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/directory.hpp"
#include "cache/entry.hpp"

namespace kiln::cache {

/// Of a key or a description, where no checksum has been looked at yet.
inline constexpr std::uint64_t kMaxHeadBytes = std::uint64_t{64} << 20;

using Log = std::function<void(const std::string&)>;

/// What was found for a key, and where nothing was, why.
struct Found {
  std::optional<Record> record = {};
  Flaw flaw = {};           ///< where there is no record
  std::uint64_t bytes = 0;  ///< of the file, or of what stands for it in a bundle: as many were read
  bool read_only = false;   ///< from a read-only tier

  [[nodiscard]] explicit operator bool() const noexcept { return record.has_value(); }
  [[nodiscard]] const Record* operator->() const noexcept { return &*record; }
  [[nodiscard]] const Record& operator*() const noexcept { return *record; }
};

/// An entry as a listing shows it. Its checksum has not been looked at.
struct Listed {
  std::string digest = {};
  Info info = {};
  std::uint64_t bytes = 0;
  std::uint64_t code_bytes = 0;
  std::int64_t used = 0;   ///< seconds since 1970; 0 in a bundle
  std::uint64_t hits = 0;  ///< see usage_record.hpp; 0 in a bundle
};

/// Leaves a description what a listing shows: no body, and names of a bounded length, since a name is what the file says it is.
void shorten(Info* info);

/// Thread-safe. Its files may be hostile, and may come and go. Nothing here throws for a fault of the disk.
class Tier {
 public:
  virtual ~Tier() = default;
  [[nodiscard]] virtual const std::string& path() const noexcept = 0;
  /// The verified entry of that key; changes nothing on the disk. Costs three opens.
  [[nodiscard]] virtual Found find(const std::string& canonical_key, const std::string& digest) const = 0;
  /// The digests that begin so, by their names alone.
  virtual void visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const = 0;
  /// All of an entry but its machine code, and its key alone; unverified. Nothing where it cannot be read.
  [[nodiscard]] virtual std::optional<Listed> head(const std::string& digest) const = 0;
  [[nodiscard]] virtual std::optional<std::string> key(const std::string& digest) const = 0;
  /// The heads of all entries, in no order.
  [[nodiscard]] virtual std::vector<Listed> heads() const = 0;
  /// The verified entry of that digest, whatever its key: one whose key has another digest is none.
  [[nodiscard]] virtual std::optional<Stored> read(const std::string& digest, Flaw* why) const = 0;
  /// What was measured for the entry of that digest; nothing where that is damaged, and `why` (may be null) says so.
  [[nodiscard]] virtual std::vector<TunedShape> tuning(const std::string& digest, Flaw* why) const;
  /// A line for the log: which entry is not used, why, and how to mend it.
  [[nodiscard]] virtual std::string complaint(const std::string& digest, const Flaw& flaw) const = 0;
};

struct OpenedTier {
  Trust trust = Trust::refused;  ///< missing: it may be there later
  std::unique_ptr<Tier> tier = {};
};

/// A read-only tier of what is at the path, a directory or a bundle. Refusals are reported to `log`.
[[nodiscard]] OpenedTier open_read_only_tier(const std::string& path, const Log& log);

}  // namespace kiln::cache
