// A file that is written in chunks and appears under its name whole or not at all. publish_file does the same for what is in
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"

namespace kiln::base {

/// Move-only; what is not published is removed. Failures are values: nothing is returned on success.
class PendingFile {
 public:
  /// Makes a temporary file beside `path`, with this mode as open(2) takes it: the umask applies.
  [[nodiscard]] static std::optional<PendingFile> create(const std::string& path, mode_t mode, FileError* error);
  PendingFile(PendingFile&& other) noexcept = default;
  PendingFile& operator=(PendingFile&&) = delete;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  [[nodiscard]] std::optional<FileError> append(std::string_view bytes);
  /// Syncs, and renames onto the path.
  [[nodiscard]] std::optional<FileError> publish();
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  PendingFile(std::string path, std::string temporary, FileDescriptor file);
  std::string path_;
  std::string temporary_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace kiln::base
