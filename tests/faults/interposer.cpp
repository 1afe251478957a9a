// Each function here has the name and the meaning of libc's, and calls that one unless it is told to fail. Descriptors are
// known by the path that they were opened with.
#include "interposer.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using kiln::faults::Fault;
using kiln::faults::Kind;

constexpr int kMaxFds = 4096;
constexpr int kMaxCalls = 4096;

std::array<char, 4096> folder{};
std::atomic<bool> watching{false};
std::atomic<int> count{0};
int struck = 0;
Fault fault{"", 0, Kind::error};
std::array<std::atomic<const char*>, kMaxCalls> names{};
std::array<std::atomic<int>, kMaxCalls> codes{};
std::atomic<int> strikes_{0};
thread_local int last = 0;  // number of this thread's call, until it has ended
std::array<std::atomic<bool>, kMaxFds> ours{};

bool below(const char* path) {
  const std::size_t length = std::strlen(folder.data());
  return path != nullptr && length != 0 && std::strncmp(path, folder.data(), length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

bool below(int fd) {
  return fd >= 0 && fd < kMaxFds && ours[static_cast<std::size_t>(fd)].load(std::memory_order_relaxed);
}

bool below(int directory, const char* path) {
  return path != nullptr && path[0] == '/' ? below(path) : below(directory);
}

enum class Verdict { pass, fail, half };

/// A server without locks, or on which each so many-th file is another one by now.
Verdict judge_nfs(const char* name, int n) {
  const bool locks = std::strcmp(name, "flock") == 0;
  if (locks && fault.code == 0) return Verdict::pass;
  const bool goes_stale = std::strstr(name, "open") != nullptr || std::strstr(name, "read") != nullptr;
  if (!locks && (!goes_stale || struck == 0 || n % struck != 0)) return Verdict::pass;
  errno = locks ? fault.code : ESTALE;
  ++strikes_;
  return Verdict::fail;
}

Verdict judge(const char* name, bool concerned) {
  last = 0;
  if (!concerned || !watching.load(std::memory_order_relaxed)) return Verdict::pass;
  const int n = ++count;
  last = n;
  if (n < kMaxCalls) names[static_cast<std::size_t>(n)] = name;
  if (fault.kind == Kind::nfs) return judge_nfs(name, n);
  if (struck == 0 || n < struck || (n > struck && fault.kind != Kind::error_onward)) return Verdict::pass;
  if (fault.kind == Kind::half) return Verdict::half;
  errno = fault.code;
  return Verdict::fail;
}

bool fails(const char* name, bool concerned) {
  return judge(name, concerned) == Verdict::fail;
}

// The result of the real function, remembered as what came of this thread's call.
template <typename Result>
Result settle(Result result, bool failed) {
  if (last > 0 && last < kMaxCalls && failed) codes[static_cast<std::size_t>(last)] = errno;
  return result;
}

int settle(int result) {
  return settle(result, result < 0);
}

ssize_t settle(ssize_t result) {
  return settle(result, result < 0);
}

template <typename Function>
Function* next(const char* name, std::atomic<void*>& known) {
  void* address = known.load(std::memory_order_relaxed);
  if (address == nullptr) {
    address = dlsym(RTLD_NEXT, name);
    known.store(address, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function*>(address);
}

int note(int fd, bool concerned) {
  if (fd >= 0 && fd < kMaxFds) ours[static_cast<std::size_t>(fd)].store(concerned, std::memory_order_relaxed);
  return fd;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

[[gnu::constructor]] void read_environment() {
  const char* text = std::getenv("KILN_FAULT");
  static std::array<char, 4096> path{};
  int n = 0;
  int code = 0;
  std::array<char, 4> onward{};
  if (text == nullptr || std::sscanf(text, "%4095[^:]:%d:%d:%3s", path.data(), &n, &code, onward.data()) < 3) return;
  kiln::faults::watch(path.data(), n, {"", code, std::strcmp(onward.data(), "on") == 0 ? Kind::error_onward : Kind::error});
}

}  // namespace

void kiln::faults::watch(const char* path, int n, const Fault& what) {
  watching = false;
  if (path == nullptr) return;
  count = 0;
  struck = n;
  fault = what;
  for (auto& name : names) name = nullptr;
  for (auto& code : codes) code = 0;
  std::snprintf(folder.data(), folder.size(), "%s", path);
  watching = true;
}

int kiln::faults::strikes() noexcept {
  return strikes_;
}

int kiln::faults::calls() noexcept {
  return count;
}

const char* kiln::faults::call_name(int n) noexcept {
  const char* name = n > 0 && n < kMaxCalls ? names[static_cast<std::size_t>(n)].load() : nullptr;
  return name == nullptr ? "" : name;
}

int kiln::faults::call_error(int n) noexcept {
  return n > 0 && n < kMaxCalls ? codes[static_cast<std::size_t>(n)].load() : 0;
}

// The real function of this name, looked up once.
#define KILN_NEXT(name)            \
  static std::atomic<void*> known; \
  auto* const real = next<decltype(name)>(#name, known)
// A function of these parameters that fails with -1.
#define KILN_INTERPOSE(result, name, parameters, arguments, concerned) \
  __attribute__((visibility("default"))) result name parameters {      \
    KILN_NEXT(name);                                                   \
    return fails(#name, concerned) ? -1 : settle(real arguments);      \
  }
// One that moves bytes, and may move fewer.
#define KILN_INTERPOSE_MOVE(name, parameters, arguments, half_arguments) \
  __attribute__((visibility("default"))) ssize_t name parameters {       \
    KILN_NEXT(name);                                                     \
    switch (judge(#name, below(fd))) {                                   \
      case Verdict::fail:                                                \
        return -1;                                                       \
      case Verdict::half:                                                \
        return settle(real half_arguments);                              \
      case Verdict::pass:                                                \
        break;                                                           \
    }                                                                    \
    return settle(real arguments);                                       \
  }
#define KILN_INTERPOSE_OPEN(name, parameters, arguments, concerned)      \
  __attribute__((visibility("default"))) int name parameters {           \
    KILN_NEXT(name);                                                     \
    va_list rest;                                                        \
    va_start(rest, flags);                                               \
    const mode_t mode = mode_of(flags, rest);                            \
    va_end(rest);                                                        \
    const bool here = concerned;                                         \
    return fails(#name, here) ? -1 : note(settle(real arguments), here); \
  }

extern "C" {

KILN_INTERPOSE_OPEN(open, (const char* path, int flags, ...), (path, flags, mode), below(path))
KILN_INTERPOSE_OPEN(open64, (const char* path, int flags, ...), (path, flags, mode), below(path))
KILN_INTERPOSE_OPEN(openat, (int at, const char* path, int flags, ...), (at, path, flags, mode), below(at, path))
KILN_INTERPOSE_OPEN(openat64, (int at, const char* path, int flags, ...), (at, path, flags, mode), below(at, path))

KILN_INTERPOSE_MOVE(read, (int fd, void* to, size_t size), (fd, to, size), (fd, to, (size + 1) / 2))
KILN_INTERPOSE_MOVE(write, (int fd, const void* from, size_t size), (fd, from, size), (fd, from, (size + 1) / 2))
KILN_INTERPOSE_MOVE(pread, (int fd, void* to, size_t size, off_t at), (fd, to, size, at), (fd, to, (size + 1) / 2, at))
KILN_INTERPOSE_MOVE(pread64, (int fd, void* to, size_t size, off64_t at), (fd, to, size, at), (fd, to, (size + 1) / 2, at))
KILN_INTERPOSE_MOVE(pwrite, (int fd, const void* from, size_t size, off_t at), (fd, from, size, at),
                    (fd, from, (size + 1) / 2, at))
KILN_INTERPOSE_MOVE(pwrite64, (int fd, const void* from, size_t size, off64_t at), (fd, from, size, at),
                    (fd, from, (size + 1) / 2, at))

KILN_INTERPOSE(int, fstat, (int fd, struct stat* to), (fd, to), below(fd))
KILN_INTERPOSE(int, stat, (const char* path, struct stat* to), (path, to), below(path))
KILN_INTERPOSE(int, lstat, (const char* path, struct stat* to), (path, to), below(path))
KILN_INTERPOSE(int, fstatat, (int at, const char* path, struct stat* to, int flags), (at, path, to, flags), below(at, path))
KILN_INTERPOSE(int, ftruncate, (int fd, off_t size), (fd, size), below(fd))
KILN_INTERPOSE(int, fsync, (int fd), (fd), below(fd))
KILN_INTERPOSE(int, fdatasync, (int fd), (fd), below(fd))
KILN_INTERPOSE(int, flock, (int fd, int operation), (fd, operation), below(fd))
KILN_INTERPOSE(int, rename, (const char* from, const char* to), (from, to), below(from) || below(to))
KILN_INTERPOSE(int, renameat, (int from_at, const char* from, int to_at, const char* to), (from_at, from, to_at, to),
               below(from_at, from) || below(to_at, to))
KILN_INTERPOSE(int, link, (const char* from, const char* to), (from, to), below(from) || below(to))
KILN_INTERPOSE(int, unlink, (const char* path), (path), below(path))
KILN_INTERPOSE(int, unlinkat, (int at, const char* path, int flags), (at, path, flags), below(at, path))
KILN_INTERPOSE(int, rmdir, (const char* path), (path), below(path))
KILN_INTERPOSE(int, mkdir, (const char* path, mode_t mode), (path, mode), below(path))
KILN_INTERPOSE(int, mkdirat, (int at, const char* path, mode_t mode), (at, path, mode), below(at, path))
KILN_INTERPOSE(int, futimens, (int fd, const timespec* times), (fd, times), below(fd))
KILN_INTERPOSE(int, utimensat, (int at, const char* path, const timespec* times, int flags), (at, path, times, flags),
               below(at, path))

// The descriptor is gone whether or not close() fails, as on Linux.
__attribute__((visibility("default"))) int close(int fd) {
  KILN_NEXT(close);
  const bool failing = fails("close", below(fd));
  const int code = errno;
  note(fd, false);
  const int result = real(fd);
  if (failing) errno = code;
  return failing ? -1 : result;
}

__attribute__((visibility("default"))) DIR* opendir(const char* path) {
  KILN_NEXT(opendir);
  const bool here = below(path);
  if (fails("opendir", here)) return nullptr;
  DIR* const stream = real(path);
  (void)settle(0, stream == nullptr);
  if (stream != nullptr) note(dirfd(stream), here);
  return stream;
}

__attribute__((visibility("default"))) DIR* fdopendir(int fd) {
  KILN_NEXT(fdopendir);
  return fails("fdopendir", below(fd)) ? nullptr : real(fd);
}

__attribute__((visibility("default"))) struct dirent* readdir(DIR* stream) {
  KILN_NEXT(readdir);
  return fails("readdir", below(dirfd(stream))) ? nullptr : real(stream);
}

__attribute__((visibility("default"))) int closedir(DIR* stream) {
  KILN_NEXT(closedir);
  note(dirfd(stream), false);
  return real(stream);
}

}  // extern "C"
