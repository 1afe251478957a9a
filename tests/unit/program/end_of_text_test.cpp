#include "program/end_of_text.hpp"

#include <doctest/doctest.h>

#include <string>

using kiln::CompileError;
using kiln::program::at_end_of_text;

namespace {

CompileError failure(const std::string& file, int line, int column) {
  return CompileError(
      {.diagnostics = {{.file = file, .line = line, .column = column, .text = "expected expression", .source_line = ";}"}},
       .log = "the log",
       .source = "the unit",
       .options = {"-O3"},
       .target = "sm_90",
       .compiler = "NVRTC 13.0",
       .context = "float32(float32 a)"});
}

}  // namespace

TEST_CASE("a finding behind the text is moved to its end") {
  const CompileError moved = at_end_of_text(failure("f", 2, 1), "f", "a +");
  CHECK(std::string(moved.what()) ==
        "f:1:4: error: expected expression\n  a +\n     ^\n  while compiling \"float32(float32 a)\" for sm_90 (NVRTC 13.0)");
  CHECK(moved.log() == "the log");
  CHECK(moved.source() == "the unit");
  CHECK(moved.options() == std::vector<std::string>{"-O3"});
}

TEST_CASE("blank lines at the end are not the end") {
  const CompileError moved = at_end_of_text(failure("f", 5, 1), "f", "x = 1;\n  y = x +  \n\n");
  CHECK(moved.diagnostics()[0].line == 2);
  CHECK(moved.diagnostics()[0].column == 10);
  CHECK(moved.diagnostics()[0].source_line == "  y = x +");
}

TEST_CASE("findings in the text and in other files stay") {
  for (const auto& error : {failure("f", 2, 7), failure("f.functions", 9, 1), failure("f", 0, 0)}) {
    CHECK(std::string(at_end_of_text(error, "f", "a\nb +").what()) == error.what());
  }
}

TEST_CASE("an empty text has a place, too") {
  const CompileError moved = at_end_of_text(failure("f", 2, 1), "f", "");
  CHECK(moved.diagnostics()[0].line == 1);
  CHECK(moved.diagnostics()[0].column == 1);
}

TEST_CASE("notes in other texts than the user's are left out") {
  const auto found = [](kiln::Severity severity, const char* file) {
    return kiln::Diagnostic{severity, file, 1, 1, "text", ""};
  };
  CompileError::Details details;
  details.diagnostics = {found(kiln::Severity::error, "f"), found(kiln::Severity::note, "kiln/view.hpp"),
                         found(kiln::Severity::note, "f.functions"), found(kiln::Severity::note, "/usr/hip.h"),
                         found(kiln::Severity::error, "kiln/view.hpp")};
  details.log = "the log";
  const CompileError error(std::move(details));
  const CompileError shown = kiln::program::without_notes_of_others(error, {"f", "f.functions"});
  std::string files;
  for (const kiln::Diagnostic& each : shown.diagnostics()) files += each.file + " ";
  CHECK(files == "f f.functions kiln/view.hpp ");
  CHECK(shown.log() == "the log");
}
