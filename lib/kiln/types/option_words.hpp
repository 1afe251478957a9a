// Options in messages. A message names what mends a call as C++ writes it, ".out", and other languages write it their way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// A place of a message, in bytes, that names an option or a function.
struct OptionWord {
  std::size_t begin;
  std::size_t end;
  std::string name;   ///< "out", "compile.headers", "kiln::fuse", "Casting"
  std::string value;  ///< "unsafe" of ".casting = Casting::unsafe"; empty: there is none, or it follows, as in ".sizes = "
  bool operator==(const OptionWord&) const = default;
};

/// Finds the options and functions that a message names, in its first line and in lines of diagnostics. What stands in quotes
/// is the user's. Pure.
[[nodiscard]] std::vector<OptionWord> option_words(std::string_view message);

}  // namespace kiln
