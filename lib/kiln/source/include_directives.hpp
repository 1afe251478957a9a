// Which headers a text names, by #include and __has_include, with the places of the names. It opens no file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "source/scanner.hpp"

namespace kiln::codegen {

struct Include {
  std::string name;  ///< without its quotes or angle brackets
  Place place;
  bool asked = false;        ///< by __has_include
  bool angled = false;       ///< in angle brackets: not looked for beside the file that names it
  bool conditional = false;  ///< in a branch that #if may leave out; a guard around the whole file is none
  std::size_t begin = 0;     ///< in bytes: where the name stands in the text, with its quotes or angle brackets
  std::size_t end = 0;
};

/// A name that no header has: what __has_include asks for that is not there.
inline constexpr std::string_view kNoHeader = "kiln/absent";
/// The name of the text that stands for a header that is not there.
std::string absent_header(std::string_view name);

/// In the order in which they stand. Throws CompileError where one is computed, and for all else that would let a file take
/// part unseen; `file` is the name shown.
std::vector<Include> includes_of(const std::string& file, const std::string& text);

}  // namespace kiln::codegen
