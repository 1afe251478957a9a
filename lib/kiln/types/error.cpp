// The texts of the exceptions: a caret under the place in a signature, diagnostics in the user's coordinates.
#include "kiln/error.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace kiln {
namespace {

// Bytes of the character at a place of the line; a byte that is not UTF-8 is shown as one.
std::size_t character_length(std::string_view line, std::size_t at) {
  return std::max<std::size_t>(base::utf8_length(line.substr(at)), 1);
}

// What stands before the caret: one column for every character of `line` before byte `column`, which may be within one. Tabs
// are kept, so that the caret lines up however wide a terminal shows them.
std::string caret_line(std::string_view line, std::size_t column) {
  std::string pad;
  const std::size_t end = std::min(column, line.size());
  for (std::size_t i = 0; i < end; i += character_length(line, i)) {
    if (i + character_length(line, i) <= end) pad += line[i] == '\t' ? '\t' : ' ';
  }
  return pad + '^';
}

std::string signature_message(const std::string& message, std::string_view text, std::size_t position) {
  if (text.empty()) return message;
  position = std::min(position, text.size());
  const std::size_t before = position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', position), text.size());
  const std::string_view line = text.substr(start, end - start);
  return message + '\n' + base::printable(line) + '\n' + caret_line(line, position - start);
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

std::string compile_message(const CompileError::Details& details) {
  std::string message;
  for (const Diagnostic& d : details.diagnostics) message += to_string(d) + '\n';
  if (details.diagnostics.empty()) {
    message += "error: the compiler gave up without a diagnostic\n";
    if (!details.log.empty()) message += details.log + (details.log.back() == '\n' ? "" : "\n");
  }
  // A text that kiln itself refuses has no loop and no target yet.
  if (details.context.empty() && details.target.empty()) {
    message.pop_back();
    return message;
  }
  message += "  while compiling \"" + details.context + "\" for " + details.target + " (" + details.compiler + ')';
  return message;
}

}  // namespace

std::string to_string(const Diagnostic& d) {
  std::string text = d.file;
  if (d.line > 0) {
    text += ':' + std::to_string(d.line);
    if (d.column > 0) text += ':' + std::to_string(d.column);
  }
  if (!text.empty()) text += ": ";
  text += std::string(severity_name(d.severity)) + ": " + d.text;
  if (d.source_line.empty()) return text;
  // Indented, so that the line stands off from the messages.
  text += "\n  " + base::printable(d.source_line);
  if (d.column > 0) text += "\n  " + caret_line(d.source_line, static_cast<std::size_t>(d.column - 1));
  return text;
}

Error::~Error() = default;

SignatureError::SignatureError(const std::string& message, std::string_view text, std::size_t position)
    : Error(signature_message(message, text, position)), position_(position) {}
SignatureError::~SignatureError() = default;

ShapeError::~ShapeError() = default;
TypeError::~TypeError() = default;

DeviceError::DeviceError(const std::string& message, int code, std::string code_name)
    : Error(message), code_(code), code_name_(std::move(code_name)) {}
Stopped::~Stopped() = default;
DeviceError::~DeviceError() = default;

CacheError::~CacheError() = default;
IoError::~IoError() = default;

RankError::RankError(int rank, const std::string& message) : Error(message), rank_(rank) {}
RankError::~RankError() = default;

CompileError::CompileError(Details details)
    : Error(compile_message(details)), details_(std::make_shared<const Details>(std::move(details))) {}
CompileError::~CompileError() = default;

}  // namespace kiln
