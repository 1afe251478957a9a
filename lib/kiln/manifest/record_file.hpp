// The file that kernels are recorded in: read, united with more kernels, and published whole.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "manifest/document.hpp"

namespace kiln::manifest {

/// Adds the kernels to the manifest at `path`, made where there is none. Processes take turns by a lock beside it, for which
/// this waits no longer than `wait`. A symbolic link keeps pointing, and the file keeps its permissions.
/// A file that is no manifest, or that may not be written to, stays as it is. Nothing on success, or what failed.
[[nodiscard]] std::optional<std::string> add_to_file(const std::string& path, const KernelSet& kernels,
                                                     std::chrono::milliseconds wait);

}  // namespace kiln::manifest
