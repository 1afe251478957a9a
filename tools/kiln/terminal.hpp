// What standard output or standard error is: a terminal with a width and perhaps colours, or a pipe or file that gets plain
// text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::tool {

enum class Style : unsigned char { heading, good, bad, faint };

struct Terminal {
  std::size_t width = 0;  ///< columns; 0: no limit
  bool colours = false;
  bool cursor = false;  ///< text that was written can be written over

  /// Of each. Colours only on a terminal, not with NO_COLOR (whatever its value, unless empty) nor TERM=dumb.
  [[nodiscard]] static Terminal standard_output();
  [[nodiscard]] static Terminal standard_error();
  /// The text, in a colour where there are any.
  [[nodiscard]] std::string styled(std::string_view text, Style style) const;
};

/// Whether somebody can be asked: standard input and standard error are terminals.
[[nodiscard]] bool can_ask();

/// The text with control characters and bytes that are not UTF-8 replaced by '?', so that what came from a file cannot steer
/// the terminal. Newlines and tabs stay where `lines` is set.
[[nodiscard]] std::string printable(std::string_view text, bool lines = false);

/// How many columns printable text takes, counting a code point as one.
[[nodiscard]] std::size_t columns(std::string_view text);

/// Printable text in at most so many columns; what is cut ends in '…'.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);

}  // namespace kiln::tool
