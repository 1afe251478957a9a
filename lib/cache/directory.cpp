// Directory names from the environment, and their owners and modes.
#include "cache/directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

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

// Not of the path's making: the same look may succeed later.
bool is_passing(int code) {
  return code == EIO || code == ESTALE || code == EINTR || code == EAGAIN || code == ENOMEM || code == ETIMEDOUT;
}

Verdict refuse_others_writing(const std::string& path, mode_t mode) {
  return {Trust::refused,
          fmt::format("it can be written by others (mode {:04o}); to mend it: chmod 700 {}", mode & 07777U, path)};
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
    if (own->empty()) return settings;
  } else if (xdg && !xdg->empty() && xdg->front() == '/') {  // the XDG specification: relative paths are to be ignored
    settings.directory = absolute_path(*xdg + "/kiln");
  } else if (home && !home->empty()) {
    settings.directory = absolute_path(*home + "/.cache/kiln");
  } else {
    settings.complaints.emplace_back(
        "no directory for the kernel cache: none of KILN_CACHE_DIR, XDG_CACHE_HOME and HOME is set; kernels are kept in memory "
        "only; set KILN_CACHE_DIR to a directory of your own");
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

Verdict check_own_directory(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {Trust::missing, {}};
    const int code = errno;
    return {Trust::refused, fmt::format("{}; set KILN_CACHE_DIR to a directory of your own", base::errno_text(code)),
            is_passing(code)};
  }
  const uid_t self = ::geteuid();
  if (S_ISLNK(status.st_mode)) {
    if (status.st_uid != self && status.st_uid != 0) {
      return {Trust::refused,
              fmt::format("it is a symbolic link that belongs to user {}, not to user {}, who runs this process; set "
                          "KILN_CACHE_DIR to a directory of your own",
                          status.st_uid, self)};
    }
    if (::stat(path.c_str(), &status) != 0) {
      return {Trust::refused,
              fmt::format("it is a symbolic link that leads nowhere ({}); to mend it: rm {}", base::errno_text(errno), path)};
    }
  }
  if (!S_ISDIR(status.st_mode)) {
    return {Trust::refused, "it is not a directory; remove it or set KILN_CACHE_DIR to a directory of your own"};
  }
  if (status.st_uid != self) {
    return {Trust::refused, fmt::format("it belongs to user {}, not to user {}, who runs this process; set KILN_CACHE_DIR to a "
                                        "directory of your own",
                                        status.st_uid, self)};
  }
  if ((status.st_mode & 022U) != 0) return refuse_others_writing(path, status.st_mode);
  return {.trust = Trust::trusted, .owner = self};
}

Verdict check_read_only_tier(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {Trust::missing, {}};
    return {Trust::refused, base::errno_text(errno) + "; take it out of KILN_CACHE_READONLY_DIRS"};
  }
  if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) {
    return {Trust::refused, "it is neither a directory nor a bundle; take it out of KILN_CACHE_READONLY_DIRS"};
  }
  if ((status.st_mode & 022U) != 0) {
    return {Trust::refused, fmt::format("it can be written by others (mode {:04o}); to mend it: chmod {}go-w {}",
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
