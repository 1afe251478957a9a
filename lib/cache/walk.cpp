#include "cache/walk.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "cache/folder.hpp"

namespace kiln::cache {
namespace {

int walk_folder(const std::string& directory, std::string_view folder, const std::function<void(const CacheFile&)>& visit) {
  base::FileDescriptor opened = open_folder(directory, folder, O_RDONLY);
  if (!opened) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : errno;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(opened.get()), ::closedir);
  if (stream == nullptr) return errno;
  const int fd = opened.release();
  CacheFile file;
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    file.kind = classify_name(folder, name);
    if (file.kind != NameKind::foreign && ::fstatat(fd, entry->d_name, &file.status, AT_SYMLINK_NOFOLLOW) == 0) {
      file.damaged = folder == kDamagedFolder;
      file.path.assign(folder).append("/").append(name);
      visit(file);
    }
    errno = 0;
  }
  return errno;
}

// The shards, and what follows them.
std::string folder_name(unsigned folder) {
  if (folder < kShards) return fmt::format("{:02x}", folder);
  return std::string(folder == kShards ? kDamagedFolder : kLocksFolder);
}

}  // namespace

int walk(const std::string& directory, const std::function<void(const CacheFile&)>& visit) {
  int first = 0;
  for (unsigned folder = 0; folder < kFolders; ++folder) {
    const int code = walk_folder(directory, folder_name(folder), visit);
    if (first == 0) first = code;
  }
  return first;
}

int walk_in_parallel(const std::string& directory, const std::function<void(unsigned, const CacheFile&)>& visit) {
  std::array<int, kFolders> codes{};
  const auto look = [&](unsigned folder) {
    codes[folder] = walk_folder(directory, folder_name(folder), [&](const CacheFile& file) { visit(folder, file); });
  };
  for_each_shard(look);
  for (unsigned folder = kShards; folder < kFolders; ++folder) look(folder);
  const auto first = std::find_if(codes.begin(), codes.end(), [](int code) { return code != 0; });
  return first == codes.end() ? 0 : *first;
}

int remove_file(const std::string& directory, const std::string& path) {
  const base::FileDescriptor folder = open_folder_of(directory, path);
  if (folder && ::unlinkat(folder.get(), base::name_in(folder.get(), path), 0) == 0) return 0;
  return errno == ENOENT ? 0 : errno;
}

LeftBehind::LeftBehind(const std::string& directory, const CacheFile& file, std::time_t now) {
  if (!S_ISREG(file.status.st_mode)) {
    left_behind_ = true;
    return;
  }
  const base::FileDescriptor folder = open_folder_of(directory, file.path);
  const char* const name = base::name_in(folder.get(), file.path);
  if (folder) locked_ = base::FileDescriptor::open_at(folder.get(), name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (locked_ && ::flock(locked_.get(), LOCK_EX | LOCK_NB) == 0) {
    left_behind_ = base::is_named(locked_.get(), folder.get(), name);  // else it was published or removed meanwhile
    return;
  }
  if (locked_ && errno == EWOULDBLOCK) return;
  const auto age = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(file.status.st_mtime);
  left_behind_ = std::abs(age) > kStaleSeconds;
}

LeftBehind::~LeftBehind() {
  if (locked_) (void)::flock(locked_.get(), LOCK_UN);  // a forked child may have the descriptor
}

std::time_t disk_time(const std::string& directory) {
  const std::string path = fmt::format("{}/{}", directory, kSweepFile);
  const auto file = base::FileDescriptor::open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat status{};
  if (file && ::futimens(file.get(), nullptr) == 0 && ::fstat(file.get(), &status) == 0) return status.st_mtime;
  return std::time(nullptr);
}

}  // namespace kiln::cache
