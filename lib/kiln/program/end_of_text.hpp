// Diagnostics of compilers as they are shown to users: in their texts, without kiln's own.
#pragma once

#include <kiln/error.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {
class CompileError;
}  // namespace kiln

namespace kiln::program {

/// The error with other diagnostics.
[[nodiscard]] CompileError with_diagnostics(const CompileError& error, std::vector<Diagnostic> diagnostics);

/// What a text lacks at its end (an operand, a return) is found at what kiln writes behind it, in a line that the user does not
/// have. Such a diagnostic in `file` is moved to the end of the last line of `text` that is not blank. Others stay.
[[nodiscard]] CompileError at_end_of_text(const CompileError& error, std::string_view file, std::string_view text);

/// Leaves out notes in other texts than the user's `files`: overloads of kiln's or a vendor's that do not fit, and where
/// something of theirs was declared. The log has them.
[[nodiscard]] CompileError without_notes_of_others(const CompileError& error, const std::set<std::string>& files);

}  // namespace kiln::program
