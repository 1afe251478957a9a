// The files of a cache directory that have one of kiln's names: nothing else is ever looked at or removed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>

#include "base/file_descriptor.hpp"
#include "cache/folder.hpp"
#include "cache/names.hpp"
#include "cache/shards.hpp"

namespace kiln::cache {

struct CacheFile {
  NameKind kind = NameKind::foreign;
  bool damaged = false;  ///< an entry that was set aside
  std::string path;      ///< within the directory: "3f/….kiln"
  struct stat status{};  ///< of the file itself, also where it is a symbolic link
};

/// Visits each, folder by folder, in no order within one; folders that are not this user's are left out. 0, or the errno of the
/// first folder that could not be read.
int walk(const Folder& root, const std::function<void(const CacheFile&)>& visit);

/// How many folders there are: the shards, and those of damaged entries and of locks.
inline constexpr unsigned kFolders = kShards + 2;

/// The same with several folders at once, each by one thread, which gets its number.
int walk_in_parallel(const Folder& root, const std::function<void(unsigned folder, const CacheFile&)>& visit);

/// Removes the file that walk() gave. 0, also where it is gone already, or errno.
int remove_file(const Folder& root, const std::string& path);

/// Whether the process that wrote a temporary file or holds a lock's file is gone: its lock can be had. Where the file system
/// has no locks: whether the file is older than an hour by `now`.
///
/// The lock is held as long as the result lives, so that nobody else gets it before the file is removed.
class LeftBehind {
 public:
  LeftBehind(const Folder& root, const CacheFile& file, std::time_t now);
  ~LeftBehind();
  LeftBehind(const LeftBehind&) = delete;
  LeftBehind& operator=(const LeftBehind&) = delete;

  [[nodiscard]] explicit operator bool() const noexcept { return left_behind_; }

 private:
  base::FileDescriptor locked_;
  bool left_behind_ = false;
};

/// What the file system's clock says, which stamps are compared with: another host's on a network, and not this process's where
/// that jumps. The system's where it cannot be asked.
[[nodiscard]] std::time_t disk_time(const Folder& root);

inline constexpr std::time_t kStaleSeconds = 3600;

}  // namespace kiln::cache
