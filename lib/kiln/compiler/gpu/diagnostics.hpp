// Compiler logs into values: NVRTC's format, and clang's as hipRTC prints it. Hand-written line readers. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/diagnostic.hpp"

namespace kiln::backend::gpu {

/// The name that both compilers show for text outside any #line.
inline constexpr const char* kProgramName = "kernel";

/// NVRTC prints "name(2): error: text", further lines of the text, the source line indented by two, and a caret: the only
/// place that tells the column.
[[nodiscard]] std::vector<Diagnostic> parse_nvrtc(std::string_view log);

/// clang prints "name:2:25: error: text", the source line, and a caret. Columns count bytes, as NVRTC's do.
[[nodiscard]] std::vector<Diagnostic> parse_clang(std::string_view log);

/// The log as it can be shown, compared and cached: hipRTC's random temporary paths replaced by the names that the program
/// knows, no NUL or blank lines at the end.
[[nodiscard]] std::string normalize_log(std::string_view log);

/// The registers' worth of stores that ptxas reports ("8 bytes spill stores": 2), over all functions; nothing where it reports
/// none.
[[nodiscard]] std::optional<std::int64_t> spilled_registers(std::string_view log);
/// A log without the lines of that report.
[[nodiscard]] std::string without_report(std::string_view log);

/// Puts back the tabs of source lines that clang printed expanded: a column counts a tab as one, and a caret drawn under the
/// expanded line would miss. `source` is the translation unit.
void restore_tabs(std::vector<Diagnostic>& diagnostics, std::string_view source);

/// The error of a text that asks for '#pragma clang __debug', which ends hipRTC's process, the host program's; nothing for
/// others. `file` is the text's name until its first #line.
[[nodiscard]] std::optional<Diagnostic> refuse_debugging(std::string_view text, const std::string& file);

}  // namespace kiln::backend::gpu
