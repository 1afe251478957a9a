#include "files/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/file.hpp"
#include "base/permissions.hpp"
#include "kiln/error.hpp"

namespace kiln::detail {

namespace fs = std::filesystem;
using base::FileDescriptor;

NewFile::NewFile(const fs::path& path) : NewFile(path.string(), base::output_target(path.string())) {}

NewFile::NewFile(std::string shown, const base::OutputTarget& target) : shown_(std::move(shown)), target_(target.path) {
  if (!target.refusal.empty()) fail(target.refusal, 0);
  static std::atomic<unsigned> counter{0};
  constexpr int kAttempts = 100;  // names that a killed process of the same number left behind
  for (int attempt = 0; attempt < kAttempts && !file_; ++attempt) {
    // Not longer than the target's own name may be: that may have all the bytes that a name can have.
    const std::string name =
        ".kiln" + std::string(base::kTemporaryMark) + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    name_ = (fs::path(target_).parent_path() / name).string();
    file_ = FileDescriptor::open(name_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, target.permissions ? S_IRUSR | S_IWUSR : 0666);
    if (!file_ && errno != EEXIST) break;
  }
  if (!file_) fail("cannot create a file in its folder", errno);
  if (!target.permissions) return;
  if (const int code = base::give_permissions(file_.get(), *target.permissions)) fail("cannot set its mode", code);
}

NewFile::~NewFile() {
  if (!published_) ::unlink(name_.c_str());
}

void NewFile::write(const char* data, std::size_t size) {
  constexpr std::size_t kOneCall = std::size_t{1} << 30;  // Linux moves at most 2 GiB - 4 KiB a call
  while (size > 0) {
    const ssize_t written = ::write(file_.get(), data, std::min(size, kOneCall));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EFAULT) fail("its array is in a file that became shorter", 0);
    if (written < 0) fail("cannot write", errno);
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

void NewFile::reserve(std::size_t size) {
  int code = 0;
  do {
    code = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(size));
  } while (code == EINTR);
  if (code == EINVAL || code == EOPNOTSUPP) code = ::ftruncate(file_.get(), static_cast<off_t>(size)) == 0 ? 0 : errno;
  if (code != 0) fail("cannot make it " + std::to_string(size) + " bytes long", code);
}

void NewFile::publish() {
  // Some file systems have no fsync; their files are as safe as they get.
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOTSUP) fail("cannot write", errno);
  if (::close(file_.release()) != 0 && errno != EINTR) fail("cannot write", errno);
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail("cannot rename a new file to it", errno);
  published_ = true;
}

void NewFile::fail(std::string what, int code) {
  // The destructor does not run for a constructor that throws.
  if (file_) ::unlink(name_.c_str());
  if (code != 0) what += ": " + base::errno_text(code);
  throw IoError("failed to write \"" + shown_ + "\": " + what);
}

}  // namespace kiln::detail
