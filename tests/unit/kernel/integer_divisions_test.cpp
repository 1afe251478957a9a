// Which divisions of a text are defined anew, and what stands for them.
#include "kernel/integer_divisions.hpp"

#include <doctest/doctest.h>

using namespace kiln;
using kinds::IntegerDivisions;

namespace {

codegen::UserText body_of(const std::string& body) {
  return {.name = "f", .body = body, .input_names = {"a", "b", "c"}, .output_names = {"q"}};
}

std::string defined(const std::string& body) {
  return IntegerDivisions(body_of(body)).defined("f", body);
}

/// The preamble with its divisions defined, beside a body.
std::string defined_preamble(const std::string& preamble, const std::string& functions = {}) {
  codegen::UserText text = body_of("return a;");
  text.preamble = preamble;
  text.functions = functions;
  return IntegerDivisions(text).defined("f.preamble", preamble);
}

void check_unchanged(const std::string& body) {
  CHECK(defined(body) == body);
}

}  // namespace

TEST_CASE("integer divisions: operators and assignments, however they are written") {
  CHECK(defined("return a / b;") == "return a %kiln_by/ b;");
  CHECK(defined("return a/b%c;") == "return a%kiln_by/b%kiln_by%c;");
  CHECK(defined("return a / b / c;") == "return a %kiln_by/ b %kiln_by/ c;");
  CHECK(defined("return a % b * c;") == "return a %kiln_by% b * c;");
  CHECK(defined("a /= b + 1; b %= a;") == "a %=kiln_by/= b + 1; b %=kiln_by%= a;");
  CHECK(defined("return (int)a / b;") == "return (int)a %kiln_by/ b;");
  CHECK(defined("switch (a) { case 8 / n: return 1; }") == "switch (a) { case 8 %kiln_by/ n: return 1; }");
  CHECK(defined("return *p/ *q;") == "return *p%kiln_by/ *q;");
  CHECK(defined("template_of<n / m> x;") == "template_of<n %kiln_by/ m> x;");
  CHECK(defined("return a ? b %c: d;") == "return a ? b %kiln_by%c: d;");
}

TEST_CASE("integer divisions: assignments have a header of their own") {
  CHECK(IntegerDivisions(body_of("a /= b;")).assign());
  CHECK_FALSE(IntegerDivisions(body_of("return a / b == c;")).assign());
  CHECK_FALSE(IntegerDivisions(body_of("a /= 2;")).assign());
}

TEST_CASE("integer divisions: in debug mode with their columns, which messages take back") {
  codegen::UserText text = body_of("return a / b;\n  a /= c % b;");
  text.debug = {.on = true};
  const std::string defined = IntegerDivisions(text).defined("f", text.body);
  CHECK(defined == "return a %kiln_by(10)/ b;\n  a %=kiln_by(5)/= c %kiln_by(22)% b;");
  const std::string second = defined.substr(defined.find('\n') + 1);
  const auto column = [&](int compiled) {
    const Diagnostic found = kinds::as_written({.file = "f", .line = 2, .column = compiled, .text = {}, .source_line = second});
    CHECK(found.source_line == "  a /= c % b;");
    return found.column;
  };
  CHECK(column(5) == 5);
  CHECK(column(22) == 10);
  CHECK(column(36) == 12);
}

TEST_CASE("integer divisions: comments, strings and spliced lines stay as they are") {
  check_unchanged("return a; // a / b");
  check_unchanged("/* a / b */ return \"a / b\"[a] + '/' + '%' + R\"(a % b)\"[b];");
  CHECK(defined("return a /* / */ / /* % */ b;") == "return a /* / */ %kiln_by/ /* % */ b;");
  CHECK(defined("return a // of\n  / b;") == "return a // of\n  %kiln_by/ b;");
  CHECK(defined("a /\\\n= b;") == "a %=kiln_by/\\\n= b;");
  CHECK(defined("a \\\n/ b; // c \\\n d / e\na %\\\n b;") == "a \\\n%kiln_by/ b; // c \\\n d / e\na %kiln_by%\\\n b;");
}

TEST_CASE("integer divisions: a literal that is not 0 divides as it does") {
  for (const char* divisor : {"2", "10u", "0x10", "0b1", "1'000ll", "0x0f", "007", "3.5f", "1e3", ".5", "0.0", "0x1p-3"}) {
    CAPTURE(std::string(divisor));
    check_unchanged("return a / " + std::string(divisor) + ";");
    check_unchanged("a /= " + std::string(divisor) + ";");
  }
  for (const char* divisor : {"0", "0u", "0x0", "00", "0b0", "0'0", "-1", "-2", "+0", "(2)", "2_km", "'a'", "true"}) {
    CAPTURE(std::string(divisor));
    CHECK(defined("return a / " + std::string(divisor) + ";") == "return a %kiln_by/ " + std::string(divisor) + ";");
  }
  CHECK(defined("return a % 3 + b % 0;") == "return a % 3 + b %kiln_by% 0;");
}

TEST_CASE("integer divisions: a literal that is floating-point divides as it does, and nothing else by its looks") {
  check_unchanged("return 1.5 / a + 2.0f / b;");
  CHECK(defined("return 1 / (1 + exp(-a));") == "return 1 %kiln_by/ (1 + exp(-a));");
  check_unchanged("return 2 * a * 3.0f / b;");
  CHECK(defined("return (int)2.5 / a;") == "return (int)2.5 %kiln_by/ a;");
  CHECK(defined("const float a = 2; return b / 2 + 1 / a;") == "const float a = 2; return b / 2 + 1 %kiln_by/ a;");
}

TEST_CASE("integer divisions: names of operators, digraphs and directives are none") {
  check_unchanged("return operator/(a, b) + operator %(a, b) + operator /= (a, b);");
  check_unchanged("int x<::> = <%1%>; return x[0];");
  check_unchanged("return a %:: b;");
  CHECK(defined_preamble("#if N / M\n#pragma unroll (N / M)\n#error a / b\n#endif\nint n = N / M;") ==
        "#if N / M\n#pragma unroll (N / M)\n#error a / b\n#endif\nint n = N %kiln_by/ M;");
  CHECK(defined_preamble("#line 3 \"a/b\"\nint n = N / M;\n") == "#line 3 \"a/b\"\nint n = N %kiln_by/ M;\n");
}

TEST_CASE("integer divisions: macros, unless the preprocessor may compute with them") {
  CHECK(defined_preamble("#define RATIO(x, y) ((x) / (y))\n%:define REST(x, y) ((x) % \\\n(y))\n") ==
        "#define RATIO(x, y) ((x) %kiln_by/ (y))\n%:define REST(x, y) ((x) %kiln_by% \\\n(y))\n");
  CHECK(defined_preamble("#define A (N / M)\n#define B (A / N)\n#define C (N % M)\n#if B > 2\n#elif defined(D)\n#endif") ==
        "#define A (N / M)\n#define B (A / N)\n#define C (N %kiln_by% M)\n#if B > 2\n#elif defined(D)\n#endif");
  CHECK(defined_preamble("#define A (N / M)\n#include <a/b.hpp>\nint n = N / M;") ==
        "#define A (N / M)\n#include <a/b.hpp>\nint n = N %kiln_by/ M;");
  CHECK(defined_preamble("#define A (N / M)\n", "#if A\n#endif") == "#define A (N / M)\n");
  // A macro may be any name.
  codegen::UserText text = body_of("return a / b + 1.5 / a;");
  text.defines = {"a=int(b)", "half=(n / 2 / m)"};
  const IntegerDivisions divisions(text);
  CHECK(divisions.defined("f", text.body) == "return a %kiln_by/ b + 1.5 / a;");
  CHECK(divisions.defined("f.defines", "#define a int(b)\n#define half (n / 2 / m)") ==
        "#define a int(b)\n#define half (n / 2 %kiln_by/ m)");
}

TEST_CASE("integer divisions: every text of a definition, by its name") {
  codegen::UserText text = body_of("return a.n / b.n;");
  text.name = "r";
  text.preamble = "const int p = n / m;";
  text.functions = "int f() { return p / n; }";
  text.identity = "{1 / p}";
  text.stages = {.accumulator = "int n = 1 % p;", .map = "return {a / b};", .post = "return a.n % p;"};
  const IntegerDivisions divisions(text);
  CHECK_FALSE(divisions.empty());
  CHECK(divisions.defined("r.preamble", text.preamble) == "const int p = n %kiln_by/ m;");
  CHECK(divisions.defined("r.functions", text.functions) == "int f() { return p %kiln_by/ n; }");
  CHECK(divisions.defined("r.accumulator", text.stages->accumulator) == "int n = 1 %kiln_by% p;");
  CHECK(divisions.defined("r.map", text.stages->map) == "return {a %kiln_by/ b};");
  CHECK(divisions.defined("r.reduce", text.body + "\n}") == "return a.n %kiln_by/ b.n;\n}");
  CHECK(divisions.defined("r.post", text.stages->post) == "return a.n %kiln_by% p;");
  CHECK(divisions.defined("r.identity", text.identity) == "{1 %kiln_by/ p}");
  CHECK(divisions.defined("r.other", "a / b") == "a / b");
  CHECK(IntegerDivisions().defined("r.map", text.stages->map) == text.stages->map);
}

TEST_CASE("integer divisions: none in a text that does not scan") {
  const std::string body = "return a / b; /* open";
  CHECK(IntegerDivisions(body_of(body)).empty());
}

TEST_CASE("integer divisions: findings are shown in the text as it is written") {
  const auto shown = [](int column) {
    const kiln::Diagnostic found = kiln::kinds::as_written(
        {.severity = kiln::Severity::warning, .column = column, .source_line = "q = a %kiln_by/ b; r %=kiln_by/= c << 40;"});
    CHECK(found.source_line == "q = a / b; r /= c << 40;");
    return found.column;
  };
  CHECK(shown(5) == 5);  // a
  CHECK(shown(7) == 7);  // in what was inserted
  CHECK(shown(12) == 7);
  CHECK(shown(15) == 7);   // the first /
  CHECK(shown(17) == 9);   // b
  CHECK(shown(20) == 12);  // r
  CHECK(shown(34) == 17);  // c
  CHECK(shown(36) == 19);  // <<
}
