#include "base/output_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace kiln::base {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as Linux itself follows

// Link by link: realpath(3) has no answer where the last one's target is missing. Nothing for a circle.
std::optional<fs::path> follow_links(fs::path path) {
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code fault;
    const fs::path next = fs::read_symlink(path, fault);
    if (fault) return path;  // no link
    path = path.parent_path() / next;
  }
  return std::nullopt;
}

}  // namespace

OutputTarget output_target(const std::string& path) {
  OutputTarget target{.path = path, .permissions = {}, .refusal = {}};
  if (path.empty()) return target.refusal = "the path is empty", target;
  struct stat status{};
  const bool there = ::stat(path.c_str(), &status) == 0;
  // Before the links are read: those of /proc/self/fd, where /dev/stdout leads, are no paths.
  if (there && !S_ISREG(status.st_mode)) return target.refusal = "it is not a regular file", target;
  const std::optional<fs::path> end = follow_links(path);
  if (!end) return target.refusal = "its symbolic links lead in a circle", target;
  target.path = end->string();
  if (!there) return target;
  target.permissions = permissions_of(status);
  // A rename asks the folder alone, and would replace what its owner has protected.
  if (::faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0) {
    target.refusal =
        errno == EROFS ? "it is on a file system that is read-only" : "the file that is there may not be written to";
  }
  return target;
}

}  // namespace kiln::base
