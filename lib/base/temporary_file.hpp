// The file that is written beside another one before it takes that one's name.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_descriptor.hpp"

namespace kiln::base {

/// A new file to write to, in the folder of `path`; `name` becomes its path, with kTemporaryMark in it. The umask applies to
/// the mode. Empty, with errno, where it cannot be made.
[[nodiscard]] FileDescriptor open_temporary(const std::string& path, mode_t mode, std::string* name);

}  // namespace kiln::base
