// Reading a whole cache directory, to say what is sound and to remove what is not.
#pragma once

#include <functional>
#include <vector>

#include "cache/folder.hpp"
#include "cache/tuning_file.hpp"
#include "kiln/cache.hpp"

namespace kiln::cache {

/// On what shapes are measured here. Called only where there are some, once.
using TunedHere = std::function<std::vector<TunedOn>()>;

/// Reads every file that has a name of kiln's. Results of `kiln tune` for none of `here` are not used, and no faults. `fix`
/// removes the faulty ones, but for those that could not be read, and makes the estimate of the size exact. IoError where a
/// folder cannot be read. Runs beside processes that use the directory: what they write is not called a fault.
[[nodiscard]] Verification verify_directory(const Folder& root, bool fix, const TunedHere& here = {});

}  // namespace kiln::cache
