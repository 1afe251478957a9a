// Where the kernel comes from: the command line, a file or standard input.
#pragma once

#include <string>
#include <string_view>

namespace kiln::tool {

/// A whole text file, "-" being standard input; IoError where it cannot be read.
std::string read_text_file(const std::string& path);

/// The text itself, or the content of FILE where it is "@FILE".
std::string text_or_file(const std::string& text);

[[nodiscard]] std::string_view without_blanks(std::string_view text) noexcept;
/// Whether a name may go on with the character.
[[nodiscard]] bool in_a_name(char c) noexcept;

}  // namespace kiln::tool
