// What is read from the bodies of generalized ufuncs: whether several indices or items may be computed at once, and what teams
// share.
#include <doctest/doctest.h>

#include <string>

#include "codegen/lanes.hpp"
#include "codegen/team_memory.hpp"

using kiln::codegen::has_chain;
using kiln::codegen::suits_lanes;
using kiln::codegen::team_bytes;
using kiln::codegen::UserText;

TEST_CASE("bodies of arithmetic and counted loops suit lanes") {
  CHECK(suits_lanes({.body = "float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;"}));
  CHECK(suits_lanes({.body = "T s = 0; for (index k = 0; k < n; ++k) { s += sqrt(A(i, k)); } /* if */ C(i, j) = s;"}));
  // Without a loop the compiler does as well.
  CHECK_FALSE(suits_lanes({.body = "C(i, j) = A(i, j) * 2;"}));
  for (const char* body :
       {"for (index k = 0; k < n; ++k) if (A(i, k) > 0) C(i, j) = 1;", "for (index k = 0; k < n; ++k) s = a > b ? a : b;",
        "for (index k = 0; k < j % 2; ++k) s += 1;", "for (auto& x : A) s += x;", "for (;;) { double s = A(i, j); }",
        "for (index k = 0; k < n && k < j; ++k) s += 1;", "while (s < 3) s += 1;", "for (;;) s += table[j];",
        "for (;;) s += \"unclosed"}) {
    CAPTURE(body);
    CHECK_FALSE(suits_lanes({.body = body}));
  }
  CHECK_FALSE(suits_lanes({.body = "for (index k = 0; k < n; ++k) s += f(k);", .functions = "float f(float x) { return x; }"}));
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

TEST_CASE("what a team shares is read from the counts") {
  const auto sizes = [](std::string_view name) -> std::optional<std::int64_t> {
    if (name == "n") return 10;
    if (name == "lanes") return 64;
    return std::nullopt;
  };
  const auto bytes = [&](const std::string& body) {
    return team_bytes({.body = body, .type_variables = {{"T", kiln::DType::float64}}}, sizes);
  };
  CHECK(bytes("sync();") == 0);
  CHECK(bytes("auto* a = shared<float32>(n);") == 48);  // rounded up to 16
  CHECK(bytes("shared<T>(2 * (n + 1) - lanes / 32); shared<int8>(1)") == 20 * 8 + 16);
  CHECK(bytes("shared<unknown>(3)") == 48);
  CHECK(bytes("// shared<float32>(n)\n") == 0);
  for (const char* body :
       {"shared<float32>(rows)", "shared<float32>(A.size())", "shared<float32>(n % 3)", "shared<float32>(-n)",
        "shared<float32>(n / 0)", "shared<float32>(0 - 1)", "shared<float32>(9223372036854775807)", "shared<float32>(1 << 3)",
        "shared<decltype(x)>(n)", "shared<float32>(n"}) {
    CAPTURE(body);
    CHECK(bytes(body) == std::nullopt);
  }
}
