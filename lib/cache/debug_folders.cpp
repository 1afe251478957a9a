#include "cache/debug_folders.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "cache/directory.hpp"
#include "cache/folder.hpp"
#include "cache/names.hpp"
#include "cache/walk.hpp"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

bool stays_within(const fs::path& path) {
  const fs::path plain = path.lexically_normal();
  return plain.is_relative() && plain.has_filename() && *plain.begin() != ".." &&
         plain.native().find('\0') == std::string::npos;
}

/// A path to what is in the folder that no symbolic link leads away from.
std::string path_below(const base::FileDescriptor& folder, std::string_view name) {
  return fmt::format("/proc/self/fd/{}/{}", folder.get(), name);
}

}  // namespace

std::string write_debug_folder(const std::string& directory, std::string_view digest,
                               const std::map<std::string, std::string>& files) {
  std::string folder = fmt::format("{}/{}/{}", directory, kDebugFolder, digest);
  if (make_directories(folder) != 0 || check_own_directory(folder).trust != Trust::trusted) return {};
  for (const auto& [name, text] : files) {
    if (!stays_within(name)) continue;
    const std::string path = folder + '/' + name;
    if (base::file_holds(path, text)) continue;
    if (make_directories(fs::path(path).parent_path()) != 0) return {};
    if (base::publish_file(path, text, {.mode = 0600, .sync = false})) return {};
  }
  return folder;
}

void remove_debug_folder(const std::string& directory, std::string_view digest) {
  const base::FileDescriptor folder = open_folder(directory, kDebugFolder);
  if (!folder || digest.size() != kDigestDigits || !is_hex(digest)) return;
  std::error_code ignored;
  fs::remove_all(path_below(folder, digest), ignored);
}

void remove_stale_debug_folders(const std::string& directory, std::time_t now) {
  base::FileDescriptor folder = open_folder(directory, kDebugFolder, O_RDONLY);
  if (!folder) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(folder.get()), ::closedir);
  if (stream == nullptr) return;
  const int fd = folder.release();
  std::vector<std::string> stale;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string digest = entry->d_name;
    struct stat status{};
    if (digest.size() != kDigestDigits || !is_hex(digest) || ::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (status.st_mtime > now - kStaleSeconds && status.st_mtime < now + kStaleSeconds) continue;
    if (::faccessat(AT_FDCWD, fmt::format("{}/{}", directory, entry_path(digest)).c_str(), F_OK, 0) != 0) {
      stale.push_back(digest);
    }
  }
  for (const std::string& digest : stale) remove_debug_folder(directory, digest);
}

}  // namespace kiln::cache
