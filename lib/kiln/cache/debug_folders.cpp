#include "cache/debug_folders.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.hpp"
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

// Writes the file, and the folders on the way to it. False where that cannot be done.
bool write(const Folder& folder, const fs::path& path, const std::string& text) {
  std::vector<Folder> opened;
  const Folder* last = &folder;
  for (const fs::path& step : path.parent_path()) {
    opened.push_back(last->make(step.native()));
    last = &opened.back();
    if (!*last) return false;
  }
  const std::string name = path.filename();
  if (base::file_holds(name, text, last->get())) return true;
  return !base::publish_file(name, text, {.mode = 0600, .sync = false, .folder = last->get()});
}

}  // namespace

std::string debug_folder_of(const Folder& root, std::string_view digest) {
  return fmt::format("{}/{}/{}", root.path(), kDebugFolder, digest);
}

bool write_debug_folder(const Folder& root, std::string_view digest, const std::map<std::string, std::string>& files) {
  const Folder all = root.make(kDebugFolder);
  const Folder folder = all ? all.make(digest) : Folder();
  if (!folder) return false;
  for (const auto& [name, text] : files) {
    if (stays_within(name) && !write(folder, fs::path(name).lexically_normal(), text)) return false;
  }
  return true;
}

void remove_debug_folder(const Folder& root, std::string_view digest) {
  if (digest.size() != kDigestDigits || !is_hex(digest)) return;
  const Folder all = root.open(kDebugFolder);
  if (!all || !all.open(digest)) return;
  std::error_code ignored;
  fs::remove_all(fmt::format("/proc/self/fd/{}/{}", all.get(), digest), ignored);  // follows no links below that name
}

void remove_stale_debug_folders(const Folder& root, std::time_t now) {
  const Folder all = root.open(kDebugFolder);
  if (!all) return;
  std::vector<std::string> stale;
  all.list([&](const char* name) {
    const std::string digest = name;
    struct stat status{};
    if (digest.size() != kDigestDigits || !is_hex(digest) || ::fstatat(all.get(), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return;
    }
    if (status.st_mtime > now - kStaleSeconds && status.st_mtime < now + kStaleSeconds) return;
    const std::string path = entry_path(digest);
    const Folder shard = open_folder_of(root, path);
    if (!shard || ::faccessat(shard.get(), base::name_in(shard.get(), path), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
      stale.push_back(digest);
    }
  });
  for (const std::string& digest : stale) remove_debug_folder(root, digest);
}

}  // namespace kiln::cache
