// The functions of kiln::math by the names that a command line gives.
#pragma once

#include <string_view>

#include "kiln/math.hpp"

namespace kiln::tool {

/// Whether the text can only be a function's name: no kernel is a single identifier.
bool is_function_name(std::string_view text) noexcept;

/// The function's row of the table; UsageError, with the names that are near, where there is no such function.
const math::FunctionInfo& standard_function(std::string_view name);

}  // namespace kiln::tool
