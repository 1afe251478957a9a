#include "program/hints.hpp"
#include "kiln/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using kiln::CompileError;
using kiln::program::with_hints;

namespace {

/// The text of an error at that column of a line, with its hint.
std::string hinted(const std::string& text, const std::string& line = "", int column = 1, bool unnamed_parameters = false) {
  CompileError::Details details;
  details.diagnostics = {{.file = "f", .line = 1, .column = column, .text = text, .source_line = line}};
  const CompileError error(std::move(details));
  return with_hints(error, unnamed_parameters).diagnostics()[0].text;
}

}  // namespace

TEST_CASE("hints: a power operator") {
  const std::string clang = "indirection requires pointer operand ('int' invalid)";
  const std::string nvrtc = "operand of \"*\" must be a pointer but has type \"int\"";
  const std::string hint = "; C++ has no power operator; write pow(x, 2), or x * x";
  CHECK(hinted(clang, "return x**2;", 10) == clang + hint);
  CHECK(hinted(nvrtc, "return x**2;", 11) == nvrtc + hint);
  CHECK(hinted(clang, "return *x + **p;", 8) == clang);  // another place of the line
  CHECK(hinted(clang, "return *x;", 8) == clang);
}

TEST_CASE("hints: names that kernels do not have") {
  CHECK(hinted("use of undeclared identifier 'printf'") ==
        "use of undeclared identifier 'printf'; print(\"{}\", x) prints, with .compile = {.debug = {.on = true}}, or "
        "KILN_DEBUG=1");
  CHECK(hinted("namespace \"std\" has no member \"vector\"") ==
        "namespace \"std\" has no member \"vector\"; kernels allocate no memory; write a local array, float32 t[16]");
  CHECK(hinted("no template named 'vector' in namespace 'std'")
            .ends_with("; kernels allocate no memory; write a local array, float32 t[16]"));
  CHECK(hinted("use of undeclared identifier 'vectors'") == "use of undeclared identifier 'vectors'");
  CHECK(hinted("use of undeclared identifier 'tex2D'") ==
        "use of undeclared identifier 'tex2D'; kernels have no textures and surfaces; pass the array and its extents, and read "
        "its elements by index, clamped or interpolated in the kernel");
  const std::string threads =
      "; elements know no threads, and share nothing; a kernel of threads is one of kiln::kernel() or kiln::cupy::raw_kernel()";
  CHECK(hinted("use of undeclared identifier 'threadIdx'") == "use of undeclared identifier 'threadIdx'" + threads);
  CHECK(hinted("unknown type name '__shared__'") == "unknown type name '__shared__'" + threads);
  CHECK(hinted("use of undeclared identifier 'cooperative_groups'") ==
        "use of undeclared identifier 'cooperative_groups'" + threads);
  CHECK(hinted("no member named 'this_cluster' in namespace 'kiln::cooperative_groups'")
            .ends_with("; kernels know the groups of a block and of its warps, and this_grid() without sync()"));
  CHECK(hinted("expected ';' after 'printf'") == "expected ';' after 'printf'");
}

TEST_CASE("hints: a signature without names") {
  CHECK(hinted("identifier \"a\" is undefined", "return a;", 8, true) ==
        "identifier \"a\" is undefined; the signature names no parameters; write float32(float32 a)");
  CHECK(hinted("identifier \"a\" is undefined", "return a;", 8, false) == "identifier \"a\" is undefined");
}

TEST_CASE("hints: the rest of an error stays") {
  CompileError::Details details;
  details.diagnostics = {{.severity = kiln::Severity::warning, .text = "use of undeclared identifier 'puts'"},
                         {.text = "use of undeclared identifier 'puts'"}};
  details.log = "the log";
  const CompileError error(std::move(details));
  const CompileError hinted = with_hints(error, false);
  CHECK(hinted.log() == "the log");
  CHECK(hinted.diagnostics()[0].text == "use of undeclared identifier 'puts'");
  CHECK(std::string(hinted.what()).find("prints, with") != std::string::npos);
}
