// Names that a kernel's parameters, types and dimensions cannot have.
#pragma once

#include <string_view>

namespace kiln::signature {

/// Why the name cannot be used ("a C++ keyword"), or null where it can.
const char* why_reserved(std::string_view name) noexcept;

}  // namespace kiln::signature
