#include "source/speculation.hpp"

#include <doctest/doctest.h>

using namespace kiln;

namespace {

bool may(const std::string& body, bool integers = false, const std::string& functions = {}) {
  codegen::UserText text;
  text.body = body;
  text.functions = functions;
  text.input_names = {"a", "b", "x", "y"};
  text.output_names = {"r"};
  text.type_variables = {{"T", integers ? DType::int32 : DType::float32}};
  return codegen::may_speculate(text, integers);
}

}  // namespace

TEST_CASE("speculation: arithmetic and functions may be computed on any values") {
  CHECK(may("return sqrt(b * b - 4 * a * c);"));
  CHECK(may("return (a - b) * -c + 2.5f*a;"));
  CHECK(may("if (x > 0) return log(x); return x < -1 ? exp(x) : x;"));
  CHECK(may("return twice(a);", true, "inline int twice(int x) { return 2 * x; }"));
  CHECK(may("return twice(a);", false, "#line 7 \"twice\"\ninline float twice(float x) { return 2 * x; }\n#line 9 \"f\"\n"));
  CHECK_FALSE(may("return twice(a);", false, "#line 7 \"twice\"\n#define twice(x) p[x]\n"));
}

TEST_CASE("speculation: division is expensive for integers only, and by no literal") {
  CHECK(may("return a / b;"));
  CHECK_FALSE(may("return a / b;", true));
  CHECK_FALSE(may("a /= b; return a;", true));
  CHECK_FALSE(may("return a % b;", true));
  CHECK_FALSE(may("return int(a) / int(b);"));
  CHECK_FALSE(may("return 1.0f * (index(a) % b);"));
  CHECK(may("return 1.0f * (index(a) % 3);"));
  CHECK_FALSE(may("return lround(a) / lround(b);"));
  CHECK(may("return 1; // a / b", true));
}

TEST_CASE("speculation: a division has a floating-point operand that can be seen") {
  for (const char* body : {"return 1 / a;",
                           "return a / 2;",
                           "a /= 3; return a;",
                           "return 1 / (1 + exp(-x));",
                           "return exp(-x * x / 2);",
                           "return (a - b) / (a + b);",
                           "return 1 / ::kiln::sqrt(2 * a);",
                           "return (-b + sqrt(b * b - 4 * a * x)) / (2 * a);",
                           "const auto d = a * b, e = 1; return 1 / d;",
                           "auto d = exp(a); return 1 / d;",
                           "const T d = 2; return 1 / d;",
                           "float32 c = 2, d = 3; return 1 / d;",
                           "return x * static_cast<decltype(x)>(pi / 180);",
                           "return 2 * a * 3 / 4;",
                           "return 1 / 2.0f;",
                           "return 1e3 / 2;",
                           "return static_cast<T>(1) / 3;",
                           "return T(1) / 3;",
                           "return (float)1 / 3;",
                           "return 1 / (float)3;",
                           "return a > b ? 1 / a : a > b / 2;",
                           "r = 1 / max(a, 1);",
                           "return a && b / 2 > 1;",
                           "const bool c = a > x; return 1 / x;",
                           "return 1 / std::abs(x);",
                           "return 3 / -x;"}) {
    CAPTURE(std::string(body));
    CHECK(may(body));
  }
  for (const char* body : {"return 12 / ((x > 0) + (x > 1));",
                           "auto k = 0; if (x > 0) ++k; return 10 / k;",
                           "return 10 / (x > 0 ? 1 : 0);",
                           "return 10 / (a, 1);",
                           "return 10 / k * x;",
                           "return (int)a / n;",
                           "return (int)(a + 1) / n;",
                           "return 1 / !x;",
                           "return !x / n;",
                           "return static_cast<int>(x) / n;",
                           "{ auto x = 0; return 1 / x; }",
                           "{ int k = 1, x = 0; return 1 / x; }",
                           "auto c = a, x = 0; return 1 / x;",
                           "{ const auto& x = k; return 1 / x; }",
                           "return 10 / isnan(a);",
                           "return 10 / sign(1);",
                           "return 10 / x.size();",
                           "return a.x / n;",
                           "using T = int; return 1 / T(a);",
                           "return 0x1e / n;",
                           "enum { x }; return 1 / x;",
                           "struct x { }; return 1 / x();",
                           "auto k = 2 / (x > 1); return k;"}) {
    CAPTURE(std::string(body));
    CHECK_FALSE(may(body));
  }
  const std::string whole = "auto g(float32 x) { return x > 1 ? 2 : x > 0 ? 1 : 0; }\n";
  CHECK_FALSE(may("return 12 / g(x);", false, whole));
  CHECK(may("return 12 / g(x);", false, "float32 g(float32 u, const float32& v) { return u / 2 + 1 / v; }"));
  CHECK_FALSE(may("return 1 / exp(x);", false, "inline auto exp(float32 v) { return v > 1; }"));
  CHECK(may(
      "return kiln_part_0::kiln_body(x);", false,
      "namespace kiln_part_0 {\nusing U = ::kiln::float32;\n#line 1 \"f\"\nKILN_FN ::kiln::float32 kiln_body(::kiln::float32 "
      "u, ::kiln::float32 v) {\nreturn 1 / u + v / 2 + U(1) / 2;\n}\n}\n"));
  std::string deep = "a";
  for (int i = 0; i < 20000; ++i) deep = "(" + deep + ")";
  CHECK_FALSE(may("return 1 / " + deep + ";"));
}

TEST_CASE("speculation: a function that calls itself may not end") {
  CHECK_FALSE(may("return fact(a);", false, "float64 fact(float64 n) { return n == 0 ? 1 : n * fact(n - 1); }"));
  CHECK_FALSE(may("return odd(a);", false,
                  "bool even(float64 n);\nbool odd(float64 n) { return n == 1 || even(n - 1); }\n"
                  "bool even(float64 n) { return n == 0 || odd(n - 1); }"));
  CHECK_FALSE(may("return s(a).v;", false, "struct s { float v; s(float n) : v(n > 0 ? s(n - 1).v : 0) {} };"));
  CHECK(may(
      "if (a > 0) { return two(a); } else if (one(a) > 1) { return one(two(a)); } return a;", false,
      "float one(float n) { return n + 1; }\nfloat two(float n) { if (one(n) > 1) { return one(n); } return one(one(n)); }"));
}

TEST_CASE("speculation: loops, tables, pointers and what is behind an #include are not for elements that nobody asked for") {
  for (const char* body :
       {"while (a > 1) a *= 0.5f; return a;", "for (;;) {} return a;", "do { a -= 1; } while (a > 0); return a;",
        "return table[a];", "return p->x;", "return *p;", "return a + *p;", "const float* p = &q; return (*p) * 2;",
        "asm(\"\"); return a;", "__builtin_trap(); return a;", "static int n; return n;", "again: goto again;",
        "#include \"table.h\"\nreturn a;"}) {
    CAPTURE(std::string(body));
    CHECK_FALSE(may(body));
    CHECK_FALSE(may("return a;", false, body));
  }
}

TEST_CASE("speculation: what divides integers is expensive, and what converts to them by a function of the user's may trap") {
  using codegen::Speculation;
  const auto of = [](const std::string& body) {
    codegen::UserText text;
    text.body = body;
    text.input_names = {"a", "b"};
    text.output_names = {"r"};
    return codegen::speculation_of(text, true);
  };
  CHECK(of("return a * b;") == Speculation::free);
  CHECK(of("return a / 2;") == Speculation::free);
  CHECK(of("return a / b;") == Speculation::blocks);
  CHECK(of("return a > 0 ? b % a : 0;") == Speculation::blocks);
  CHECK(of("return table[a] / b;") == Speculation::none);
  CHECK(of("while (a > b) a /= 2; return a;") == Speculation::none);
  CHECK(of("struct n { int v; operator int() const { return v; } }; return n{a} / n{b};") == Speculation::none);
}
