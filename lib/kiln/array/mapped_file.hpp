// A file's bytes as memory. What the file has no longer when it is read (someone made it shorter) is zeros, and is reported by
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

  /// Hints to the system about the bytes that an array covers; nothing happens where it lies in no file. They cost a call of
  /// the system, and change no byte.
  /// @{
  /// It will be read soon: reading begins.
  static void will_need(const ArrayRep& rep) noexcept;
  /// It has been read or written, and will not be for long. Of a file that fills much of the memory its pages are given back;
  /// what was written to it is on its way to the disk, and what was written two chunks ago has arrived there.
  static void done_with(const ArrayRep& rep) noexcept;
  /// @}

  static constexpr std::size_t kMost = 4096;

 private:
  struct Range {
    std::size_t begin;  // bytes of the file
    std::size_t end;
  };
  [[nodiscard]] Range range_of(const ArrayRep& rep) const noexcept;

  base::FileDescriptor file_;  // of a writable one
  std::string shown_;
  std::size_t bytes_;
  char* data_ = nullptr;
  std::size_t slot_ = 0;
};

}  // namespace kiln::detail
