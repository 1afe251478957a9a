// What is read from the bodies of generalized ufuncs: what teams share.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernel/gufunc/team_memory.hpp"

using kiln::codegen::UserText;
using kiln::kinds::team_bytes;

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
