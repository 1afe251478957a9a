// Errors in the user's C++: one format on every compiler, with the user's own line and column. The compilers of GPUs need no
// GPU for that.
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
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

struct Compiler {
  const char* target;
  std::string name;     ///< as the closing line names it: "NVRTC"
  const char* not_run;  ///< as reports name it
};
const Compiler kCompilers[] = {{"native", "Clang", "clang"}, {"sm_90", "NVRTC", "nvrtc"}, {"gfx90a", "hipRTC", "hiprtc"}};

bool required(std::string_view compiler) {
  const char* list = std::getenv("KILN_REQUIRE_COMPILERS");
  return list != nullptr && std::string_view(list).find(compiler) != std::string_view::npos;
}

/// The compiler for the target, without its version: "NVRTC". DeviceError where there is none.
std::string compiler_for(const char* target) {
  try {
    (void)kiln::vectorize("float32(float32 a)", "return unknown;").compile(target);
  } catch (const CompileError& error) {
    return error.compiler().substr(0, error.compiler().find(' '));
  }
  FAIL("an unknown name compiled");
  return "";
}

/// Runs the body for every target, with the compiler that is here for it. Clang takes the place of a missing vendor's compiler,
/// which is reported.
template <class Body>
void on_every_compiler(Body body) {
  for (Compiler compiler : kCompilers) {
    INFO(compiler.target);
    std::string name;
    try {
      name = compiler_for(compiler.target);
    } catch (const kiln::DeviceError& error) {
      INFO(error.what());
    }
    if (name != compiler.name && std::getenv("KILN_GPU_COMPILER") == nullptr) {
      CHECK(!required(compiler.not_run));
      note_not_run(compiler.not_run);
    }
    if (name.empty()) continue;
    compiler.name = name;
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

namespace {

/// Operands of every kind: a matrix, a vector and a number to a vector, a number and a view of one.
kiln::GufuncDefinition with_body(const std::string& body) {
  return {.name = "views",
          .layout = "(m,n),(n),()->(n),(),()",
          .signatures = {"void(float32[:,:] A, float32[:] x, float32 w, float32[:] y, float32 r, float32[:] o)"},
          .body = body + "\ny(0) += 0; r += 0; o(0) += 0;"};  // every output is assigned
}

/// "LINE:COLUMN: text" of the only finding.
template <class Make>
std::string only_finding(const Make& make) {
  try {
    make();
  } catch (const CompileError& error) {
    CHECK(error.diagnostics().size() == 1);
    const Diagnostic first = first_error(error);
    CHECK(first.file == "views");
    return std::to_string(first.line) + ":" + std::to_string(first.column) + ": " + first.text;
  }
  return "";
}

}  // namespace

TEST_CASE("compile errors: misuse of operands is told when a gufunc or a kernel is defined") {
  const auto defined = [](const char* body) { return only_finding([&] { (void)kiln::guvectorize(with_body(body)); }); };
  CHECK(defined("for (index i = 0; i < n; ++i) y(i) = x(i);\nr = 0;\no() = w;") ==
        "3:1: o has 1 index, none given; write o(0)");
  CHECK(defined("r = A(0);") == "1:5: A has 2 indices, 1 given; write A(i, j), or A[i] for a row");
  CHECK(defined("r = x(w);") == "1:7: the index w of x is no integer; cut off its fraction: index(w)");
  CHECK(defined("o = w;") == "1:1: o is written one element at a time; write o(0) = …");
  CHECK(defined("r = A.shape;") == "1:7: A.shape takes the number of a dimension; write A.shape(0), or m");
  CHECK(defined("w = 1;") == "1:1: w is an input and cannot be written; write to an output, or to a copy: auto copy = w");
  // Of a type that may be an integer nothing is said.
  kiln::GufuncDefinition any = with_body("r = x(w);");
  any.signatures = {"void(T[:,:] A, T[:] x, T w, T[:] y, T r, T[:] o) where T: int32, float32"};
  CHECK(only_finding([&] { (void)kiln::guvectorize(any); }) == "");
  // An index of .each is an integer, whatever a variable of its name is elsewhere.
  kiln::GufuncDefinition each = with_body("");
  each.body = "{ float32 j = w; } y(j) = x(j); o(j) = w; r(j) = w;";
  each.each = "j:n";
  each.layout = "(m,n),(n),()->(n),(n),(n)";
  each.signatures = {"void(float32[:,:] A, float32[:] x, float32 w, float32[:] y, float32[:] r, float32[:] o)"};
  CHECK(only_finding([&] { (void)kiln::guvectorize(each); }) == "");
  CHECK(only_finding([&] {
          (void)kiln::kernel(
              {.name = "views", .signature = "void(const float32* x, float32* y)", .body = "y(item) = x[item];"});
        }) == "1:1: y is a pointer and no function; write y[i], or declare a view in the signature: float32[:] y");
}

TEST_CASE("compile errors: misuse of operands that only compilers see") {
  on_every_compiler([](const Compiler& compiler) {
    const auto compiled = [&](kiln::GufuncDefinition definition) {
      return only_finding([&] { (void)kiln::guvectorize(std::move(definition)).compile(compiler.target); });
    };
    // NVRTC names the function that is refused, and the operand's type; its emulation is Clang.
    const auto tells = [&](const std::string& found, const std::string& text, const std::string& name,
                           const std::string& operand) {
      return found.find(text) != std::string::npos ||
             (compiler.name == "NVRTC" && found.find("(" + name) != std::string::npos &&
              found.find("E=kiln::operands::element_of_" + operand) != std::string::npos);
    };
    struct Case {
      const char* body;
      const char* place;
      const char* operand;
    };
    for (const Case& each : {Case{"r = x(w * 2);", "1:6: ", "x"}, Case{"r = x[w * 2];", "1:6: ", "x"},
                             Case{"float32 t = 0; r = A(0, t / 2);", "1:21: ", "A"}}) {
      const std::string found = compiled(with_body(each.body));
      CAPTURE(found);
      CHECK(found.starts_with(each.place));
      CHECK(tells(found, ": the index is no integer; cut off its fraction: index(x)", "index_is_no_integer", each.operand));
    }
    kiln::GufuncDefinition macro = with_body("r = x(ZERO_AND_ONE);");
    macro.compile.defines = {"ZERO_AND_ONE=0, 1"};
    const std::string found = compiled(macro);
    CAPTURE(found);
    CHECK(found.starts_with("1:6: "));
    CHECK(tells(found, ": the number of indices is not that of the operand's dimensions", "wrong_number_of_indices", "x"));
  });
}

TEST_CASE("compile errors: bodies that only look like misuse compile") {
  on_every_compiler([](const Compiler& compiler) {
    for (const char* body : {
             "auto& first = y(0); first = 1; const auto row = A.row(0); r = row(1) + A[0][1] + A[0](1); o(0)++;",
             "auto sum = [](auto view) { float32 s = 0; for (auto e : view) s += e; return s; }; r = sum(x) + sum(A.row(0));",
             "r = x(max(index(0), n - 1)) + A([](int a, int b) { return a + b; }(0, 0), 0); // x()\n/* w(0) */",
             "for (index x = 0; x < n; ++x) y(x) = x + 1;",
             "auto f = [](float32 x, auto&& A) { x = x + A; return x; }; r = f(w, 2);",
             "r = [&](auto... k) { return A(k...); }(0, 1); float32 a = 1, b = a * x(0), w2 = b; r += w2;",
             "const auto copy = x; auto& same = y; same(0) = copy(int8(0)) + copy(true) + copy(0U) + copy(int64(w));",
             "auto exp = [](const auto& v) { return v(0); }; r = exp(x);",
             "#pragma unroll\nfor (index i = 0; i < 4; ++i) r = x(i) - -w;",
             "enum { kFirst }; r = x(kFirst) + A(kFirst, size_t(1));",
         }) {
      CAPTURE(std::string(body));
      CHECK_NOTHROW((void)kiln::guvectorize(with_body(body)).compile(compiler.target));
    }
    kiln::GufuncDefinition asked = with_body("r = first(x) + first(A);");
    asked.compile.functions =
        "template <class V, class... I> concept takes = requires(V v, I... i) { v(i...); };\n"
        "template <class V> float32 first(const V& v) {\n"
        "  static_assert(!takes<V, float32> && !takes<V, float64, int> && !takes<V> && takes<V, index> != takes<V, int, "
        "index>);\n"
        "  if constexpr (takes<V, int, int>) return v(0, 0); else return v(0);\n}";
    CHECK_NOTHROW((void)kiln::guvectorize(asked).compile(compiler.target));
    kiln::GufuncDefinition mine = with_body("r = exp(x) + (x + 1);");
    mine.compile.functions =
        "template <class V> float32 exp(const V& v) { return v(0); }\n"
        "template <class V> float32 operator+(const V& v, int i) { return v(i); }";
    CHECK_NOTHROW((void)kiln::guvectorize(mine).compile(compiler.target));
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
