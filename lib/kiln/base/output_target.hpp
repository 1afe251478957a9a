// Which file a path means when something is written whole and renamed into place: a rename onto a symbolic link or a device
// would replace that itself.
#pragma once

#include <optional>
#include <string>

#include "base/permissions.hpp"

namespace kiln::base {

struct OutputTarget {
  std::string path;                        ///< where to rename to: what symbolic links lead to, which need not be there
  std::optional<Permissions> permissions;  ///< of the file that will be replaced; none where there is none
  std::string refusal;                     ///< why nothing may be put there, "it is not a regular file"; "" where it may
};

/// Looks at the file system; what is there afterwards is another question.
[[nodiscard]] OutputTarget output_target(const std::string& path);

}  // namespace kiln::base
