// The folders in a cache directory: "3f", "damaged", "locks". What is in one is reached through its descriptor, so that a
// symbolic link in a folder's place is not followed.
#pragma once

#include <fcntl.h>

#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"

namespace kiln::cache {

/// Empty, with errno, where there is none: ENOTDIR for a symbolic link. O_PATH is enough to open, make and rename what is in
/// it, O_RDONLY lists it.
[[nodiscard]] base::FileDescriptor open_folder(const std::string& directory, std::string_view folder, int access = O_PATH);

/// The same of the folder that a file of walk() is in: of "3f/….kiln" that of "3f".
[[nodiscard]] base::FileDescriptor open_folder_of(const std::string& directory, std::string_view path);

}  // namespace kiln::cache
