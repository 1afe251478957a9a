// mkostemp would make every file 0600: what the umask leaves of a mode only open(2) can tell, without changing the umask.
#include "base/temporary_file.hpp"

#include <atomic>
#include <cerrno>
#include <ctime>

#include "base/file.hpp"

namespace kiln::base {

FileDescriptor open_temporary(int folder, const std::string& path, mode_t mode, std::string* name) {
  static std::atomic<unsigned> counter{0};
  // A killed process of the same number may have left its file, and on a shared disk another host's may be writing.
  for (int attempt = 0; attempt < 100; ++attempt) {
    struct timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    *name = path + std::string(kTemporaryMark) + std::to_string(::getpid()) + "-" + std::to_string(counter++) + "-" +
            std::to_string(now.tv_nsec);
    FileDescriptor file =
        FileDescriptor::open_at(folder, name_in(folder, *name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (file || errno != EEXIST) return file;
  }
  return {};
}

}  // namespace kiln::base
