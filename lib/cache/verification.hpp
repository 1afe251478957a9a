// Reading a whole cache directory, to say what is sound and to remove what is not.
#pragma once

#include "cache/folder.hpp"
#include "kiln/cache.hpp"

namespace kiln::cache {

/// Reads every file that has a name of kiln's. `fix` removes the faulty ones, but for those that could not be read, and makes
/// the estimate of the size exact. IoError where a folder cannot be read. Runs beside processes that use the directory: what
/// they write is not called a fault.
[[nodiscard]] Verification verify_directory(const Folder& root, bool fix);

}  // namespace kiln::cache
