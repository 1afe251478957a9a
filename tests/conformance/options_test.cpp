// What a definition may bring along: functions, preamble, headers, include folders, defines, contract, fast_math. Each reaches
// the kernel and takes part in its key.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Ufunc;
using kiln::UfuncDefinition;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

/// The first element of a one-input float32 ufunc's result.
float value_of(const Target& target, const UfuncDefinition& definition, float x) {
  const Ufunc ufunc = kiln::vectorize(definition);
  return target.fetch(target.call(ufunc, {target.place(make(DType::float32, {x, x, x}))})).as<float>()[1];
}

/// Kernels that came from no cache while `call` ran.
template <class Call>
std::uint64_t compiles_during(Call call) {
  const std::uint64_t before = kiln::cache::stats().compiles;
  call();
  return kiln::cache::stats().compiles - before;
}

UfuncDefinition plain() {
  UfuncDefinition definition;
  definition.name = "plain";
  definition.signatures = {"float32(float32 a)"};
  definition.body = unique_comment() + "return 2 * a;";
  return definition;
}

}  // namespace

TEST_CASE("options: a device function gives two values through references") {
  const Ufunc distance = kiln::vectorize({.name = "polar_distance",
                                          .signatures = {"float64(float64 r1, float64 t1, float64 r2, float64 t2)"},
                                          .body = "float64 x1, y1, x2, y2;\n"
                                                  "to_cartesian(r1, t1, x1, y1);\n"
                                                  "to_cartesian(r2, t2, x2, y2);\n"
                                                  "return sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2));",
                                          .functions = "void to_cartesian(float64 r, float64 t, float64& x, float64& y) {\n"
                                                       "  x = r * cos(t);\n"
                                                       "  y = r * sin(t);\n"
                                                       "}\n"});
  auto source = random_source(6);
  std::vector<Exact> operands[4];
  std::vector<Exact> expected;
  for (int i = 0; i < 500; ++i) {
    long double v[4];
    for (std::size_t k = 0; k < 4; ++k) {
      operands[k].push_back(rounded(DType::float64, static_cast<long double>(source() % 10000) / 1000));
      v[k] = operands[k].back().real();
    }
    expected.emplace_back(
        std::hypot(v[0] * std::cos(v[1]) - v[2] * std::cos(v[3]), v[0] * std::sin(v[1]) - v[2] * std::sin(v[3])));
  }
  on_every_device([&](const Target& target) {
    std::vector<Array> arrays;
    for (const auto& operand : operands) arrays.push_back(target.place(make(DType::float64, operand)));
    const Array result = target.call(distance, {arrays[0], arrays[1], arrays[2], arrays[3]});
    const std::vector<Exact> got = read(target.fetch(result));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += std::abs(got[i] - expected[i]) <= 1e-13L ? 0U : 1U;
    CHECK(wrong == 0);
  });
}

TEST_CASE("options: preamble, functions, headers, include folders and defines reach the kernel") {
  const TemporaryDirectory folder;
  write_text(folder / "offset.hpp", "#pragma once\n#define OFFSET 100\n");
  UfuncDefinition definition = plain();
  definition.name = "everything";
  definition.body = unique_comment() + "return scaled(a) + OFFSET + EXTRA + kTable[1];";
  definition.preamble = "#include \"mine/scale.hpp\"\n#include \"offset.hpp\"\n";
  definition.functions = "float scaled(float x) { return scale * x; }\nconstexpr float kTable[2] = {1.0f, 0.25f};\n";
  definition.headers = {{"mine/scale.hpp", "constexpr float scale = 3;\n"}};
  definition.include_dirs = {folder.path()};
  definition.defines = {"EXTRA=0.5f", "UNUSED"};
  on_every_device([&](const Target& target) { CHECK(value_of(target, definition, 4.0F) == 112.75F); });
}

TEST_CASE("options: every option takes part in the key") {
  on_every_device(
      [&](const Target& target) {
        const UfuncDefinition base = plain();
        const auto compiles = [&](const UfuncDefinition& definition) {
          return compiles_during([&] { CHECK(value_of(target, definition, 1.5F) == 3.0F); });
        };
        CHECK(compiles(base) == 1);
        const std::uint64_t hits = kiln::cache::stats().memory_hits;
        CHECK(compiles(base) == 0);
        CHECK(kiln::cache::stats().memory_hits == hits + 1);

        UfuncDefinition changed = base;
        changed.preamble = "// nothing";
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.functions = "float unused(float x) { return x; }";
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.defines = {"SOMETHING=1"};
        CHECK(compiles(changed) == 1);
        changed.defines = {"SOMETHING=2"};
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.contract = true;
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.fast_math = true;
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.preamble = "#include \"h.hpp\"\n";
        changed.headers = {{"h.hpp", "// one"}};
        CHECK(compiles(changed) == 1);
        changed.headers = {{"h.hpp", "// two"}};
        CHECK(compiles(changed) == 1);
        CHECK(compiles(changed) == 0);
        // A header that nothing includes changes nothing.
        changed.headers["other.hpp"] = "// three";
        CHECK(compiles(changed) == 0);
        CHECK(compiles(base) == 0);
      },
      {Mode::device});
}

TEST_CASE("options: a changed header in a folder is compiled anew") {
  const TemporaryDirectory folder;
  UfuncDefinition definition = plain();
  definition.body = unique_comment() + "return FACTOR * a;";
  definition.preamble = "#include <factor.hpp>\n";
  definition.include_dirs = {folder.path()};
  on_every_device(
      [&](const Target& target) {
        write_text(folder / "factor.hpp", "#define FACTOR 5\n");
        CHECK(compiles_during([&] { CHECK(value_of(target, definition, 2.0F) == 10.0F); }) == 1);
        CHECK(compiles_during([&] { CHECK(value_of(target, definition, 2.0F) == 10.0F); }) == 0);
        write_text(folder / "factor.hpp", "#define FACTOR 7\n");
        CHECK(compiles_during([&] { CHECK(value_of(target, definition, 2.0F) == 14.0F); }) == 1);
        write_text(folder / "factor.hpp", "#define FACTOR 5\n");
        CHECK(compiles_during([&] { CHECK(value_of(target, definition, 2.0F) == 10.0F); }) == 0);
      },
      {Mode::device});
}

TEST_CASE("options: products are fused with sums only where contract says so") {
  // (1 + e)^2 - (1 + 2e) is e^2, which the rounded product has lost.
  const float e = std::ldexp(1.0F, -12);
  const long double exact = static_cast<long double>(1 + e) * (1 + e) - (1 + 2 * e);
  UfuncDefinition definition;
  definition.name = "fused";
  definition.signatures = {"float32(float32 a, float32 b, float32 c)"};
  definition.body = "return a * b + c;";
  on_every_device(
      [&](const Target& target) {
        const std::vector<Exact> a(100, 1 + e);
        const auto run = [&](bool contract, bool fast_math) {
          definition.contract = contract;
          definition.fast_math = fast_math;
          const Array x = target.place(make(DType::float32, a));
          const Array c = target.place(make(DType::float32, std::vector<Exact>(100, -(1 + 2 * e))));
          return target.fetch(target.call(kiln::vectorize(definition), {x, x, c})).as<float>()[37];
        };
        CHECK(run(false, false) == 0.0F);
        const float fast = run(false, true);
        CHECK((fast == 0.0F || fast == static_cast<float>(exact)));
        bool can_fuse = true;
#if defined(__x86_64__)
        const bool has_fma = __builtin_cpu_supports("fma") &&
                             (std::getenv("KILN_CPU_TARGET") == nullptr || target.device().info().target >= "x86-64-v3");
        can_fuse = !target.device().is_cpu() || has_fma;
#endif
        CHECK(run(true, false) == (can_fuse ? static_cast<float>(exact) : 0.0F));
      },
      {Mode::device});
}

TEST_CASE("options: the environment of a body is small and clean") {
  // Names that headers like to take are the user's here; types have NumPy's names and <cstdint>'s.
  const Ufunc names =
      kiln::vectorize({.name = "names",
                       .signatures = {"float64(float64 half, float64 index, int64 n, float32 t, float64 min, float64 y0)"},
                       .body = "int64 big = 1; uint8 small = 255; int32_t third = 3;\n"
                               "return half + index + double(n) + t + min + y0 + double(big) + small + third;"});
  on_every_device([&](const Target& target) {
    const Array result = target.call(names, {1.0, 2.0, 3, 4.0F, 5.0, 6.0});
    CHECK(target.fetch(result).item<double>() == 280.0);
  });
}
