// Diagnostics of compilers as values. warnings() of a definition returns them, and CompileError has them.
#pragma once

#include <string>

#include "kiln/export.hpp"

namespace kiln {

/// Severity of a diagnostic.
enum class Severity {
  note,     ///< adds to the diagnostic before it
  warning,  ///< suspicious, but it compiles
  error,    ///< prevents compilation
};

/// One diagnostic of a compiler, in the coordinates of the user's text.
struct Diagnostic {
  Severity severity = Severity::error;  ///< severity: CompileError has errors, warnings() returns warnings
  std::string file = {};                ///< kernel's name, "NAME.functions", "NAME.preamble", or a header's name
  int line = 0;                         ///< line, from 1; 0 if the compiler gave none
  int column = 0;                       ///< column, from 1; 0 if the compiler gave none
  std::string text = {};                ///< message alone
  std::string source_line = {};         ///< line that it points into, without the newline; may be empty
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};
/// Returns "disc:1:7: warning: …", followed by the line and a caret if they are known.
[[nodiscard]] KILN_API std::string to_string(const Diagnostic& diagnostic);

}  // namespace kiln
