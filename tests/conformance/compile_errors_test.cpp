// Errors in the user's C++: one format on every compiler, with the user's own line and column. The compilers of GPUs need no
// GPU for that.
#include <cstdlib>
#include <string_view>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "report.hpp"

using namespace conformance;
using kiln::CompileError;
using kiln::Diagnostic;
using kiln::Ufunc;
using kiln::UfuncDefinition;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

struct Compiler {
  const char* target;
  const char* name;     ///< as the closing line names it
  const char* not_run;  ///< as reports name it
};
constexpr Compiler kCompilers[] = {{"native", "Clang", "clang"}, {"sm_90", "NVRTC", "nvrtc"}, {"gfx90a", "hipRTC", "hiprtc"}};

bool required(std::string_view compiler) {
  const char* list = std::getenv("KILN_REQUIRE_COMPILERS");
  return list != nullptr && std::string_view(list).find(compiler) != std::string_view::npos;
}

/// Runs the body for every compiler that is here, with a check that compiles a definition and gives its error.
template <class Body>
void on_every_compiler(Body body) {
  const Ufunc probe = kiln::vectorize("float32(float32 a)", "return a;");
  for (const Compiler& compiler : kCompilers) {
    const std::string which = compiler.name;
    INFO(which);
    try {
      (void)probe.compile(compiler.target);
    } catch (const kiln::DeviceError& error) {
      INFO(error.what());
      CHECK(!required(compiler.not_run));
      note_not_run(compiler.not_run);
      continue;
    }
    body(compiler);
  }
}

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

UfuncDefinition discriminant() {
  return {
      .name = "discriminant", .signatures = {"float32(float32 a, float32 b, float32 c)"}, .body = "return sqrt(b*b - 4*a*d);"};
}

}  // namespace

TEST_CASE("compile errors: the format, the place and the caret") {
  on_every_compiler([](const Compiler& compiler) {
    const CompileError error = error_of(compiler, discriminant());
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
    CHECK(error.compiler().starts_with(compiler.name));
    CHECK(!error.source().empty());
    CHECK(!error.options().empty());
    CHECK(!error.log().empty());
  });
}

TEST_CASE("compile errors: places in every text of the definition") {
  on_every_compiler([](const Compiler& compiler) {
    UfuncDefinition definition = discriminant();
    definition.body = "float32 x = b * b;\n\n  x -= 4 * a * c * wrong;\nreturn sqrt(x);";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant:3:20");

    definition = discriminant();
    definition.body = "return twice(a);";
    definition.functions = "float32 once(float32 x) { return x; }\nfloat32 twice(float32 x) { return 2 * y; }\n";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant.functions:2:39");

    definition = discriminant();
    definition.body = "return a;";
    definition.preamble = "// a comment\nconstexpr float32 kScale = unknown;\n";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant.preamble:2:28");

    definition = discriminant();
    definition.body = "return a;";
    definition.preamble = "#include \"mine/scale.hpp\"\n";
    definition.headers = {{"mine/scale.hpp", "\n\nconstexpr float32 kScale = unknown;\n"}};
    CHECK(place_of(error_of(compiler, definition)) == "mine/scale.hpp:3:28");

    definition = discriminant();
    definition.body = "return\n  a * EXTRA + wrong;";
    definition.preamble = "#define SCALE 3\n";
    definition.defines = {"EXTRA=2", "OTHER"};
    CHECK(place_of(error_of(compiler, definition)) == "discriminant:2:15");

    definition = discriminant();
    definition.body = "";
    definition.expression = "a + b * nothing";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant:1:9");
  });
}

TEST_CASE("compile errors: nothing of kiln's headers stands before an error of the user's") {
  on_every_compiler([](const Compiler& compiler) {
    for (const char* call : {"pow(a, d)", "floor_divide(d, a)", "erf(d)", "gcd(d, 1)", "atan(d)"}) {
      CAPTURE(std::string(call));
      UfuncDefinition definition = discriminant();
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
    UfuncDefinition definition = discriminant();
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
    UfuncDefinition definition = discriminant();
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
    UfuncDefinition definition = discriminant();
    definition.body = "return a;";
    definition.preamble = "\n#include \"missing.hpp\"\n";
    definition.include_dirs = {"/nonexistent/folder"};
    CHECK(message_of<kiln::IoError>([&] { (void)kiln::vectorize(definition).compile(compiler.target); }) ==
          "failed to find the header \"missing.hpp\", which discriminant.preamble:2 includes: it is not among the kernel's "
          "headers, nor in "
          "the include folders \"/nonexistent/folder\"; give its text in .headers or its folder in .include_dirs");
    definition.preamble = "#define WHICH <cmath>\n#include WHICH\n";
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
    UfuncDefinition definition = discriminant();
    definition.body = "return a * kScale;";
    definition.preamble = "#include \"" + good + "\"\n#if !__has_include(<" + good + ">)\n#error \"no header\"\n#endif\n";
    definition.include_dirs = {folder.path()};
    CHECK(kiln::vectorize(definition).compile(compiler.target) == 1);
    // Under such a name a text is the kernel's own, whatever the system has.
    definition.include_dirs.clear();
    definition.headers = {{good, "constexpr float32 kScale = 3;\n"}};
    CHECK(kiln::vectorize(definition).compile(compiler.target) == 1);

    definition.headers.clear();
    definition.include_dirs = {folder.path()};
    definition.preamble = "#include \"" + bad + "\"\n";
    CHECK(place_of(error_of(compiler, definition)) == bad + ":3:26");

    definition.preamble = "\n#include \"/etc/passwd\"\n";
    CHECK(place_of(error_of(compiler, definition)) == "discriminant.preamble:2:10");
    CHECK(first_error(error_of(compiler, definition)).text ==
          "the header \"/etc/passwd\" is not read: it is outside the include folders \"" + folder.path() +
              "\"; give its folder in .include_dirs or its text in .headers");
  });
}

TEST_CASE("compile errors: a target that no compiler knows") {
  const Ufunc ufunc = kiln::vectorize("float32(float32 a)", "return a;");
  const std::string message = message_of<kiln::DeviceError>([&] { (void)ufunc.compile("sparc"); });
  CHECK(
      message.starts_with("unknown target \"sparc\"; targets are sm_NN (NVIDIA: sm_75, sm_80, sm_90, …), gfxNNN (AMD: gfx906, "
                          "gfx90a, gfx1030, …)"));
}
