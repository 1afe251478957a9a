// Names that a kernel and its parameters, types and dimensions cannot have.
#pragma once

#include <cstddef>
#include <string_view>

namespace kiln::signature {

/// How much of the text is a C++ identifier, [A-Za-z_][A-Za-z0-9_]*; 0 where it does not begin with one.
std::size_t identifier_length(std::string_view text) noexcept;
bool is_identifier(std::string_view text) noexcept;
/// Why the identifier cannot be used ("a C++ keyword"), or null where it can.
const char* why_reserved(std::string_view name) noexcept;

}  // namespace kiln::signature
