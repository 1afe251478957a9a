// One source to one relocatable object, to PTX or to LLVM's intermediate language, by clang in process.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <string>
#include <vector>

#include "clang/driver/code_report.hpp"
#include "clang/interface.h"

namespace kiln::clang_module {

/// Milliseconds.
struct CompileTimes {
  double front_end = 0;
  double passes = 0;
  double code = 0;
};

struct Compiled {
  bool ok = false;
  CompileTimes times;                  ///< where it is ok
  llvm::SmallVector<char, 0> output;   ///< an object, or a text
  std::vector<std::string> undefined;  ///< readable names of functions that PTX calls and does not define
  std::vector<Diagnostic> diagnostics;
  CodeReport report;  ///< of the host's machine code
  std::string log;
};

/// Registers the targets of the host and of the GPUs; once a process.
void initialize();

/// Needs a deep stack (clang recurses). Thread-safe. What LLVM calls a fatal error goes to the installed handler.
void compile(const kiln_clang_request& request, Compiled& out);

}  // namespace kiln::clang_module
