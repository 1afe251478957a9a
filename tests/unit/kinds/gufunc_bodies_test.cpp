// What is read from the bodies of generalized ufuncs: whether several indices or items may be computed at once, and what teams
// share.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "kinds/gufunc/body_traits.hpp"
#include "kinds/gufunc/team_memory.hpp"

using kiln::codegen::UserText;
using kiln::kinds::has_chain;
using kiln::kinds::has_loop;
using kiln::kinds::is_dear;
using kiln::kinds::loop_depth;
using kiln::kinds::only_computes;
using kiln::kinds::team_bytes;

TEST_CASE("bodies of arithmetic and counted loops") {
  CHECK(only_computes({.body = "float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;"}));
  CHECK(only_computes({.body = "T s = 0; for (index k = 0; k < n; ++k) { s += sqrt(A(i, k)); } /* if */ C(i, j) = s;"}));
  CHECK(only_computes({.body = "C(i, j) = A(i, j) * 2; // for"}));
  CHECK(has_loop({.body = "T s = 0; for (index k = 0; k < n; ++k) s += A(i, k); C(i, j) = s;"}));
  CHECK_FALSE(has_loop({.body = "C(i, j) = A(i, j) * form; // for"}));
  for (const char* body :
       {"for (index k = 0; k < n; ++k) if (A(i, k) > 0) C(i, j) = 1;", "for (index k = 0; k < n; ++k) s = a > b ? a : b;",
        "for (index k = 0; k < j % 2; ++k) s += 1;", "for (auto& x : A) s += x;", "for (;;) { double s = A(i, j); }",
        "for (index k = 0; k < n && k < j; ++k) s += 1;", "while (s < 3) s += 1;", "for (;;) s += table[j];",
        "for (;;) s += \"unclosed"}) {
    CAPTURE(body);
    CHECK_FALSE(only_computes({.body = body}));
  }
  CHECK_FALSE(
      only_computes({.body = "for (index k = 0; k < n; ++k) s += f(k);", .functions = "float f(float x) { return x; }"}));
}

TEST_CASE("bodies of arithmetic on whole numbers name their types, but do not count by them, divide or shift") {
  for (const char* body : {"int32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k); C(i, j) = uint64(s);",
                           "T s = 0; for (index k = 0; k < n; ++k) s += int64(A(i, k)) * 3; C(i, j) = s; // s / 2"}) {
    CAPTURE(body);
    CHECK(only_computes({.body = body}, true));
  }
  CHECK_FALSE(only_computes({.body = "int32 s = 0; C(i, j) = s;"}));
  for (const char* body : {"for (int32 k = 0; k < n; ++k) C(i, j) = A(i, k);", "C(i, j) = A(i, j) / 2;",
                           "C(i, j) = A(i, j) << 2;", "C(i, j) = A(i, j) >> 2;", "C(i, j) = A(i, j) % 2;",
                           "int16 s = 0; C(i, j) = s;", "int32 s = A(i, j) > 0 ? 1 : 0; C(i, j) = s;"}) {
    CAPTURE(body);
    CHECK_FALSE(only_computes({.body = body}, true));
  }
}

TEST_CASE("a chain is a number made of what it was") {
  for (const char* body :
       {"float32 s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); r = s;", "for (;;) { s = s * t + x(i); }",
        "for (;;) { y(i) = s *= x(i); }", "for (index i = 1; i < n; ++i) y(i) = y(i - 1) + x(i);", "for (;;) s = x(i) - s;",
        "for (index i = 0; i < n; i += 2) { s -= x(i); }", "for (;;) for (index k = 0; k < n; ++k) acc /= A(i, k);"}) {
    CAPTURE(body);
    CHECK(has_chain({.body = body}));
  }
  for (const char* body :
       {"for (index i = 0; i < n; ++i) y(i) = a * x(i) + y0;", "for (index i = 0; i < n; i += 2) y(i) = x(i);",
        "for (;;) C(i, j) += A(i, k) * B(k, j);", "for (;;) y(i) = 2 * y(i);", "for (;;) { const T s = x(i); y(i) = s; }",
        "for (;;) y(i) = x(i) == y0;", "for (;;) y(i) = x(i) <= s;", "", ";", "= s;", "+= 1;", "s += \"unclosed"}) {
    CAPTURE(body);
    CHECK_FALSE(has_chain({.body = body}));
  }
}

TEST_CASE("a body is dear for its functions and, in loops or where it is looped itself, for divisions and roots") {
  const auto text = [](const char* body) {
    return UserText{
        .body = body, .input_names = {"a", "b"}, .output_names = {"r"}, .type_variables = {{"T", kiln::DType::float32}}};
  };
  for (const char* body :
       {"r = exp(a(0));", "for (;;) r += a(0) / b(0);", "for (;;) { r += 1; r += sqrt(a(0)); }", "for (;;) { { } r /= 2; }",
        "for (;;) for (;;) r += mine(a(0));", "for (;;) for (;;) { r %= 2; }", "while (r > 1) r /= 2;",
        "do { r /= 2; } while (r > 1);", "for (;;) if (a(0) > 0) r += 1; else r /= 2;",
        "for (;;) if (a(0) > 0) { r += 1; } else r /= 2;", "for (;;) { for (;;) r += 1; r += sqrt(r); }"}) {
    CAPTURE(body);
    CHECK(is_dear(text(body), false));
    CHECK(is_dear(text(body), true));
  }
  for (const char* body : {"T s = 0; for (index i = 0; i < n; ++i) s += (a(i) - b(i)) * fabs(a(i)); r = sqrt(s) / (n - 1);",
                           "for (;;) { r += T(1); } r = sqrt(r);", "for (;;) for (;;) { r += 1; } r /= 2;",
                           "r = float32(1) / a.size();", "sqrt(a(0)) / 2; for (;;) r += 1; r = sqrt(r);"}) {
    CAPTURE(body);
    CHECK_FALSE(is_dear(text(body), false));
    CHECK(is_dear(text(body), true));
  }
  for (const char* body : {"", "r = a(0) * b(1) - a(1) * b(0);  // exp(a) / 2", "if (a(0) > 0 and (b(0) > 0)) r = float16(1);",
                           "for (;;) r += max(a(0), b(0));", "s += \"unclosed"}) {
    CAPTURE(body);
    CHECK_FALSE(is_dear(text(body), true));
  }
}

TEST_CASE("how deep loops lie within each other") {
  for (const auto& [body, depth] :
       std::vector<std::pair<const char*, int>>{{"r = 1;", 0},
                                                {"for (;;) r += 1; r *= 2;", 1},
                                                {"for (;;) r += 1; for (;;) { r += 1; }", 1},
                                                {"for (;;) for (;;) r += 1;", 2},
                                                {"for (;;) { if (r) { r = 1; } for (;;) r += 1; }", 2},
                                                {"while (r) do { for (;;) { r += 1; } } while (r);", 3},
                                                {"r += \"unclosed", 0}}) {
    CAPTURE(body);
    CHECK(loop_depth({.body = body}) == depth);
  }
}

TEST_CASE("what a team shares is read from the counts") {
  const auto sizes = [](std::string_view name) -> std::optional<std::int64_t> {
    if (name == "n") return 10;
    if (name == "lanes") return 64;
    return std::nullopt;
  };
  const auto bytes_of = [&](kiln::codegen::UserText text) {
    text.type_variables = {{"T", kiln::DType::float64}};
    return team_bytes(text, sizes);
  };
  const auto bytes = [&](const std::string& body) { return bytes_of({.body = body}); };
  CHECK(bytes("sync();") == 0);
  CHECK(bytes("auto* a = shared<float32>(n);") == 48);  // rounded up to 16
  CHECK(bytes("shared<T>(2 * (n + 1) - lanes / 32); shared<int8>(1)") == 20 * 8 + 16);
  CHECK(bytes("const auto first = x(n - 1, n); if (n == 3 && lanes > n) { y = 2; } shared<float32>(n); for (;;) { }") == 48);
  CHECK(bytes("// shared<float32>(n)\n") == 0);
  CHECK(bytes("shared<float32>(n); shared<float32>(n - 12)") == -2);
  for (const char* body :
       {"shared<float32>(rows)", "shared<float32>(A.size())", "shared<float32>(n % 3)", "shared<float32>(-n)",
        "shared<float32>(n / 0)", "shared<float32>(9223372036854775807)", "shared<float32>(1 << 3)", "shared<decltype(x)>(n)",
        "shared<float32>(n", "shared<unknown>(3)", "auto* s = shared<big>(600);", "shared", "shared<T>",
        // Which may run more than once.
        "for (;;) shared<float32>(n);", "for (;;) { shared<float32>(n); }", "while (more) if (c) x(); else shared<float32>(n);",
        "auto get = [&] { return shared<float32>(n); };", "again: shared<float32>(n); goto again;",
        "do s = shared<float32>(n); while (more);",
        // Names that are not what they seem.
        "index n = 10000; shared<float32>(n)", "index lanes{100}; shared<float32>(lanes)",
        "index k, n; set(&n); shared<float32>(n)", "auto& n = m; shared<float32>(n)",
        "const auto& [k, n] = sizes; shared<float32>(n)", "enum { n = 99 }; shared<float32>(n)",
        "using float16 = big; shared<float16>(n)", "typedef big float16; shared<float16>(n)", "struct T { }; shared<T>(n)",
        "#define n 1000\nshared<float32>(n)"}) {
    CAPTURE(std::string(body));
    CHECK(bytes(body) == std::nullopt);
  }
  CHECK(bytes_of({.body = "auto* s = BUF;", .preamble = "#define BUF shared<float32>(10000)"}) == std::nullopt);
  CHECK(bytes_of({.body = "auto* s = BUF;", .defines = {"BUF=shared<float32>(10000)"}}) == std::nullopt);
  CHECK(bytes_of({.body = "auto* s = get(*this);",
                  .functions = "template <class T> auto get(T& t) { return t.template shared<T>(9); }"}) == std::nullopt);
  CHECK(bytes_of({.body = "auto* s = get(*this);", .preamble = "#include \"get.hpp\""}) == std::nullopt);
  CHECK(bytes_of({.body = "REPEAT shared<float32>(n);", .functions = "#define REPEAT for (;;)"}) == std::nullopt);
  CHECK(bytes_of({.body = "shared<float32>(n);", .defines = {"n=1000"}}) == std::nullopt);
  CHECK(bytes_of({.body = "shared<float16>(n);", .functions = "struct float16 { };"}) == std::nullopt);
  CHECK(bytes_of({.body = "y = A * A;", .defines = {"A=3"}}) == 0);
  CHECK(
      bytes_of({.body = "shared<float32>(n);", .functions = "float32 half(float32 n) { return n / 2; }", .defines = {"A=3"}}) ==
      48);
  const std::string deep(30000, '(');
  CHECK(bytes("shared<float32>(" + deep + "1" + std::string(deep.size(), ')') + ")") == std::nullopt);
}
