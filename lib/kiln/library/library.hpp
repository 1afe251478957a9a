// Finds a vendor's library file: which files may be it, which one it is, and what version it is without loading it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/dynamic_library.hpp"
#include "library/dialect.hpp"

namespace kiln::backend::gpu {

/// Every name to try, best first: the file that the search's variable names and no other; else for each soname
/// `first_folder` (where given), LD_LIBRARY_PATH, the vendor's homes, the system's folders that exist, conda's, what pip put
/// into Python's folders of packages, and, first or last as the search says, the bare soname for the loader's own search.
/// `newest` leaves out sonames of a greater major (0: no limit).
[[nodiscard]] std::vector<std::string> candidates(const LibrarySearch& search, std::string_view first_folder = {},
                                                  int newest = 0);

/// The first candidate that is a file, or that the loader finds. Only bare names are opened (then `library` holds it): a
/// compiler of 100 MB is not loaded to learn its version.
struct Located {
  std::string path;  ///< empty where there is none
  base::DynamicLibrary library;
  std::vector<base::Attempt> attempts;
};
[[nodiscard]] Located locate(const std::vector<std::string>& candidates);

/// glibc's words for a file that is not there are long, and a list of attempts has many of them.
void shorten(std::vector<base::Attempt>& attempts);

/// "13.0.88" from what follows ".so." in the name of the file that `path` leads to; of a sibling library of the same release
/// (libnvrtc-builtins.so.13.0) where that says more; empty where neither says.
[[nodiscard]] std::string version_in_name(const std::string& path);

/// major * 100 + minor: 1300 of "13.0.88".
[[nodiscard]] int release_number(const std::string& version);

/// The first 12 digits of the file's GNU build id, empty where it has none: tells two builds of one version apart.
[[nodiscard]] std::string build_id(const std::string& path);

}  // namespace kiln::backend::gpu
