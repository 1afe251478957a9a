// The texts and the loaded code of kernels in debug mode, for debuggers: a folder for each entry in the folder "debug" of the
// cache directory. They are written when the kernel is loaded, and go with its entry.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <string_view>

#include "cache/folder.hpp"

namespace kiln::cache {

/// The path of an entry's folder, which need not be there.
[[nodiscard]] std::string debug_folder_of(const Folder& root, std::string_view digest);

/// Writes the files, by their paths within the folder; those whose path leads out of it are left out. False where the folder or
/// a file cannot be made or is somebody else's: there is no error, since the kernel runs without.
[[nodiscard]] bool write_debug_folder(const Folder& root, std::string_view digest,
                                      const std::map<std::string, std::string>& files);

/// Removes that of an entry which is gone.
void remove_debug_folder(const Folder& root, std::string_view digest);

/// Removes those that have no entry any more, or never had, and were not written within the last hour.
void remove_stale_debug_folders(const Folder& root, std::time_t now);

}  // namespace kiln::cache
