#include "base/pending_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/temporary_file.hpp"

namespace kiln::base {
PendingFile::PendingFile(std::string path, std::string temporary, FileDescriptor file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}

PendingFile::~PendingFile() {
  if (file_) ::unlink(temporary_.c_str());
}

std::optional<PendingFile> PendingFile::create(const std::string& path, mode_t mode, FileError* error) {
  std::string temporary;
  FileDescriptor file = open_temporary(AT_FDCWD, path, mode, &temporary);
  if (!file) {
    *error = failure("create", path, errno);
    return std::nullopt;
  }
  return PendingFile(path, std::move(temporary), std::move(file));
}

std::optional<FileError> PendingFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return failure("write", path_, errno);
    }
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

std::optional<FileError> PendingFile::publish() {
  // Some file systems cannot fsync; their files are as safe as they get.
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOTSUP) return failure("sync", path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failure("rename onto", path_, errno);
  // After the rename, so that the destructor removes what could not be renamed. close(2) reports nothing that fsync did not.
  file_ = FileDescriptor();
  return std::nullopt;
}

}  // namespace kiln::base
