// What is found in texts that compile: which are told, at which place, and which are not.
#include "codegen/doubtful.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using kiln::Diagnostic;
using kiln::codegen::OutputForm;

std::string told(const std::string& text) {
  std::string all;
  for (const Diagnostic& found : kiln::codegen::doubtful_code("f", text)) {
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

TEST_CASE("doubtful code: fractions that divisions of integers lose") {
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

TEST_CASE("doubtful code: chains of comparisons") {
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

TEST_CASE("doubtful code: outputs that nothing assigns") {
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
