#include "base/permissions.hpp"

#include <unistd.h>

#include <cerrno>

namespace kiln::base {

Permissions permissions_of(const struct stat& status) noexcept {
  return {.owner = status.st_uid, .group = status.st_gid, .mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)};
}

int give_permissions(int fd, const Permissions& permissions) noexcept {
  constexpr auto kUnchanged = static_cast<uid_t>(-1);
  mode_t mode = permissions.mode;
  if (::fchown(fd, kUnchanged, permissions.group) != 0) mode &= ~static_cast<mode_t>(S_IRWXG) | ((mode & S_IRWXO) << 3);
  if (::fchmod(fd, mode) != 0) return errno;
  // Last: of a file that was given away the mode may be another's to set.
  [[maybe_unused]] const int given = ::fchown(fd, permissions.owner, kUnchanged);
  return 0;
}

}  // namespace kiln::base
