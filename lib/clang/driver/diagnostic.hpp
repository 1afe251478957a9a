// A finding of the compiler about a text.
#pragma once

#include <string>

#include "clang/interface.h"

namespace kiln::clang_module {

struct Diagnostic {
  int severity = KILN_CLANG_ERROR;
  int line = 0;
  int column = 0;
  std::string file;
  std::string text;
  std::string source_line;
};

}  // namespace kiln::clang_module
