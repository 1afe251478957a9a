// What both ways to load a kernel need: the form of their errors, and files that are only in memory.
#pragma once

#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"

namespace kiln::backend::cpu {

/// Throws the DeviceError of a kernel that cannot be loaded.
[[noreturn]] void fail_to_load(const std::string& kernel, const std::string& why);

/// Writes all of it. False, with errno, where that fails.
[[nodiscard]] bool write_all(int file, std::string_view bytes) noexcept;

/// A file of no folder that holds the bytes; profilers show mappings of it under its name. Empty, with errno, where there is
/// none.
[[nodiscard]] base::FileDescriptor memory_file(const std::string& name, std::string_view bytes) noexcept;

}  // namespace kiln::backend::cpu
