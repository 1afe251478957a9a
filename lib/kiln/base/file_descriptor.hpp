// An open file descriptor and its owner.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace kiln::base {

/// Closes what it owns. Move-only.
class FileDescriptor {
 public:
  FileDescriptor() noexcept = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  /// open(2), not inherited by exec and restarted after signals; errno stays set where the result is empty.
  [[nodiscard]] static FileDescriptor open(const std::string& path, int flags, mode_t mode = 0) noexcept {
    return open_at(AT_FDCWD, path.c_str(), flags, mode);
  }
  /// The same below a folder's descriptor.
  [[nodiscard]] static FileDescriptor open_at(int folder, const char* path, int flags, mode_t mode = 0) noexcept {
    int fd = -1;
    do {
      fd = ::openat(folder, path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return FileDescriptor(fd);
  }

  /// Another descriptor of the same open file, not inherited by exec; errno stays set where the result is empty.
  [[nodiscard]] FileDescriptor duplicate() const noexcept { return FileDescriptor(::fcntl(fd_, F_DUPFD_CLOEXEC, 0)); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// What openat(2) and its like take for the file of that path, whose folder is open: its last name; all of the path with
/// AT_FDCWD.
inline const char* name_in(int folder, const std::string& path) noexcept {
  const std::size_t slash = folder == AT_FDCWD ? std::string::npos : path.rfind('/');
  return slash == std::string::npos ? path.c_str() : path.c_str() + slash + 1;
}

/// Whether the open file is the one that has that name in the folder; false where neither is known.
inline bool is_named(int fd, int folder, const char* name) noexcept {
  struct stat open{};
  struct stat named{};
  return ::fstat(fd, &open) == 0 && ::fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace kiln::base
