// Which headers a text names, by #include and __has_include, with the places of the names. It opens no file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/scanner.hpp"

namespace kiln::codegen {

struct Include {
  std::string name;  ///< without its quotes or angle brackets
  Place place;
  bool asked = false;     ///< by __has_include
  std::size_t begin = 0;  ///< in bytes: where the name stands in the text, with its quotes or angle brackets
  std::size_t end = 0;
};

/// In the order in which they stand. Throws CompileError where one is computed, and for all else that would let a file take
/// part unseen; `file` is the name shown.
std::vector<Include> includes_of(const std::string& file, const std::string& text);

}  // namespace kiln::codegen
