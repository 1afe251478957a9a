// Directory names from the environment, and their owners and modes.
#include "cache/directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/byte_count.hpp"
#include "base/fault_point.hpp"
#include "base/file.hpp"

namespace kiln::cache {
namespace {

std::vector<std::string> split_paths(const std::string& text) {
  std::vector<std::string> paths;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    if (end > start) paths.push_back(absolute_path(text.substr(start, end - start)));
    start = end + 1;
  }
  return paths;
}

constexpr std::string_view kAnotherDirectory = "set KILN_CACHE_DIR to a directory of your own";

Verdict refuse(int code) {
  return {.reason = fmt::format("{}; {}", base::errno_text(code), kAnotherDirectory)};
}

}  // namespace

std::string absolute_path(std::string path) {
  if (path.empty()) return path;
  if (path.front() != '/') {
    std::error_code error;
    const std::filesystem::path here = std::filesystem::current_path(error);
    if (error) return {};
    path = (here / path).string();
  }
  // lstat("link/") would look at the link's target.
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Settings read_settings(const std::function<std::optional<std::string>(const char*)>& env) {
  Settings settings;
  const auto own = env("KILN_CACHE_DIR");
  const auto xdg = env("XDG_CACHE_HOME");
  const auto home = env("HOME");
  if (own) {
    settings.directory = absolute_path(*own);
    settings.named = !own->empty();
  } else if (xdg && !xdg->empty() && xdg->front() == '/') {  // the XDG specification: relative paths are to be ignored
    settings.directory = absolute_path(*xdg + "/kiln");
  } else if (home && !home->empty()) {
    settings.directory = absolute_path(*home + "/.cache/kiln");
  } else {
    settings.note =
        "no directory for the kernel cache: none of KILN_CACHE_DIR, XDG_CACHE_HOME and HOME is set; kernels are kept in memory "
        "only; set KILN_CACHE_DIR to a directory of your own";
  }
  settings.read_only_directories = split_paths(env("KILN_CACHE_READONLY_DIRS").value_or(""));
  if (const auto bound = env("KILN_CACHE_MAX_BYTES"); bound && !bound->empty()) {
    if (const auto bytes = base::parse_bytes(*bound)) {
      settings.max_bytes = *bytes;
    } else {
      settings.complaints.push_back(fmt::format(
          "KILN_CACHE_MAX_BYTES is \"{}\", which is no number of bytes; the bound is 1G; write it as 1000000, 500M or 2G",
          *bound));
    }
  }
  return settings;
}

Verdict open_own_directory(const std::string& path) {
  struct stat named{};
  if (::lstat(path.c_str(), &named) != 0) {
    if (errno == ENOENT) return {.trust = Trust::missing};
    return refuse(errno);
  }
  const uid_t self = ::geteuid();
  if (S_ISLNK(named.st_mode) && named.st_uid != self && named.st_uid != 0) {
    return {.reason = fmt::format("it is a symbolic link that belongs to user {}, not to user {}, who runs this process; {}",
                                  named.st_uid, self, kAnotherDirectory)};
  }
  Refusal refusal;
  Folder folder = Folder::open_root(path, {.self = true}, &refusal);
  if (folder) return {.trust = Trust::trusted, .owner = self, .folder = std::move(folder)};
  if (S_ISLNK(named.st_mode) && (refusal.code == ENOENT || refusal.code == ELOOP)) {
    return {.reason = fmt::format("it is a symbolic link that leads nowhere ({}); to mend it: rm {}",
                                  base::errno_text(refusal.code), path)};
  }
  if (refusal.code == ENOTDIR) {
    return {.reason = fmt::format("it is not a directory; remove it or {}", kAnotherDirectory)};
  }
  if (refusal.code == ENOENT) return {.trust = Trust::missing};  // since
  if (refusal.code != 0) return refuse(refusal.code);
  const bool writable = refusal.mend.starts_with("chmod");
  return {.reason = fmt::format("it {}; {}", refusal.why,
                                writable ? fmt::format("to mend it: chmod 700 {}", path) : std::string(kAnotherDirectory))};
}

Verdict check_read_only_tier(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {.trust = Trust::missing};
    return {.reason = base::errno_text(errno) + "; take it out of KILN_CACHE_READONLY_DIRS"};
  }
  if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) {
    return {.reason = "it is neither a directory nor a bundle; take it out of KILN_CACHE_READONLY_DIRS"};
  }
  if ((status.st_mode & 022U) != 0) {
    return {.reason = fmt::format("it can be written by others (mode {:04o}); to mend it: chmod {}go-w {}",
                                  status.st_mode & 07777U, S_ISDIR(status.st_mode) ? "-R " : "", path)};
  }
  return {.trust = Trust::trusted, .owner = status.st_uid};
}

int make_directories(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) {
    base::fault_point("mkdir");
    return 0;
  }
  if (errno == EEXIST) return 0;
  if (errno != ENOENT) return errno;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return ENOENT;
  if (const int code = make_directories(path.substr(0, slash))) return code;
  if (::mkdir(path.c_str(), 0700) != 0) return errno == EEXIST ? 0 : errno;
  base::fault_point("mkdir");
  return 0;
}

}  // namespace kiln::cache
