// The estimate's file, and the sweep over the directory.
#include "cache/eviction.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <memory>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"

namespace kiln::cache {
namespace {

constexpr std::uint64_t kPutsBetweenSweeps = 1000;
constexpr std::time_t kStaleSeconds = 3600;

struct Usage {
  std::uint64_t bytes = 0;
  std::uint64_t puts = 0;
};

base::FileDescriptor open_usage(const std::string& directory) {
  return base::FileDescriptor::open(directory + "/" + kUsageFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
}

// The estimate is locked for microseconds; whoever holds it longer was stopped, and is not waited for. An estimate changed
// without the lock may lose a put, which a later sweep mends.
void lock_briefly(int fd) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

bool read_usage(int fd, Usage* usage) {
  std::array<char, 64> text{};
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  if (size <= 0) return false;
  const char* const end = text.data() + size;
  const auto bytes = std::from_chars(text.data(), end, usage->bytes);
  if (bytes.ec != std::errc{} || bytes.ptr == end || *bytes.ptr != ' ') return false;
  const auto puts = std::from_chars(bytes.ptr + 1, end, usage->puts);
  return puts.ec == std::errc{} && puts.ptr != end && *puts.ptr == '\n';
}

void write_usage(int fd, const Usage& usage) {
  const std::string text = fmt::format("{} {}\n", usage.bytes, usage.puts);
  // A torn estimate reads as none, and the next put sweeps.
  if (::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) {
    if (::ftruncate(fd, static_cast<off_t>(text.size())) != 0) return;
  }
}

struct File {
  std::string path;
  std::uint64_t size = 0;
  bool damaged = false;
  timespec stamp{};

  // Damaged files go first, then the oldest.
  [[nodiscard]] auto rank() const { return std::tuple(!damaged, stamp.tv_sec, stamp.tv_nsec); }
};

template <typename Visit>
void for_each_file(const std::string& folder, Visit visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) return;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    struct stat status{};
    if (::fstatat(::dirfd(stream.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(status.st_mode)) visit(name, status);
  }
}

bool has_suffix(std::string_view name, std::string_view suffix) {
  return name.size() > suffix.size() && name.ends_with(suffix);
}

// Removes stale files on the way: only what has a name of ours, in case the user pointed us at a folder with other things.
std::vector<File> list_files(const std::string& directory) {
  const std::time_t stale = std::time(nullptr) - kStaleSeconds;
  std::vector<File> files;
  const auto collect = [&](const std::string& folder, bool damaged) {
    for_each_file(folder, [&](std::string_view name, const struct stat& status) {
      std::string path = folder + "/" + std::string(name);
      if (has_suffix(name, kEntrySuffix)) {
        files.push_back({std::move(path), static_cast<std::uint64_t>(status.st_size), damaged, status.st_mtim});
      } else if (name.find(std::string(kEntrySuffix) + std::string(base::kTemporaryMark)) != std::string_view::npos &&
                 status.st_mtime < stale) {
        ::unlink(path.c_str());
      }
    });
  };
  for (unsigned shard = 0; shard < 256; ++shard) collect(fmt::format("{}/{:02x}", directory, shard), false);
  collect(directory + "/" + kDamagedFolder, true);
  const std::string locks = directory + "/" + kLocksFolder;
  for_each_file(locks, [&](std::string_view name, const struct stat& status) {
    if (has_suffix(name, ".lock") && status.st_mtime < stale) ::unlink((locks + "/" + std::string(name)).c_str());
  });
  return files;
}

}  // namespace

bool add_to_usage(const std::string& directory, std::uint64_t bytes, std::uint64_t max_bytes) {
  const base::FileDescriptor file = open_usage(directory);
  if (!file) return false;
  lock_briefly(file.get());
  Usage usage;
  const bool known = read_usage(file.get(), &usage);
  usage.bytes = usage.bytes + bytes < bytes ? UINT64_MAX : usage.bytes + bytes;
  ++usage.puts;
  if (known) write_usage(file.get(), usage);
  (void)::flock(file.get(), LOCK_UN);
  return !known || usage.bytes > max_bytes || usage.puts >= kPutsBetweenSweeps;
}

Swept sweep(const std::string& directory, std::uint64_t max_bytes) {
  // A file of its own: the estimate's lock must stay short for the others.
  const base::FileDescriptor turn =
      base::FileDescriptor::open(directory + "/sweep.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (!turn) return {};
  if (::flock(turn.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return {};
  std::vector<File> files = list_files(directory);
  Swept swept;
  for (const File& file : files) swept.bytes_left += file.size;
  if (swept.bytes_left > max_bytes) {
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.rank() < b.rank(); });
    const std::uint64_t enough = max_bytes - max_bytes / 10;
    for (const File& file : files) {
      if (swept.bytes_left <= enough || (!file.damaged && &file == &files.back())) break;
      if (::unlink(file.path.c_str()) != 0) continue;
      swept.bytes_left -= file.size;
      ++swept.removed;
    }
  }
  if (const base::FileDescriptor usage = open_usage(directory)) write_usage(usage.get(), {swept.bytes_left, 0});
  ::flock(turn.get(), LOCK_UN);
  return swept;
}

}  // namespace kiln::cache
