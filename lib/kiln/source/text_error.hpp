// A diagnostic of kiln's own about a text, in the form of compilers' diagnostics.
#pragma once

#include <string>
#include <string_view>

#include "kiln/error.hpp"
#include "source/scanner.hpp"

namespace kiln::codegen {

/// `file` is the name shown. The line that the place is in is copied from the text.
inline CompileError text_error(const std::string& file, std::string_view text, const ScanError& error) {
  CompileError::Details details;
  details.diagnostics.push_back({.severity = Severity::error,
                                 .file = file,
                                 .line = error.place.line,
                                 .column = error.place.column,
                                 .text = error.what(),
                                 .source_line = std::string(line_of(text, error.place))});
  details.source = text;
  details.compiler = "kiln";
  return CompileError(std::move(details));
}

}  // namespace kiln::codegen
