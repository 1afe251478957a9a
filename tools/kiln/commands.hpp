// The table of kiln's commands. A new command is a row in commands.cpp.
#pragma once

#include <span>

#include "command.hpp"

namespace kiln::tool {

/// In the order of the help.
[[nodiscard]] std::span<const CommandRow> commands() noexcept;

}  // namespace kiln::tool
