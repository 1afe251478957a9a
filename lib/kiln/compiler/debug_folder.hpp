// Where debuggers find the texts of a kernel that is compiled for debugging. Machine code names a folder in whose place the
// loader writes the real one, which is each machine's own: the code itself is the same for all of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/device.hpp"

namespace kiln::backend {

/// The arguments of clang -cc1 that make its debug information name the folder: the user's texts lie in it, headers in
/// include/, and the translation unit is kiln/kernel.cpp.
[[nodiscard]] std::vector<std::string> debug_folder_options();

/// The code with `folder` in that place, of the same size. As it was where the folder's path is too long (kLongestDebugFolder)
/// or empty. Pure.
[[nodiscard]] std::string with_debug_folder(std::string_view code, std::string_view folder, DeviceKind kind);

/// The file there that a CPU's code is loaded from, by the kernel's name, whatever that is.
[[nodiscard]] std::string debug_code_file(const std::string& kernel);

inline constexpr std::size_t kLongestDebugFolder = 240;

}  // namespace kiln::backend
