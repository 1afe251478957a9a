// Whose a file is, and who may do what with it: what stays when a new file takes the place of an old one.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

namespace kiln::base {

struct Permissions {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0600;  ///< the bits of rwxrwxrwx
};

[[nodiscard]] Permissions permissions_of(const struct stat& status) noexcept;

/// Gives them to an open file, as far as this process may: where it cannot give the group, what the group might do is cut down
/// to what everybody might. 0, or errno where the mode cannot be set.
[[nodiscard]] int give_permissions(int fd, const Permissions& permissions) noexcept;

}  // namespace kiln::base
