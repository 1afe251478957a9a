#include "cache/walk.hpp"

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace kiln::cache {
namespace {

int walk_folder(const Folder& root, std::string_view folder, const std::function<void(const CacheFile&)>& visit) {
  Refusal why;
  const Folder opened = root.open(folder, &why);
  if (!opened) return why.absent() || why.occupied() ? 0 : why.code;
  CacheFile file;
  return opened.list([&](const char* name) {
    file.kind = classify_name(folder, name);
    if (file.kind == NameKind::foreign || ::fstatat(opened.get(), name, &file.status, AT_SYMLINK_NOFOLLOW) != 0) return;
    file.damaged = folder == kDamagedFolder;
    file.path.assign(folder).append("/").append(name);
    visit(file);
  });
}

// The shards, and what follows them.
std::string folder_name(unsigned folder) {
  if (folder < kShards) return fmt::format("{:02x}", folder);
  return std::string(folder == kShards ? kDamagedFolder : kLocksFolder);
}

}  // namespace

int walk(const Folder& root, const std::function<void(const CacheFile&)>& visit) {
  int first = 0;
  for (unsigned folder = 0; folder < kFolders; ++folder) {
    const int code = walk_folder(root, folder_name(folder), visit);
    if (first == 0) first = code;
  }
  return first;
}

int walk_in_parallel(const Folder& root, const std::function<void(unsigned, const CacheFile&)>& visit) {
  std::array<int, kFolders> codes{};
  const auto look = [&](unsigned folder) {
    codes[folder] = walk_folder(root, folder_name(folder), [&](const CacheFile& file) { visit(folder, file); });
  };
  for_each_shard(look);
  for (unsigned folder = kShards; folder < kFolders; ++folder) look(folder);
  const auto first = std::find_if(codes.begin(), codes.end(), [](int code) { return code != 0; });
  return first == codes.end() ? 0 : *first;
}

int remove_file(const Folder& root, const std::string& path) {
  Refusal why;
  const Folder folder = open_folder_of(root, path, &why);
  if (!folder) return why.absent() ? 0 : why.code != 0 ? why.code : EPERM;
  if (::unlinkat(folder.get(), base::name_in(folder.get(), path), 0) == 0) return 0;
  return errno == ENOENT ? 0 : errno;
}

LeftBehind::LeftBehind(const Folder& root, const CacheFile& file, std::time_t now) {
  if (!S_ISREG(file.status.st_mode)) {
    left_behind_ = true;
    return;
  }
  const Folder folder = open_folder_of(root, file.path);
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

std::time_t disk_time(const Folder& root) {
  const OpenedFile opened = root.open_file(kSweepFile, O_RDWR | O_CREAT);
  struct stat status{};
  const int file = opened.file.get();
  if (opened && ::futimens(file, nullptr) == 0 && ::fstat(file, &status) == 0) return status.st_mtime;
  return std::time(nullptr);
}

}  // namespace kiln::cache
