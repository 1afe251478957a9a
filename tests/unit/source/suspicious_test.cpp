// What is found in texts that compile: which are told, at which place, and which are not.
#include "source/suspicious.hpp"
#include "kiln/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using kiln::Diagnostic;
using kiln::codegen::OutputForm;

std::string told(const std::string& text) {
  std::string all;
  for (const Diagnostic& found : kiln::codegen::suspicious_code("f", text)) {
    CHECK(found.severity == kiln::Severity::warning);
    CHECK(found.file == "f");
    all += std::to_string(found.line) + ":" + std::to_string(found.column) + ": " + found.text + "\n";
  }
  return all;
}

constexpr const char* kChain =
    ": a comparison of a comparison's result, which is a bool; write the two and join them with &&, as in 1 < x && x < 3\n";

std::string outputs_of(const std::string& body, OutputForm form = OutputForm::variable, const std::string& preamble = "") {
  const std::vector<std::string> outputs{"q", "r"};
  try {
    kiln::codegen::check_outputs({.name = "f", .body = body, .preamble = preamble}, outputs, form);
  } catch (const kiln::CompileError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    return error.diagnostics().front().text;
  }
  return "";
}

}  // namespace

TEST_CASE("suspicious code: fractions that divisions of integers lose") {
  CHECK(told("return 1/2 * a;") == "1:8: 1/2 divides integers and gives 0; write 1.0/2 for the fraction\n");
  CHECK(told("return a +\n  7 / 3L;") == "2:3: 7/3L divides integers and gives 2; write 7.0/3L for the fraction\n");
  CHECK(told("return (1 / 3) * a;") != "");
  for (const char* fine :
       {"return 4 / 2;", "return 1.0 / 2;", "return 1 / 2.0f;", "return a * 1 / 2;", "return a / 1 / 2;", "return a / 2;",
        "return 1 / a;", "return 1 / 0;", "// 1/2", "\"1/2\";", "#if 1/2\n#endif\nreturn a;", "return 0x1p1 / 3;",
        "return 1e3 / 7;", "float32 s[7 / 2]; return a;"}) {
    CAPTURE(fine);
    CHECK(told(fine) == "");
  }
}

TEST_CASE("suspicious code: a division of Python, which is a comment") {
  const std::string why =
      "// begins a comment, so that nothing is divided by 2; write x / 2, which rounds towards zero, or floor(x / 2.0)\n";
  CHECK(told("x // 2") == "1:3: " + why);
  CHECK(told("return f(x)//2;") == "1:12: " + why);
  CHECK(told("y = 1;\ny = x[i] // 2);") == "2:10: " + why);
  const std::vector<std::string> names{"", "x", "y"};
  const auto found = kiln::codegen::suspicious_code("f", "x // y", names);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text ==
        "// begins a comment, so that nothing is divided by y; write x / y, which rounds integers towards zero, or "
        "floor_divide(x, y)");
  CHECK(kiln::codegen::suspicious_code("f", "x // z", names).empty());
  for (const char* fine : {"x // twice", "x; // 2", "// 2", "x // 2 of them", "x + // 2\n 1", "x //", "//", "a /* 1 */ + b"}) {
    CAPTURE(fine);
    CHECK(told(fine) == "");
  }
}

TEST_CASE("suspicious code: chains of comparisons") {
  CHECK(told("return 1 < a < 3;") == std::string("1:10") + kChain);
  CHECK(told("return low <= x[i + 1] < high;") == std::string("1:12") + kChain);
  CHECK(told("return f(a) > b >= -1;") == std::string("1:13") + kChain);
  CHECK(told("return a < b(1) < (c);") == std::string("1:10") + kChain);
  for (const char* fine : {"return 1 < a && a < 3;", "return (1 < a) < b;", "pair<a, b> c;", "box<vec<int>> x;",
                           "static_cast<T>(a) < b;", "a << b << c;", "a >> b >> c;", "return a < b == c;", "p->x > q->y;",
                           "for (int i = 0; i < n; ++i) a < b;", "return a < b > c;", "std::max<float>(a, b) < c;",
                           "auto f = [](int a) -> int { return a > 3; };", "x = a <=> b;", "same<a < b, c> d;"}) {
    CAPTURE(fine);
    CHECK(told(fine) == "");
  }
}

TEST_CASE("suspicious code: constants of double precision beside single precision") {
  const auto wide = [](const std::string& text, bool always = true) {
    std::string all;
    for (const Diagnostic& found : kiln::codegen::wide_constants("f", text, {.names = {"x", "v"}, .always = always})) {
      CHECK(found.severity == kiln::Severity::warning);
      CHECK(found.file == "f");
      all += std::to_string(found.line) + ":" + std::to_string(found.column) + ": " + found.text + "\n";
    }
    return all;
  };
  const std::string says = " is a float64, and makes what it is computed with one, too; write ";
  CHECK(wide("return x * 0.1;") == "1:12: 0.1" + says + "0.1f\n");
  CHECK(wide("return 1 +\n 2e-3 / x;") == "2:2: 2e-3" + says + "2e-3f\n");
  CHECK(wide("v(i) *= 1.;") == "1:9: 1." + says + "1.f\n");
  CHECK(wide("return v[i + 1] - .5;") == "1:19: .5" + says + ".5f\n");
  CHECK(wide("float32 s = 0; s += 0.1;") == "1:21: 0.1" + says + "0.1f\n");
  CHECK(wide("return 2 * pi * x;") == "1:12: pi" + says + "float32(pi)\n");
  CHECK(wide("return e / (x * sqrt(6.28));") == "1:17: sqrt(6.28)" + says + "sqrt(6.28f)\n");
  CHECK(wide("return 0.1 * x * 0.2 * x;") == "1:8: 0.1" + says + "0.1f\n1:18: 0.2" + says + "0.2f\n");
  CHECK(wide("return x * 0.1;", false) == "1:12: 0.1" + says + "T(0.1), where T is a type variable of the signature\n");
  CHECK(wide("return pi * x;", false) == "1:8: pi" + says + "T(pi), where T is a type variable of the signature\n");
  for (const char* fine :
       {"return x * 0.1f;", "float32 s = 0.1;", "return x > 0 ? 1.0 : 0.5;", "return n * 0.1;", "return x * 2;", "x == 0.1;",
        "return float32(2.0 * pi) * x;", "float32 pi = 3; return pi * x;", "return p.x * 0.1;", "return x * T(0.1);",
        "return x * 0x1p3f;", "return x(0.5);", "return x * 0.5f16;", "// x * 0.1", "x = 0.1;", "return x - f(0.1);", "0.1;"}) {
    CAPTURE(fine);
    CHECK(wide(fine) == "");
  }
  // A text that names float64 means to compute with it.
  const kiln::codegen::SingleNames single{.names = {"x"}};
  CHECK(kiln::codegen::suspicious_code({.name = "f", .body = "return 0.1 * x;"}, single).size() == 1);
  CHECK(kiln::codegen::suspicious_code({.name = "f", .body = "float64 y = 0.1 * x; return y;"}, single).empty());
  CHECK(kiln::codegen::suspicious_code({.name = "f", .body = "return 0.1 * x;", .functions = "double g();"}, single).empty());
  CHECK(kiln::codegen::suspicious_code({.name = "f", .body = "return 0.1 * x;"}, kiln::codegen::SingleNames{}).empty());
}

TEST_CASE("suspicious code: outputs that nothing assigns") {
  CHECK(outputs_of("q = 1;") == "the output r is never assigned; write r = …");
  CHECK(outputs_of("q = r;") == "the output r is never assigned; write r = …");
  CHECK(outputs_of("q = 1; if (r == 2) q = 3;") == "the output r is never assigned; write r = …");
  CHECK(outputs_of("q = 1; a.r = 2;") == "the output r is never assigned; write r = …");
  CHECK(outputs_of("q(0) = 1;", OutputForm::view) == "the output r is never assigned; write r(…) = …");
  for (const char* fine : {"q = r = 1;",
                           "q = 1; r += 2;",
                           "q = 1; r <<= 2;",
                           "q = 1; ++r;",
                           "q = 1; r--;",
                           "both(q, r);",
                           "both(&q, &r);",
                           "auto& x = r; q = x = 1;",
                           "[&] { q = 1; r = 2; }();",
                           "(q) = 1; (a > 0 ? q : r) = 2;",
                           "auto& x = a > 0 ? q : r; x = 1;",
                           "float& x{q}; set<float32>(r, 1);",
                           "static_cast<float32&>(q) = 1; (float&)(r) = 2;",
                           "Two t{q, r}; t.x = t.y = 1;",
                           "w << q << r;",
                           "auto p = [&]() -> float32& { return q; }; p() = 1; (*f)(r, 1);",
                           "q.re = 1; r[0] = 2;",
                           "if (a) q = r = 1;",
                           "struct s {}; q = 1;",
                           "int r = 1; q = r;"}) {
    CAPTURE(fine);
    CHECK(outputs_of(fine) == "");
  }
  CHECK(outputs_of("q = 1; SET;", OutputForm::variable, "#define SET r = 2") == "");
  CHECK(outputs_of("q = 1;", OutputForm::variable, "#include \"set.hpp\"") == "");
}
