#include "clang/driver/scratch_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace kiln::clang_module {

ScratchFile::ScratchFile(std::string_view bytes) {
  open_file();
  while (error_.empty() && !bytes.empty()) {
    const ssize_t done = write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      fail("write");
    } else {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
  }
}

ScratchFile::~ScratchFile() {
  if (file_ >= 0) close(file_);
  if (on_disk_) unlink(path_.c_str());
}

void ScratchFile::open_file() {
  file_ = memfd_create("kiln-link", MFD_CLOEXEC);
  if (file_ >= 0) {
    path_ = "/proc/self/fd/" + std::to_string(file_);
    if (access(path_.c_str(), R_OK) == 0) return;
    close(file_);
  }
  const char* const folder = std::getenv("TMPDIR");
  path_ = std::string(folder != nullptr && *folder != 0 ? folder : "/tmp") + "/kiln-link-XXXXXX";
  file_ = mkostemp(path_.data(), O_CLOEXEC);
  on_disk_ = file_ >= 0;
  if (!on_disk_) fail("make");
}

void ScratchFile::fail(const char* what) {
  error_ = std::string("failed to ") + what + " " + path_ + ": " + std::strerror(errno);
}

}  // namespace kiln::clang_module
