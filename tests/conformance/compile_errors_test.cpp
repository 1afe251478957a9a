// Errors in the user's C++: one format on every compiler, with the user's own line and column. The compilers of GPUs need no
// GPU for that.
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "every_compiler.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "report.hpp"

using namespace conformance;
using kiln::CompileError;
using kiln::Diagnostic;
using kiln::Ufunc;
using kiln::UfuncDefinition;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

CompileError error_of(const Compiler& compiler, const UfuncDefinition& definition) {
  try {
    (void)kiln::vectorize(definition).compile(compiler.target);
  } catch (const CompileError& error) {
    return error;
  }
  FAIL_CHECK("it compiled: ", definition.body);
  return CompileError(CompileError::Details{});
}

Diagnostic first_error(const CompileError& error) {
  for (const Diagnostic& diagnostic : error.diagnostics()) {
    if (diagnostic.severity == kiln::Severity::error) return diagnostic;
  }
  return {};
}

/// "FILE:LINE:COLUMN", the place of the first error.
std::string place_of(const CompileError& error) {
  const Diagnostic first = first_error(error);
  return first.file + ":" + std::to_string(first.line) + ":" + std::to_string(first.column);
}

UfuncDefinition misspelled_discriminant() {
  return {
      .name = "discriminant", .signatures = {"float32(float32 a, float32 b, float32 c)"}, .body = "return sqrt(b*b - 4*a*d);"};
}

}  // namespace

TEST_CASE("compile errors: the format, the place and the caret") {
  on_every_compiler([](const Compiler& compiler) {
    const CompileError error = error_of(compiler, misspelled_discriminant());
    CHECK(place_of(error) == "discriminant:1:23");
    const Diagnostic first = first_error(error);
    CHECK(first.source_line == "return sqrt(b*b - 4*a*d);");
    CHECK(first.text.find("\"d\"") + first.text.find("'d'") != 2 * std::string::npos);
    const std::string text = error.what();
    INFO(text);
    CHECK(text.starts_with("discriminant:1:23: error: " + first.text +
                           "\n  return sqrt(b*b - 4*a*d);\n                        ^\n"));
    CHECK(text.find("\n  while compiling \"float32(float32 a, float32 b, float32 c)\" for " + error.target() + " (" +
                    error.compiler() + ")") != std::string::npos);
    CHECK(error.compiler().starts_with(compiler.name + " "));
    CHECK(!error.source().empty());
    CHECK(!error.options().empty());
    CHECK(!error.log().empty());
  });
}

TEST_CASE("compile errors: hints at what was meant") {
  on_every_compiler([](const Compiler& compiler) {
    const auto told = [&](const char* signature, const char* body) {
      return first_error(error_of(compiler, {.name = "f", .signatures = {signature}, .body = body})).text;
    };
    CHECK(told("float32(float32 x)", "return x**2;").ends_with("; C++ has no power operator; write pow(x, 2), or x * x"));
    CHECK(told("float32(float32 x)", "return x ^ 2;").ends_with("; ^ is exclusive or; write pow(x, 2), or x * x"));
    CHECK(told("float32(float32 x)", "return np.sin(x);").ends_with("; C++ has no module np; write sin(x)"));
    CHECK(told("float32(float32 x)", "return arctan2(x, 1);").ends_with("; write atan2(x, 1)"));
    CHECK(told("float32(float32 x)", "return x if x > 0 else -x;").ends_with("; C++ has no x if c else y; write c ? x : y"));
    CHECK(told("float32(float32 x)", "y = 2 * x; return y;").ends_with("; declare it where it is first assigned: auto y = …"));
    CHECK(told("float32(float32 x)", "return None;").ends_with("; C++ has no None; write NAN for a number that is missing"));
    CHECK(told("float32(float32 x)", "std::vector<float> v(3); return x;")
              .ends_with("; kernels allocate no memory; write a local array, float32 t[16]"));
    CHECK(told("float32(float32)", "return a + 1;").ends_with("; the signature names no parameters; write float32(float32 a)"));
    CHECK(told("float32(float32 x)", "return a + 1;").find("names no parameters") == std::string::npos);
    CHECK(told("float32(float32 x)", "std::cout << x; return x;")
              .ends_with("; print(\"{}\", x) prints, with .compile = {.debug = {.on = true}}, or KILN_DEBUG=1"));
    CHECK(
        told("float32(float32 x)", "print(\"{}\", x); return x;").find(".compile = {.debug = {.on = true}}, or KILN_DEBUG=1") !=
        std::string::npos);
  });
}

TEST_CASE("compile errors: places in every text of the definition") {
  on_every_compiler([](const Compiler& compiler) {
    UfuncDefinition definition = misspelled_discriminant();
    definition.body = "float32 x = b * b;\n\n  x -= 4 * a * c * wrong;\nreturn sqrt(x);";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant:3:20");

    definition = misspelled_discriminant();
    definition.body = "return twice(a);";
    definition.compile.functions = "float32 once(float32 x) { return x; }\nfloat32 twice(float32 x) { return 2 * y; }\n";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant.functions:2:39");

    definition = misspelled_discriminant();
    definition.body = "return a;";
    definition.compile.preamble = "// a comment\nconstexpr float32 kScale = unknown;\n";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant.preamble:2:28");

    definition = misspelled_discriminant();
    definition.body = "return a;";
    definition.compile.preamble = "#include \"mine/scale.hpp\"\n";
    definition.compile.headers = {{"mine/scale.hpp", "\n\nconstexpr float32 kScale = unknown;\n"}};
    CHECK(place_of(error_of(compiler, definition)) == "mine/scale.hpp:3:28");

    definition = misspelled_discriminant();
    definition.body = "return\n  a * EXTRA + wrong;";
    definition.compile.preamble = "#define SCALE 3\n";
    definition.compile.defines = {"EXTRA=2", "OTHER"};
    CHECK(place_of(error_of(compiler, definition)) == "discriminant:2:15");

    definition = misspelled_discriminant();
    definition.body = "";
    definition.expression = "a + b * nothing";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant:1:9");
  });
}

TEST_CASE("compile errors: divisions of integers are shown as they are written") {
  on_every_compiler([](const Compiler& compiler) {
    UfuncDefinition definition = {.name = "ratio", .signatures = {"int32(int32 a, int32 b)"}};
    definition.body = "int32 q = a / b;\nq %= b; return q % b + a / wrong;";
    CompileError error = error_of(compiler, definition);
    CHECK(place_of(error) == "ratio:2:28");
    CHECK(first_error(error).source_line == "q %= b; return q % b + a / wrong;");
    CHECK(error.source().find("kiln_by") == std::string::npos);
    CHECK(error.log().find("kiln_by") == std::string::npos);

    // What is wrong with a division itself is told of its own operands.
    definition.body = "return a / b / ratio();";
    definition.compile.functions = "struct ratio {};";
    error = error_of(compiler, definition);
    CHECK(first_error(error).file + ":" + std::to_string(first_error(error).line) == "ratio:1");
    CHECK(std::string(error.what()).find("dividend") == std::string::npos);
  });
}

TEST_CASE("compile errors: nothing of kiln's headers stands before an error of the user's") {
  on_every_compiler([](const Compiler& compiler) {
    for (const char* call : {"pow(a, d)", "floor_divide(d, a)", "erf(d)", "gcd(d, 1)", "atan(d)"}) {
      CAPTURE(std::string(call));
      UfuncDefinition definition = misspelled_discriminant();
      definition.body = std::string("return ") + call + ";";
      const CompileError error = error_of(compiler, definition);
      REQUIRE(!error.diagnostics().empty());
      CHECK(error.diagnostics().front().file == "discriminant");
      CHECK(error.diagnostics().front().severity == kiln::Severity::error);
    }
  });
}

TEST_CASE("compile errors: a body that forgets its return") {
  on_every_compiler([](const Compiler& compiler) {
    UfuncDefinition definition = misspelled_discriminant();
    definition.body = "if (a > 0) return b;";
    const CompileError error = error_of(compiler, definition);
    CHECK(std::string(error.what()).find("return") != std::string::npos);
    CHECK(place_of(error) == "discriminant:1:21");
    definition.body = "float32 x = a;\n";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant:1:15");
  });
}

TEST_CASE("compile errors: several are all told") {
  on_every_compiler([](const Compiler& compiler) {
    UfuncDefinition definition = misspelled_discriminant();
    definition.body = "float32 x = first;\nreturn x + second;";
    const CompileError error = error_of(compiler, definition);
    std::string places;
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      if (diagnostic.severity == kiln::Severity::error)
        places += std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column) + " ";
    }
    CHECK(places == "1:13 2:12 ");
  });
}

TEST_CASE("compile errors: headers that are not there, and computed ones") {
  on_every_compiler([](const Compiler& compiler) {
    UfuncDefinition definition = misspelled_discriminant();
    definition.body = "return a;";
    definition.compile.preamble = "\n#include \"missing.hpp\"\n";
    definition.compile.include_dirs = {"/nonexistent/folder"};
    CHECK(message_of<kiln::IoError>([&] { (void)kiln::vectorize(definition).compile(compiler.target); }) ==
          "failed to find the header \"missing.hpp\", which discriminant.preamble:2 includes: it is not among the kernel's "
          "headers, nor in "
          "the include folders \"/nonexistent/folder\"; give its text in .compile.headers or its folder in "
          ".compile.include_dirs");
    definition.compile.preamble = "#define WHICH <cmath>\n#include WHICH\n";
    CHECK(error_of(compiler, definition).diagnostics().at(0).text ==
          "a computed #include cannot be followed; write the name of the file in quotes or angle brackets");
    CHECK(place_of(error_of(compiler, definition)) == "discriminant.preamble:2:10");
  });
}

TEST_CASE("compile errors: absolute includes are read in the include folders alone") {
  const TemporaryDirectory folder;
  const std::string good = folder / "scale.hpp";
  const std::string bad = folder / "bad.hpp";
  write_text(good, "#pragma once\nconstexpr float32 kScale = 2;\n");
  write_text(bad, "#include \"none/../scale.hpp\"\n\nconstexpr float32 kBad = unknown;\n");
  on_every_compiler([&](const Compiler& compiler) {
    UfuncDefinition definition = misspelled_discriminant();
    definition.body = "return a * kScale;";
    definition.compile.preamble =
        "#include \"" + good + "\"\n#if !__has_include(<" + good + ">)\n#error \"no header\"\n#endif\n";
    definition.compile.include_dirs = {folder.path()};
    CHECK(kiln::vectorize(definition).compile(compiler.target) == 1);
    // Under such a name a text is the kernel's own, whatever the system has.
    definition.compile.include_dirs.clear();
    definition.compile.headers = {{good, "constexpr float32 kScale = 3;\n"}};
    CHECK(kiln::vectorize(definition).compile(compiler.target) == 1);

    definition.compile.headers.clear();
    definition.compile.include_dirs = {folder.path()};
    definition.compile.preamble = "#include \"" + bad + "\"\n";
    CHECK(place_of(error_of(compiler, definition)) == bad + ":3:26");

    definition.compile.preamble = "\n#include \"/etc/passwd\"\n";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant.preamble:2:10");
    CHECK(first_error(error_of(compiler, definition)).text ==
          "the header \"/etc/passwd\" is not read: it is outside the include folders \"" + folder.path() +
              "\"; give its folder in .compile.include_dirs or its text in .compile.headers");
  });
}

TEST_CASE("compile errors: a target that no compiler knows") {
  const Ufunc ufunc = kiln::vectorize("float32(float32 a)", "return a;");
  const std::string message = message_of<kiln::DeviceError>([&] { (void)ufunc.compile("sparc"); });
  CHECK(
      message.starts_with("unknown target \"sparc\"; targets are sm_NN (NVIDIA: sm_75, sm_80, sm_90, …), gfxNNN (AMD: gfx906, "
                          "gfx90a, gfx1030, …)"));
}

TEST_CASE("compile errors: every compiler's warnings are shown in the user's text, beside a division that is defined") {
  on_every_compiler([](const Compiler& compiler) {
    const Ufunc shift = kiln::vectorize("int32 shift(int32 a) { int32 q = a / a; return q + (a << 40); }");
    (void)shift.compile(compiler.target);
    REQUIRE(shift.warnings().size() == 1);
    const Diagnostic found = shift.warnings().front();
    CHECK(found.severity == kiln::Severity::warning);
    CHECK(found.file == "shift");
    CHECK(found.line == 1);
    CHECK((found.column == 33 || found.column == 36));  // the operator, or the count
    CHECK(found.source_line == " int32 q = a / a; return q + (a << 40); ");
    CHECK(found.text.find("shift count") != std::string::npos);
    const Ufunc fine = kiln::vectorize("int32 fine(int32 a, int32 b) { int32 unused = 3; return a / b; }");
    (void)fine.compile(compiler.target);
    CHECK(fine.warnings().empty());
  });
}

TEST_CASE("compile errors: Clang's pragma that ends the compiler is refused, wherever it stands") {
  on_every_compiler([](const Compiler& compiler) {
    UfuncDefinition definition{
        .name = "f", .signatures = {"float32(float32 a)"}, .body = "a += 1;\n#pragma clang  __debug crash\nreturn a;"};
    const CompileError error = error_of(compiler, definition);
    CHECK(place_of(error) == "f:2:16");
    CHECK(first_error(error).text == "'#pragma clang __debug' is of no use in a kernel; remove it");
    CHECK(first_error(error).source_line == "#pragma clang  __debug crash");
    definition.body = "return a;";
    definition.compile.functions = "float32 g(float32 a) {\n  _Pragma(\"clang __debug llvm_fatal_error\") return a;\n}";
    CHECK(first_error(error_of(compiler, definition)).text == "'#pragma clang __debug' is of no use in a kernel; remove it");
    definition.compile.functions.clear();
    definition.compile.headers = {{"my.hpp", "\n\n#pragma clang __debug overflow_stack\n"}};
    definition.compile.preamble = "#include \"my.hpp\"";
    CHECK(place_of(error_of(compiler, definition)) == "my.hpp:3:15");
  });
}

TEST_CASE("compile errors: a definition limits the time of its compile") {
  if (!has_cpu()) return;
  std::string body = "#define D0\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string before = " D" + std::to_string(i - 1);
    body += "#define D" + std::to_string(i) + before + before + "\n";
  }
  const Ufunc endless = kiln::vectorize({.name = "endless",
                                         .signatures = {"float32(float32 a)"},
                                         .body = body + "return a D60;",
                                         .compile = {.time_limit = std::chrono::milliseconds(100)}});
  for (int turn = 0; turn < 2; ++turn) {
    const std::string what = message_of<CompileError>([&] { (void)endless.compile("native"); });
    CAPTURE(what);
    CHECK(what.starts_with(
        "endless: error: clang did not end within 0.1 s of the processor's time: simplify the text, or raise the "
        "limit (KILN_COMPILE_SECONDS)\n"));
  }
}
