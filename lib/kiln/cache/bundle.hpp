// A bundle: many entries in one portable file, found by their digests. Knows nothing of what is in an entry.
//
//   magic (8) · format version (4) · 0 (4)
//   the entries, one after another, in the order of the index
//   index: digest (16) · offset (8) · bytes (8) for each entry, by ascending digest
//   offset of the index (8) · number of entries (8) · XXH3-128 of the index and these two (16)
//   XXH3-128 of everything before it (16)
// Integers are little-endian. The index comes last so that a bundle is written in one pass.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "base/hash.hpp"
#include "base/pending_file.hpp"

namespace kiln::cache {

/// Where an entry lies in a bundle.
struct BundleItem {
  base::Hash128 digest{};
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Writes a bundle. Holds its index in memory, 32 bytes an entry. Failures are values: nothing is returned on success.
class BundleWriter {
 public:
  /// Mode 0644, less what the umask takes: other users can read it where that lets them, and only its owner can write it. A
  /// symbolic link keeps pointing: what it leads to is written. An error for what is no regular file, and for a file that may
  /// not be written to.
  [[nodiscard]] static std::optional<BundleWriter> create(const std::string& path, base::FileError* error);
  /// A bundle in memory, which take() gives.
  [[nodiscard]] static BundleWriter in_memory();
  /// The next entry: its digest is greater than that of the one before, its bytes neither none nor more than
  /// kMaxEntryBytes. An error otherwise.
  [[nodiscard]] std::optional<base::FileError> add(const base::Hash128& digest, std::string_view bytes);
  /// Writes the index and lets the file appear.
  [[nodiscard]] std::optional<base::FileError> finish();
  /// The bytes of a finished bundle in memory. Once.
  [[nodiscard]] std::string take() { return std::move(memory_); }
  /// Bytes written so far; of the whole file once it is finished.
  [[nodiscard]] std::uint64_t size() const noexcept { return file_ ? file_->size() : memory_.size(); }

 private:
  explicit BundleWriter(std::optional<base::PendingFile> file) : file_(std::move(file)) {}
  [[nodiscard]] std::optional<base::FileError> append(std::string_view bytes);

  std::optional<base::PendingFile> file_;  // nothing for a bundle in memory
  std::string memory_;
  base::Hasher128 hasher_;
  std::vector<BundleItem> items_;
};

/// An open bundle, which may be hostile: nothing is allocated but an entry that is asked for. Holds the file open, so that it
/// stays the same when another takes its name. Move-only; const members are thread-safe.
class Bundle {
 public:
  /// Checks the file's frame: header, and the index with its checksum, its order and its ranges. Reads no entry.
  [[nodiscard]] static std::optional<Bundle> open(const std::string& path, base::FileError* error);
  /// The same for the bytes of a bundle, which must outlive it; `name` stands for the path in messages.
  [[nodiscard]] static std::optional<Bundle> of_bytes(std::string_view bytes, const std::string& name, base::FileError* error);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }  ///< of the file
  [[nodiscard]] mode_t mode() const noexcept { return mode_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// The i-th by digest, i < count(). Nothing where the disk fails.
  [[nodiscard]] std::optional<BundleItem> item(std::uint64_t i, base::FileError* error) const;
  /// The number of the first one whose digest is not less; count() where all are less.
  [[nodiscard]] std::optional<std::uint64_t> lower_bound(const base::Hash128& digest, base::FileError* error) const;
  /// By binary search: about 17 small reads among 100,000 entries. Nothing with an empty error where it is not there.
  [[nodiscard]] std::optional<BundleItem> find(const base::Hash128& digest, base::FileError* error) const;
  /// An entry's bytes, as they lie there: whether they are sound is to be found out.
  [[nodiscard]] std::optional<std::string> read(const BundleItem& item, base::FileError* error) const;
  /// `bytes` of them, from `offset` within the entry on. An error where it has not so many.
  [[nodiscard]] std::optional<std::string> read_part(const BundleItem& item, std::uint64_t offset, std::uint64_t bytes,
                                                     base::FileError* error) const;

  /// Reads everything once: the checksum over all, and `check` for each entry, which says what is wrong with it or "". Memory:
  /// the largest entry.
  using Check = std::function<std::string(const BundleItem& item, std::string_view bytes)>;
  [[nodiscard]] std::optional<base::FileError> verify(const Check& check) const;

 private:
  explicit Bundle(std::string path, base::FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  [[nodiscard]] std::optional<base::FileError> read_frame();
  [[nodiscard]] std::optional<base::FileError> check_index(std::string_view footer) const;
  [[nodiscard]] std::optional<base::FileError> read_at(std::uint64_t offset, char* to, std::size_t bytes) const;
  [[nodiscard]] base::FileError damaged(std::string_view reason) const;

  std::string path_;
  base::FileDescriptor file_;  // empty for a bundle in memory
  std::string_view memory_;
  std::uint64_t size_ = 0;
  std::uint64_t index_ = 0;  // offset
  std::uint64_t count_ = 0;
  mode_t mode_ = 0;
};

}  // namespace kiln::cache
