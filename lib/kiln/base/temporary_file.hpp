// The file that is written beside another one before it takes that one's name.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_descriptor.hpp"

namespace kiln::base {

/// A new file to write to, beside `path`; `name` becomes its path, with kTemporaryMark in it. `folder` as in ReadOptions. The
/// umask applies to the mode. Empty, with errno, where it cannot be made.
[[nodiscard]] FileDescriptor open_temporary(int folder, const std::string& path, mode_t mode, std::string* name);

/// The same, with flock() held on the file, so that others can tell it from one of a process that died: those who hold the
/// lock of such a file may remove it. Where the file system has no locks the file is not locked.
[[nodiscard]] FileDescriptor open_locked_temporary(int folder, const std::string& path, mode_t mode, std::string* name);

}  // namespace kiln::base
