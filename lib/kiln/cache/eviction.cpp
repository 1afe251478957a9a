// The estimate's file, and the sweep over the directory.
#include "cache/eviction.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fault_point.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "cache/debug_folders.hpp"
#include "cache/folder.hpp"
#include "cache/walk.hpp"

namespace kiln::cache {
namespace {

// A sweep of 100,000 entries holds its put up for seconds. Where the estimate is far below the bound, what it may be wrong by
// does not matter so soon.
constexpr std::uint64_t kPutsBetweenSweeps = 1000;
constexpr std::uint64_t kPutsFarBelowBound = 100'000;
constexpr std::int64_t kStampSlackSeconds = 600;  // hosts on a network differ by less

struct Usage {
  std::uint64_t bytes = 0;
  std::uint64_t puts = 0;
};

base::FileDescriptor open_usage(const Folder& root, Refusal* why = nullptr) {
  return root.open_file(kUsageFile, O_RDWR | O_CREAT, why).file;
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
    base::fault_point("usage:written");
    if (::ftruncate(fd, static_cast<off_t>(text.size())) != 0) return;
    base::fault_point("usage:truncated");
  }
}

struct File {
  std::string path;
  std::uint64_t size = 0;   ///< with that of what was measured for it
  std::string tuning = {};  ///< the path of that; empty: there is none
  bool damaged = false;
  bool entry = true;  ///< else what was measured for one that is gone
  timespec stamp{};

  // Damaged files go first, then the oldest.
  [[nodiscard]] auto rank() const { return std::tuple(!damaged, stamp.tv_sec, stamp.tv_nsec); }
};

// What was measured for an entry goes with it, and alone where there is no entry.
void add_tunings(std::vector<File>& files, std::vector<File> tunings) {
  if (tunings.empty()) return;
  std::unordered_map<std::string, File*> by_digest;
  files.reserve(files.size() + tunings.size());  // no growth below: addresses are taken
  for (File& file : files) {
    if (!file.damaged) by_digest[digest_of_path(file.path)] = &file;
  }
  for (File& tuning : tunings) {
    const auto entry = by_digest.find(digest_of_path(tuning.path));
    if (entry == by_digest.end()) {
      files.push_back(std::move(tuning));
      continue;
    }
    entry->second->size += tuning.size;
    entry->second->tuning = std::move(tuning.path);
  }
}

// Entries, oldest first. Removes what was left behind on the way.
std::vector<File> list_files(const Folder& root, std::time_t now, std::string* failure) {
  std::vector<File> files;
  std::vector<File> tunings;
  const int code = walk(root, [&](const CacheFile& file) {
    timespec stamp = file.status.st_mtim;
    const std::int64_t age = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(stamp.tv_sec);
    if (file.kind == NameKind::entry || file.kind == NameKind::tuning) {
      if (age < -kStampSlackSeconds) {
        if (const Folder folder = open_folder_of(root, file.path)) {
          ::utimensat(folder.get(), base::name_in(folder.get(), file.path), nullptr, AT_SYMLINK_NOFOLLOW);
        }
        stamp = {now, 0};
      }
      (file.kind == NameKind::entry ? files : tunings)
          .push_back({.path = file.path,
                      .size = static_cast<std::uint64_t>(file.status.st_size),
                      .damaged = file.damaged,
                      .entry = file.kind == NameKind::entry,
                      .stamp = stamp});
    } else if (age > kStaleSeconds || age < -kStaleSeconds) {
      if (const LeftBehind left(root, file, now); left) remove_file(root, file.path);
    }
  });
  if (code != 0) *failure = fmt::format("cannot read the cache directory {}: {}", root.path(), base::errno_text(code));
  add_tunings(files, std::move(tunings));
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.rank() < b.rank(); });
  return files;
}

}  // namespace

bool add_to_usage(const Folder& root, std::uint64_t bytes, std::uint64_t max_bytes, Refusal* why) {
  const base::FileDescriptor file = open_usage(root, why);
  if (!file) return true;
  base::fault_point("usage:opened");
  lock_briefly(file.get());
  base::fault_point("usage:locked");
  Usage usage;
  const bool known = read_usage(file.get(), &usage);
  usage.bytes = usage.bytes + bytes < bytes ? UINT64_MAX : usage.bytes + bytes;
  ++usage.puts;
  if (known) write_usage(file.get(), usage);
  (void)::flock(file.get(), LOCK_UN);
  base::fault_point("usage:unlocked");
  const std::uint64_t patience = usage.bytes > max_bytes / 2 ? kPutsBetweenSweeps : kPutsFarBelowBound;
  return !known || usage.bytes > max_bytes || usage.puts >= patience;
}

void set_usage(const Folder& root, std::uint64_t bytes) {
  if (const base::FileDescriptor usage = open_usage(root)) write_usage(usage.get(), {bytes, 0});
}

Swept remove_entries(const Folder& root, const Limits& limits) {
  const std::time_t now = disk_time(root);
  Swept swept;
  const std::vector<File> files = list_files(root, now, &swept.failure);
  base::fault_point("sweep:listed");
  for (const File& file : files) swept.bytes_left += file.size;
  const bool too_many = limits.max_bytes && swept.bytes_left > *limits.max_bytes;
  const std::uint64_t enough = !too_many ? UINT64_MAX : limits.enough.value_or(*limits.max_bytes);
  for (const File& file : files) {
    const bool old = limits.older_than && now - file.stamp.tv_sec > limits.older_than->count();
    const bool newest = limits.keep_newest && !file.damaged && &file == &files.back();
    if (newest || (!limits.everything && !old && swept.bytes_left <= enough)) continue;
    int code = file.tuning.empty() ? 0 : remove_file(root, file.tuning);
    if (code == 0) code = remove_file(root, file.path);
    if (code != 0) {
      if (swept.failure.empty()) {
        swept.failure = fmt::format("cannot remove {}/{}: {}", root.path(), file.path, base::errno_text(code));
      }
      continue;
    }
    base::fault_point("sweep:removed");
    remove_debug_folder(root, digest_of_path(file.path));
    swept.bytes_left -= file.size;
    swept.removed_bytes += file.size;
    if (file.entry) ++swept.removed;
  }
  remove_stale_debug_folders(root, now);
  set_usage(root, swept.bytes_left);
  base::fault_point("sweep:counted");
  return swept;
}

Swept sweep(const Folder& root, std::uint64_t max_bytes) {
  // A file of its own: the estimate's lock must stay short for the others. The bound holds without it, too.
  const base::FileDescriptor turn = root.open_file(kSweepFile, O_RDWR | O_CREAT).file;
  if (turn && ::flock(turn.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return {};
  base::fault_point("sweep:locked");
  Swept swept = remove_entries(root, {.max_bytes = max_bytes, .enough = max_bytes - max_bytes / 10, .keep_newest = true});
  if (turn) ::flock(turn.get(), LOCK_UN);
  base::fault_point("sweep:unlocked");
  return swept;
}

}  // namespace kiln::cache
