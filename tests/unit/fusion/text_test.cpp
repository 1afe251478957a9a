// The texts of a fused loop: an ordinary definition, in which each ufunc's text stands under its own name.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "../base/temporary_directory.hpp"
#include "../device/gpu_compilers.hpp"
#include "fusion/text.hpp"
#include "kernel/spec.hpp"
#include "traced.hpp"

using namespace kiln;
using test::count_of;
using test::Traced;
using ufunc::Loop;

TEST_CASE("a loop is a definition of its own") {
  const Traced t(3);
  const Loop loop =
      t.loop({math::sqrt(t.x[1] * t.x[1] - 4 * t.x[0] * t.x[2])}, {DType::float32, DType::float32, DType::float64});
  REQUIRE(loop.definition != nullptr);
  CHECK(loop.text == "float64(float32 x0, float32 x1, float64 x2)");
  CHECK(loop.definition->signatures == std::vector<std::string>{loop.text});
  CHECK(loop.definition->body ==
        "const ::kiln::float32 kiln_v0_0 = kiln_part_0::kiln_body(x1, x1);\n"
        "const ::kiln::float32 kiln_v1_0 = kiln_part_0::kiln_body(0x1p+2f, x0);\n"
        "const ::kiln::float64 kiln_v2_0 = "
        "kiln_part_1::kiln_body(::kiln::from_storage<::kiln::float64>(kiln_v1_0), x2);\n"
        "const ::kiln::float64 kiln_v3_0 = "
        "kiln_part_2::kiln_body(::kiln::from_storage<::kiln::float64>(kiln_v0_0), kiln_v2_0);\n"
        "const ::kiln::float64 kiln_v4_0 = kiln_part_3::kiln_body(kiln_v3_0);\n"
        "return kiln_v4_0;\n");
  // multiply stands there for float32 and for float64, once each.
  CHECK(count_of(loop.definition->compile.functions, "namespace kiln_part_") == 4);
  CHECK(count_of(loop.definition->compile.functions, "#line 1 \"multiply\"\nreturn wrapping_multiply(x1, x2);\n") == 2);
  CHECK(count_of(loop.definition->compile.functions, "using T = ::kiln::float32;\n") == 1);
  CHECK_NOTHROW(static_cast<void>(vectorize(*loop.definition)));
}

TEST_CASE("halves go from step to step as they would be stored") {
  const Traced t(2);
  const Loop loop = t.loop({t.x[0] * t.x[1] + 1, t.x[0]}, {DType::float16, DType::float16});
  CHECK(loop.text == "(float16 y0, float16 y1)(float16 x0, float16 x1)");
  CHECK(loop.definition->body ==
        "const ::kiln::float16 kiln_v0_0 = kiln_part_0::kiln_body(x0, x1);\n"
        "const ::kiln::float16 kiln_v1_0 = "
        "kiln_part_1::kiln_body(::kiln::from_storage<::kiln::float16>(kiln_v0_0), 0x1p+0f);\n"
        "y0 = kiln_v1_0;\n"
        "y1 = x0;\n");
}

TEST_CASE("line numbers: the ufunc's own, and the text's behind it") {
  const Traced t(1);
  const Ufunc f = vectorize(
      {.name = "doubled",
       .signatures = {"float32(float32 x)"},
       .body = "\nreturn\n  twice(x);\n\n",
       .compile = {.preamble = "#define N 2", .functions = "float twice(float x) { return N * x; }", .defines = {"M=3"}}});
  const std::string text = t.loop({f(t.x[0])}, {DType::float32}).definition->compile.functions;
  INFO(text);
  CHECK(text.find("#line 1 \"doubled.preamble\"\n#define N 2\n") != std::string::npos);
  CHECK(text.find("#line 1 \"doubled.functions\"\nfloat twice(") != std::string::npos);
  CHECK(text.find("#line 1 \"doubled\"\n\nreturn\n  twice(x);\n\n\n#line 3 \"doubled\"\n}\n") != std::string::npos);
  CHECK(text.find("#line 1 \"doubled.defines\"\n#define M 3\n") < text.find("#define N 2"));
  CHECK(text.find("#undef M\n#undef N\n") > text.find("#line 3 "));
  std::istringstream lines(text);
  int number = 0;
  int resets = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.ends_with("\"traced.functions\"")) continue;
    CHECK(line == "#line " + std::to_string(number + 1) + " \"traced.functions\"");
    ++resets;
  }
  CHECK(resets == 4);
}

TEST_CASE("the GPUs' compilers take fused loops") {
  const test::TemporaryDirectory folder;
  const Traced t(2);
  const Ufunc user = vectorize({.name = "user",
                                .signatures = {"T(T x) where T: float32, float64"},
                                .body = "return scale(x);",
                                .compile = {.preamble = "#include \"shared.hpp\"",
                                            .functions = "T scale(T x) { return FACTOR * x; }",
                                            .headers = {{"shared.hpp", "#pragma once\nstatic const int factor = 3;\n"}},
                                            .defines = {"FACTOR=factor"}}});
  const auto [quotient, rest] = math::divmod.outputs<2>(t.x[0], t.x[1] + 1.5);
  const std::vector<Expr> real = {user(quotient) + math::hypot(rest, INFINITY), (t.x[0] < t.x[1]) || !rest};
  const Expr z = t.x[0] * std::complex<float>(0, 1) + t.x[1];
  struct Case {
    std::vector<Expr> results;
    std::vector<DType> dtypes;
  };
  const Case cases[] = {{real, {DType::float32, DType::int16}},
                        {real, {DType::float64, DType::bool_}},
                        {{t.x[0] * t.x[1] - 2, t.x[0]}, {DType::float16, DType::bfloat16}},
                        {{math::exp(z), math::absolute(z)}, {DType::complex64, DType::float64}},
                        {{(t.x[0] << 3) % (t.x[1] | 1) == 0}, {DType::int8, DType::uint64}}};
  for (const auto& [kind, target] : {std::pair{DeviceKind::cuda, "sm_90"}, std::pair{DeviceKind::hip, "gfx90a"}}) {
    if (!test::have_compiler(kind)) continue;
    for (const Case& each : cases) {
      const Loop loop = t.loop(each.results, each.dtypes);
      INFO(std::string(target), ": ", loop.text);
      UfuncDefinition definition = *loop.definition;
      definition.compile.cache = Cache({.directory = folder / "cache"});
      CHECK(vectorize(std::move(definition)).compile(target) == 1);
    }
    // Errors are in the ufunc's own lines there, too.
    const Ufunc bad = vectorize({.name = "bad", .signatures = {"T(T x)"}, .body = "T y = x;\nreturn y + missing;"});
    UfuncDefinition definition = *t.loop({bad(t.x[0]) * 2}, {DType::float32, DType::bool_}).definition;
    definition.compile.cache = Cache({.directory = folder / "cache"});
    try {
      vectorize(std::move(definition)).compile(target);
      FAIL_CHECK("it compiled");
    } catch (const CompileError& error) {
      REQUIRE(!error.diagnostics().empty());
      CHECK(error.diagnostics().front().file == "bad");
      CHECK(error.diagnostics().front().line == 2);
      CHECK(error.diagnostics().front().column == 12);
    }
  }
}
