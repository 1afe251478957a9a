// mkostemp would make every file 0600: what the umask leaves of a mode only open(2) can tell, without changing the umask.
#include "base/temporary_file.hpp"

#include <sys/file.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "base/fault_point.hpp"
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

FileDescriptor open_locked_temporary(int folder, const std::string& path, mode_t mode, std::string* name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    FileDescriptor file = open_temporary(folder, path, mode, name);
    if (!file) return file;
    fault_point("publish:created");
    // Between the two steps the file looked like one of a process that died: whoever cleans up may hold its lock now, or have
    // removed it.
    const bool taken = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    const char* const last = name_in(folder, *name);
    if (!taken && is_named(file.get(), folder, last)) return file;
    ::unlinkat(folder, last, 0);
  }
  errno = EWOULDBLOCK;
  return {};
}

}  // namespace kiln::base
