#include "program/hints.hpp"
#include "kiln/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

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

TEST_CASE("hints: operators of integers, and of Python") {
  const std::string clang = "invalid operands to binary expression ('::kiln::float64' (aka 'double') and 'int')";
  const std::string nvrtc = "expression must have integral or unscoped enum type";
  const std::string power = "; ^ is exclusive or; write pow(x, 2), or x * x";
  CHECK(hinted(clang, "return x ^ 2;", 10) == clang + power);
  CHECK(hinted(clang, "x ^= 2;", 3) == clang + power);
  CHECK(hinted(nvrtc, "return x ^ 2;", 8) == nvrtc + power);
  CHECK(hinted(nvrtc, "return 2 ^ x;", 12) == nvrtc + power);
  CHECK(hinted(clang, "return x % 2;", 10) == clang + "; % is of integers; write fmod(x, y)");
  CHECK(hinted(clang, "return x & 2;", 10) == clang);
  CHECK(hinted(nvrtc, "return (x + 1) ^ 2;", 8) == nvrtc + power);
  CHECK(hinted(nvrtc, "return sin(x) ^ 2;", 8) == nvrtc + power);
  CHECK(hinted(nvrtc, "return (x << 2;", 8) == nvrtc);
  CHECK(hinted(nvrtc, "return x << 2;", 8) == nvrtc);

  const std::string choice = "; C++ has no x if c else y; write c ? x : y";
  CHECK(hinted("expected ';' after return statement", "return x if x > 0 else -x;", 9) ==
        "expected ';' after return statement" + choice);
  CHECK(hinted("expected ')'", "(x if c else y) * 2", 4) == "expected ')'" + choice);
  CHECK(hinted("expected a \";\"", "return x if x > 0 else -x;", 10) == "expected a \";\"" + choice);
  CHECK(hinted("expected ';' after expression", "x = y if (c) return x;", 6) == "expected ';' after expression");
  CHECK(hinted("expected ';' after return statement", "return x // 2;", 9) ==
        "expected ';' after return statement; // begins a comment; write floor(x / y)");
  CHECK(hinted("expected ';' after return statement", "return x // the result", 9) == "expected ';' after return statement");
  CHECK(hinted("expected ';' after expression", "y = x // a note; and more;", 6) == "expected ';' after expression");
  CHECK(hinted("expected a \";\"", "return x // 2;", 15) == "expected a \";\"; // begins a comment; write floor(x / y)");
  CHECK(hinted("expected a \"(\"", "for i in range(3):", 5).ends_with("; write for (int i = 0; i < n; ++i)"));
  CHECK(hinted("expected a \"(\"", "if x > 0:", 4).ends_with("; write if (…) { … }"));
  CHECK(hinted("expected a \")\"", "if (x y)", 7) == "expected a \")\"");
  CHECK(hinted("expected '(' after 'for'", "for i in range(3):", 5).ends_with("; write for (int i = 0; i < n; ++i)"));
  CHECK(hinted("expected '(' after 'if'", "if x > 0:", 4).ends_with("; write if (…) { … }"));
  CHECK(hinted("expected '(' after 'while'", "while x > 0:", 7).ends_with("; write while (…) { … }"));
  CHECK(hinted("invalid preprocessing directive", "# the result", 3).ends_with("; write // before a comment"));
  CHECK(hinted("invalid preprocessing directive", "#defin A", 2) == "invalid preprocessing directive");
}

TEST_CASE("hints: names of Python and of NumPy") {
  const auto undeclared = [](const std::string& name, const std::string& line, const std::string& more = "") {
    const std::string text = "use of undeclared identifier '" + name + "'" + more;
    const std::string found = hinted(text, line, static_cast<int>(line.find(name)) + 1);
    CHECK(found.starts_with(text));
    return found.substr(text.size());
  };
  CHECK(undeclared("np", "return 2 * np.sin(x + f(x)) + 1;") == "; C++ has no module np; write sin(x + f(x))");
  CHECK(undeclared("math", "math.sin(x)") == "; C++ has no module math; write sin(x)");
  CHECK(undeclared("math", "math.pi * x") == "; C++ has no module math; write pi");
  CHECK(undeclared("np", "np.arctan2(y, x)") == "; C++ has no module np; write atan2(y, x)");
  CHECK(undeclared("np", "np.inf") == "; C++ has no module np; write INFINITY");
  CHECK(undeclared("np", "np.float32(x)") == "; C++ has no module np; write float32(x)");
  CHECK(undeclared("np", "np.where(x > 0, x, 0)") == "; C++ has no module np; write c ? x : y");
  CHECK(undeclared("np", "np.linalg.norm(x)") == "; C++ has no module np, and a body calls no functions of Python's");
  CHECK(undeclared("scipy", "scipy.special.erf(x)") == "; C++ has no module scipy; write erf(x)");
  CHECK(undeclared("np", "np.sin(x") == "; C++ has no module np; write sin(…)");
  CHECK(undeclared("arcsin", "arcsin(x)") == "; write asin(x)");
  CHECK(undeclared("clip", "return clip(x, 0, 1);") == "; write clamp(x, 0, 1)");
  CHECK(undeclared("where", "where(x > 0, x, 0)") == "; write c ? x : y");
  CHECK(undeclared("gamma", "gamma * x").empty());
  CHECK(undeclared("xp", "return xp * 2;").empty());
  CHECK(undeclared("True", "return True;") == "; write true");
  CHECK(undeclared("True", "return True;", "; did you mean 'true'?").empty());
  CHECK(undeclared("False", "return False;") == "; write false");
  CHECK(undeclared("None", "return None;") == "; C++ has no None; write NAN for a number that is missing");
  CHECK(undeclared("elif", "elif (x)") == "; write else if");
  CHECK(undeclared("sum", "y = sum(x);") == "; bodies have no sum(); add the elements in a loop");
  CHECK(undeclared("range", "for (i in range(3))") == "; write for (int i = 0; i < n; ++i)");
  CHECK(undeclared("y", "y = 2 * x;") == "; declare it where it is first assigned: auto y = …");
  CHECK(undeclared("y", "y == 2 * x").empty());
  CHECK(undeclared("y", "y = 2 * x;", "; did you mean 'x'?").empty());
  CHECK(hinted("no matching function for call to 'power'", "power(x, 2)").ends_with("; write pow(x, 2)"));
  CHECK(hinted("no instance of function template \"kiln::power\" matches", "power(x, 2)").ends_with("; write pow(x, 2)"));
}

TEST_CASE("hints: a keyword that cannot stand there is no correction") {
  CompileError::Details details;
  const kiln::Diagnostic missing{.file = "f", .line = 1, .column = 3, .text = "use of undeclared identifier 'missing'"};
  details.diagnostics = {missing, missing, missing};
  details.diagnostics[0].text += "; did you mean 'using'?";
  details.diagnostics[1].text = "expected expression";
  details.diagnostics[2].text += "; did you mean 'using'?";
  const std::vector<kiln::Diagnostic> found = with_hints(CompileError(std::move(details)), false).diagnostics();
  REQUIRE(found.size() == 2);
  CHECK(found[0].text == missing.text);
  CHECK(found[1].text == missing.text + "; did you mean 'using'?");
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
