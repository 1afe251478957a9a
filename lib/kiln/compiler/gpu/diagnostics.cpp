// Compiler logs into values.
#include "compiler/gpu/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace kiln::backend::gpu {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// A line of blanks and one run of ^ and ~: where it starts a caret line, the caret's offset.
std::optional<std::size_t> caret_offset(std::string_view line) {
  const std::size_t caret = line.find('^');
  if (caret == std::string_view::npos || line.find_first_not_of(" \t^~") != std::string_view::npos) return std::nullopt;
  return caret;
}

/// Takes digits from the front; nullopt where there are none or too many.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (digits == 9) return std::nullopt;
    value = value * 10 + (text[digits++] - '0');
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

struct SeverityWord {
  std::string_view word;
  Severity severity;
};
constexpr std::array<SeverityWord, 8> kSeverities = {{{"fatal error", Severity::error},
                                                      {"catastrophic error", Severity::error},
                                                      {"command-line error", Severity::error},
                                                      {"internal error", Severity::error},
                                                      {"error", Severity::error},
                                                      {"warning", Severity::warning},
                                                      {"note", Severity::note},
                                                      {"remark", Severity::note}}};

/// Takes "error: ", "warning #177-D: " and their like.
std::optional<Severity> take_severity(std::string_view& text) {
  for (const SeverityWord& known : kSeverities) {
    std::string_view rest = text;
    if (!take(rest, known.word)) continue;
    if (take(rest, " #")) {
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of("0123456789-D")));
    }
    if (!take(rest, ":")) continue;
    take(rest, " ");
    text = rest;
    return known.severity;
  }
  return std::nullopt;
}

/// "name(12): error: text". The name may hold anything, so every "(" is tried as the end of it.
std::optional<Diagnostic> nvrtc_header(std::string_view line) {
  for (std::size_t at = line.find('('); at != std::string_view::npos; at = line.find('(', at + 1)) {
    std::string_view rest = line.substr(at + 1);
    const std::optional<int> number = take_number(rest);
    if (!number || !take(rest, "): ")) continue;
    const std::optional<Severity> severity = take_severity(rest);
    if (!severity) continue;
    return Diagnostic{*severity, std::string(line.substr(0, at)), *number, 0, std::string(rest), {}};
  }
  for (const std::string_view prefix : {"nvrtc: ", "nvrtc-fatal: ", "At end of source: "}) {
    std::string_view rest = line;
    if (!take(rest, prefix)) continue;
    if (const std::optional<Severity> severity = take_severity(rest)) {
      return Diagnostic{*severity, kProgramName, 0, 0, std::string(rest), {}};
    }
  }
  return std::nullopt;
}

/// "name:12:25: error: text"; the same care for the name.
std::optional<Diagnostic> clang_header(std::string_view line) {
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    std::string_view rest = line.substr(at + 1);
    const std::optional<int> number = take_number(rest);
    if (!number || !take(rest, ":")) continue;
    const std::optional<int> column = take_number(rest);
    if (!column || !take(rest, ": ")) continue;
    const std::optional<Severity> severity = take_severity(rest);
    if (!severity) continue;
    return Diagnostic{*severity, std::string(line.substr(0, at)), *number, *column, std::string(rest), {}};
  }
  std::string_view rest = line;
  take(rest, "clang: ");
  take(rest, "lld: ");
  if (const std::optional<Severity> severity = take_severity(rest)) {
    return Diagnostic{*severity, kProgramName, 0, 0, std::string(rest), {}};
  }
  return std::nullopt;
}

/// Of a source line and what stands under it: the length of "   12 | ", which Clang writes in front since its version 17.
std::size_t gutter_of(std::string_view line, std::string_view under) {
  const std::size_t bar = under.find_first_not_of(' ');
  if (bar == std::string_view::npos || under[bar] != '|' || line.size() <= bar || line[bar] != '|') return 0;
  const std::string_view number = trimmed(line.substr(0, bar));
  const bool counts = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return counts ? std::min({bar + 2, line.size(), under.size()}) : 0;
}

std::string expanded(std::string_view line) {
  constexpr std::size_t kTabStop = 8;
  std::string result;
  for (const char c : line) {
    if (c == '\t') {
      result.append(kTabStop - result.size() % kTabStop, ' ');
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::vector<Diagnostic> parse_nvrtc(std::string_view log) {
  constexpr std::size_t kIndent = 2;
  std::vector<Diagnostic> found;
  const std::vector<std::string_view> lines = split_lines(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::optional<Diagnostic> diagnostic = nvrtc_header(lines[i]);
    if (!diagnostic) continue;
    // Up to a blank line or the next header: more of the text, the source line and its caret, and how a template got there.
    for (; i + 1 < lines.size() && !trimmed(lines[i + 1]).empty() && !nvrtc_header(lines[i + 1]); ++i) {
      const std::optional<std::size_t> caret = i + 2 < lines.size() ? caret_offset(lines[i + 2]) : std::nullopt;
      if (caret && *caret >= kIndent && lines[i + 1].starts_with("  ")) {
        diagnostic->source_line = std::string(lines[i + 1].substr(kIndent));
        diagnostic->column = static_cast<int>(*caret - kIndent) + 1;
        ++i;
      } else if (lines[i + 1].starts_with(' ')) {
        diagnostic->text += "; " + std::string(trimmed(lines[i + 1]));
      }
    }
    found.push_back(std::move(*diagnostic));
  }
  return found;
}

std::vector<Diagnostic> parse_clang(std::string_view log) {
  std::vector<Diagnostic> found;
  const std::vector<std::string_view> lines = split_lines(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::optional<Diagnostic> diagnostic = clang_header(lines[i]);
    if (!diagnostic) continue;
    const std::size_t gutter = i + 2 < lines.size() ? gutter_of(lines[i + 1], lines[i + 2]) : 0;
    if (i + 2 < lines.size() && caret_offset(lines[i + 2].substr(gutter))) {
      diagnostic->source_line = std::string(lines[i + 1].substr(gutter));
      i += 2;
    }
    found.push_back(std::move(*diagnostic));
  }
  return found;
}

std::string normalize_log(std::string_view log) {
  // comgr compiles in <temporary folder>/comgr-<random>/{input,include}/; the program itself is called CompileSource there.
  constexpr std::string_view kFolder = "/comgr-";
  std::string result;
  while (true) {
    const std::size_t at = log.find(kFolder);
    if (at == std::string_view::npos) break;
    std::string_view rest = log.substr(at + kFolder.size());
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of("0123456789abcdefABCDEF")));
    if (!take(rest, "/input/") && !take(rest, "/include/")) {
      result += log.substr(0, at + kFolder.size());
      log.remove_prefix(at + kFolder.size());
      continue;
    }
    const std::size_t before = log.substr(0, at).find_last_of(" \t\n\"'");
    result += log.substr(0, before == std::string_view::npos ? 0 : before + 1);
    if (take(rest, "CompileSource")) result += kProgramName;
    log = rest;
  }
  result += log;
  // Not erase(npos + 1): an all-blank log becomes empty.
  const std::size_t last = result.find_last_not_of(std::string_view("\0\n\r \t", 5));
  result.resize(last == std::string::npos ? 0 : last + 1);
  return result;
}

std::optional<std::int64_t> spilled_registers(std::string_view log) {
  constexpr std::string_view kWords = " bytes spill stores";
  constexpr std::int64_t kRegisterBytes = 4;
  std::optional<std::int64_t> registers;
  for (std::size_t at = log.find(kWords); at != std::string_view::npos; at = log.find(kWords, at + 1)) {
    const std::size_t before = log.find_last_not_of("0123456789", at == 0 ? 0 : at - 1);
    const std::string_view digits = log.substr(before + 1, at - before - 1);
    std::int64_t bytes = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), bytes).ec == std::errc()) {
      registers = registers.value_or(0) + bytes / kRegisterBytes;
    }
  }
  return registers;
}

std::string without_report(std::string_view log) {
  std::string rest;
  for (const std::string_view line : split_lines(log)) {
    if (line.starts_with("ptxas info") || line.ends_with(" bytes spill loads")) continue;
    rest += std::string(line) + "\n";
  }
  if (!rest.empty()) rest.pop_back();
  return rest;
}

void restore_tabs(std::vector<Diagnostic>& diagnostics, std::string_view source) {
  for (const std::string_view line : split_lines(source)) {
    if (line.find('\t') == std::string_view::npos) continue;
    const std::string shown = expanded(line);
    for (Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.source_line == shown) diagnostic.source_line = std::string(line);
    }
  }
}

std::optional<Diagnostic> refuse_debugging(std::string_view text, const std::string& file) {
  constexpr std::string_view kWord = "__debug";
  if (text.find(kWord) == std::string_view::npos) return std::nullopt;
  Diagnostic found{.severity = Severity::error, .file = file, .line = 0};
  for (const std::string_view line : split_lines(text)) {
    ++found.line;
    if (line.starts_with("#line ")) {
      const std::size_t quote = line.find('"');
      std::from_chars(line.data() + 6, line.data() + line.size(), found.line);
      --found.line;
      if (quote != std::string_view::npos) found.file = line.substr(quote + 1, line.rfind('"') - quote - 1);
      continue;
    }
    const std::size_t word = line.find(kWord);
    if (word == std::string_view::npos) continue;
    const std::size_t before = line.find_last_not_of(" \t", word == 0 ? 0 : word - 1);
    if (before == std::string_view::npos || !line.substr(0, before + 1).ends_with("clang")) continue;
    found.column = static_cast<int>(word) + 1;
    found.text = "'#pragma clang __debug' is of no use in a kernel; remove it";
    found.source_line = line;
    return found;
  }
  return std::nullopt;
}

}  // namespace kiln::backend::gpu
