// A file's bytes as memory. What the file has no longer when it is read (someone made it shorter) is zeros, and is told by
// check(): the signal that the system sends for it does not end the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "array/rep.hpp"
#include "base/file_descriptor.hpp"

namespace kiln::detail {

/// Mappings that have met something that was not there.
inline std::atomic<int> torn_files{0};

/// Thread-safe.
class MappedFile {
 public:
  /// The first `bytes` bytes of an open file, which has as many and may be closed then. IoError where they cannot be mapped,
  /// also where kMost files are. `shown` is the file's name, for messages.
  MappedFile(const base::FileDescriptor& file, std::string shown, std::size_t bytes, bool writable);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] char* data() const noexcept { return data_; }
  /// Waits until the disk has what was written. IoError where it has not taken it.
  void flush() const;
  /// IoError where something that was read, or written, was not there any more.
  void check() const;

  /// The one that the array lies in; null where it lies in none.
  [[nodiscard]] static const MappedFile* of(const ArrayRep& rep) noexcept;
  /// Its check().
  static void check(const ArrayRep& rep) {
    if (!any_torn()) [[likely]]
      return;
    if (const MappedFile* const file = of(rep)) file->check();
  }
  /// Whether check() of any mapping has something to say.
  [[nodiscard]] static bool any_torn() noexcept { return torn_files.load(std::memory_order_relaxed) != 0; }

  static constexpr std::size_t kMost = 4096;

 private:
  std::string shown_;
  std::size_t bytes_;
  char* data_ = nullptr;
  std::size_t slot_ = 0;
};

}  // namespace kiln::detail
