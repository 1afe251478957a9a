// Findings behind the end of the user's text, brought back into it.
#pragma once

#include <string>
#include <string_view>

#include "kiln/error.hpp"

namespace kiln::program {

/// What a text lacks at its end (an operand, a return) is found at what kiln writes behind it, in a line that the user does not
/// have. Such a finding in `file` is moved to the end of the last line of `text` that is not blank. Others stay.
[[nodiscard]] CompileError at_end_of_text(const CompileError& error, std::string_view file, std::string_view text);

}  // namespace kiln::program
