#include "program/end_of_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kiln::program {

CompileError with_diagnostics(const CompileError& error, std::vector<Diagnostic> diagnostics) {
  return CompileError({.diagnostics = std::move(diagnostics),
                       .log = error.log(),
                       .source = error.source(),
                       .options = error.options(),
                       .target = error.target(),
                       .compiler = error.compiler(),
                       .context = error.context()});
}

CompileError at_end_of_text(const CompileError& error, std::string_view file, std::string_view text) {
  const auto lines = static_cast<int>(1 + std::ranges::count(text, '\n'));
  const auto behind = [&](const Diagnostic& found) { return found.file == file && found.line > lines; };
  if (std::ranges::none_of(error.diagnostics(), behind)) return error;

  const std::string_view whole = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const std::size_t newline = whole.rfind('\n');
  const std::string_view last = newline == std::string_view::npos ? whole : whole.substr(newline + 1);
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& found : diagnostics) {
    if (!behind(found)) continue;
    found.line = static_cast<int>(1 + std::ranges::count(whole, '\n'));
    found.column = static_cast<int>(last.size()) + 1;
    found.source_line = last;
  }
  return with_diagnostics(error, std::move(diagnostics));
}

CompileError without_notes_of_others(const CompileError& error, const std::set<std::string>& files) {
  const auto of_others = [&](const Diagnostic& found) {
    return found.severity == Severity::note && !files.contains(found.file);
  };
  if (std::ranges::none_of(error.diagnostics(), of_others)) return error;
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  std::erase_if(diagnostics, of_others);
  return with_diagnostics(error, std::move(diagnostics));
}

}  // namespace kiln::program
