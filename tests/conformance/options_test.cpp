// What a definition may bring along: functions, preamble, headers, include folders, defines, contract, fast_math. Each reaches
// the kernel and takes part in its key.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
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
  const Ufunc distance =
      kiln::vectorize({.name = "polar_distance",
                       .signatures = {"float64(float64 r1, float64 t1, float64 r2, float64 t2)"},
                       .body = "float64 x1, y1, x2, y2;\n"
                               "to_cartesian(r1, t1, x1, y1);\n"
                               "to_cartesian(r2, t2, x2, y2);\n"
                               "return sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2));",
                       .compile = {.functions = "void to_cartesian(float64 r, float64 t, float64& x, float64& y) {\n"
                                                "  x = r * cos(t);\n"
                                                "  y = r * sin(t);\n"
                                                "}\n"}});
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
  definition.compile.preamble = "#include \"mine/scale.hpp\"\n#include \"offset.hpp\"\n";
  definition.compile.functions = "float scaled(float x) { return scale * x; }\nconstexpr float kTable[2] = {1.0f, 0.25f};\n";
  definition.compile.headers = {{"mine/scale.hpp", "constexpr float scale = 3;\n"}};
  definition.compile.include_dirs = {folder.path()};
  definition.compile.defines = {"EXTRA=0.5f", "UNUSED"};
  on_every_device([&](const Target& target) { CHECK(value_of(target, definition, 4.0F) == 112.75F); });
}

TEST_CASE("options: macros are the user's texts' alone, whatever kiln's own are written with") {
  // Sums of 3s under the names of kiln's templates and generated code.
  const std::vector<std::string> names{"N",      "A",      "T",     "E",       "p",     "c",         "x",    "i",      "k",
                                       "n",      "a0",     "r0",    "e0",      "t",     "team",      "pool", "core",   "index",
                                       "kernel", "launch", "work",  "count",   "begin", "end",       "data", "stride", "size",
                                       "pi",     "one",    "value", "storage", "loops", "operation", "walk", "user",   "view",
                                       "out",    "at",     "of",    "d",       "here",  "axes"};
  std::string sum;
  std::string directives = "#define TWICE(v) (2 * v)\n";
  std::vector<std::string> defines{"TWICE(v)=(2 * v)"};
  for (const std::string& name : names) {
    sum += " + " + name;
    directives += "#define " + name + " 3\n";
    defines.push_back(name + "=3");
  }
  const float expected = 2 * 5 + 3.0F * static_cast<float>(names.size());
  for (const bool defined : {true, false}) {
    CAPTURE(defined);
    const std::string preamble = defined ? "" : directives;
    const std::vector<std::string> list = defined ? defines : std::vector<std::string>();
    UfuncDefinition definition;
    definition.signatures = {"float32(float32 a_)"};
    definition.body = "return TWICE(a_)" + sum + ";";
    definition.compile.preamble = preamble;
    definition.compile.defines = list;
    const auto gufunc = [&](const std::string& group) {
      return kiln::guvectorize({.layout = "(q)->()",
                                .signatures = {"void(float32[:] a_, float32 b_)"},
                                .group = group,
                                .body = "for (::kiln::int64 q_ = 1; q_ < q; ++q_) b_ = a_(q_); b_ = TWICE(a_(0))" + sum + ";",
                                .compile = {.preamble = preamble, .defines = list}});
    };
    const kiln::Gufunc plain_gufunc = gufunc("");
    const kiln::Gufunc team = gufunc("32");
    const kiln::RawKernel raw =
        kiln::kernel({.signature = "void(float32[:,:] a_)",
                      .body = "const auto [i_, j_] = grid(2);\na_(j_, i_) = TWICE(a_[j_][i_])" + sum + ";",
                      .compile = {.preamble = preamble, .defines = list}});
    const kiln::Reduction most = kiln::reduction({.signatures = {"float32(float32 a_)"},
                                                  .map = "return TWICE(a_) + N + a0 + r0 + index + count;",
                                                  .reduce = "return a < b ? b : a;",
                                                  .compile = {.preamble = preamble, .defines = list}});
    on_every_device([&](const Target& target) {
      CHECK(value_of(target, definition, 5.0F) == expected);
      const Array fives = target.place(Array::full({4, 3}, 5.0F));
      const kiln::GufuncOptions options{.stream = target.options().stream};
      CHECK(target.fetch(plain_gufunc({fives}, options)).to_vector<float>()[3] == expected);
      CHECK(target.fetch(team({fives}, options)).to_vector<float>()[3] == expected);
      CHECK(target.fetch(most({fives}, reduction_on(target, {.axis = 0}))).to_vector<float>()[0] == 25);
      raw.configure({3, 4}, {}, target.options().stream)(fives);
      CHECK(target.fetch(fives).to_vector<float>()[2] == expected);
    });
  }
}

TEST_CASE("options: a function of kiln's may be named in a define alone, and errors in defines are told there") {
  UfuncDefinition definition = plain();
  definition.body = "return ACT(a) - tanh_of(a);";
  definition.compile.functions = "float32 tanh_of(float32 v) { return ACT(v); }";
  definition.compile.defines = {"ACT=tanh"};
  on_every_device([&](const Target& target) { CHECK(value_of(target, definition, 0.5F) == 0); });
  const auto message = [&](const std::string& define) {
    definition.compile.defines = {define};
    return message_of<kiln::SignatureError>([&] { static_cast<void>(kiln::vectorize(definition)); });
  };
  constexpr const char* kAdvice =
      "; write \"NAME\", \"NAME=VALUE\" or \"NAME(a, b)=VALUE\", with a name of letters, digits and _\n";
  CHECK(message("A B=3") ==
        std::string("plain: the define \"A B=3\" has something else behind the macro's name") + kAdvice + "A B=3\n ^");
  CHECK(message("-O0") == std::string("plain: the define \"-O0\" does not begin with a macro's name") + kAdvice + "-O0\n^");
  CHECK(message("").starts_with("plain: the define \"\" does not begin with a macro's name"));
  CHECK(message("3=A").starts_with("plain: the define \"3=A\" does not begin with a macro's name"));
  CHECK(message("F(x)y=3").starts_with("plain: the define \"F(x)y=3\" has something else behind the macro's name"));
  CHECK(message("A=3\n#define B 4").starts_with("plain: the define \"A=3\n#define B 4\" has several lines"));
  definition.compile.defines = {"A", "B={"};
  CHECK(message_of<kiln::CompileError>([&] {
          static_cast<void>(kiln::vectorize(definition));
        }).starts_with("plain.defines:2:11: error: '{' is never closed"));
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
        changed.compile.preamble = "// nothing";
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.compile.functions = "float unused(float x) { return x; }";
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.compile.defines = {"SOMETHING=1"};
        CHECK(compiles(changed) == 1);
        changed.compile.defines = {"SOMETHING=2"};
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.compile.contract = true;
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.compile.fast_math = true;
        CHECK(compiles(changed) == 1);
        changed = base;
        changed.compile.preamble = "#include \"h.hpp\"\n";
        changed.compile.headers = {{"h.hpp", "// one"}};
        CHECK(compiles(changed) == 1);
        changed.compile.headers = {{"h.hpp", "// two"}};
        CHECK(compiles(changed) == 1);
        CHECK(compiles(changed) == 0);
        // A header that nothing includes changes nothing.
        changed.compile.headers["other.hpp"] = "// three";
        CHECK(compiles(changed) == 0);
        CHECK(compiles(base) == 0);
      },
      {Mode::device});
}

TEST_CASE("options: a changed header in a folder is compiled anew") {
  const TemporaryDirectory folder;
  UfuncDefinition definition = plain();
  definition.body = unique_comment() + "return FACTOR * a;";
  definition.compile.preamble = "#include <factor.hpp>\n";
  definition.compile.include_dirs = {folder.path()};
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
          definition.compile.contract = contract;
          definition.compile.fast_math = fast_math;
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
