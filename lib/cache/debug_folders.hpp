// The texts of kernels in debug mode, for debuggers: a folder for each entry in the folder "debug" of the cache directory. They
// are written when the kernel is loaded, and go with its entry. Nothing in them is trusted.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <string_view>

namespace kiln::cache {

/// Writes the files, by their paths within the folder; those whose path leads out of it are left out. The folder's path; empty
/// where it cannot be made or written: there is no error, since the kernel runs without.
[[nodiscard]] std::string write_debug_folder(const std::string& directory, std::string_view digest,
                                             const std::map<std::string, std::string>& files);

/// Removes that of an entry which is gone.
void remove_debug_folder(const std::string& directory, std::string_view digest);

/// Removes those that have no entry any more, or never had, and were not written within the last hour.
void remove_stale_debug_folders(const std::string& directory, std::time_t now);

}  // namespace kiln::cache
