// What each compiler makes of kernels in debug mode, with no device: every check in every kind of kernel.
#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>

#include "../../support/sample.hpp"
#include "../base/temporary_directory.hpp"
#include "../device/gpu_compilers.hpp"
#include "base/have_cpu.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/reduction.hpp"

namespace {

using kiln::CompileOptions;
using kiln::Debug;

template <class Definition>
void compile(Definition definition, const char* target) {
  // A cache that keeps nothing: every kernel is compiled.
  definition.compile.cache = kiln::Cache(kiln::CacheOptions{.directory = ""});
  definition.compile.debug = {.on = true, .nan = true};
  try {
    if constexpr (std::is_same_v<Definition, kiln::UfuncDefinition>) {
      CHECK(kiln::vectorize(definition).compile(target) > 0);
    } else if constexpr (std::is_same_v<Definition, kiln::GufuncDefinition>) {
      CHECK(kiln::guvectorize(definition).compile(target) > 0);
    } else if constexpr (std::is_same_v<Definition, kiln::ReductionDefinition>) {
      CHECK(kiln::reduction(definition).compile(target) > 0);
    } else {
      CHECK(kiln::kernel(definition).compile(target) > 0);
    }
  } catch (const kiln::CompileError& error) {
    FAIL_CHECK(target, ", ", definition.name, ": ", error.what());
  }
}

void compile_all(const char* target) {
  const std::string checks =
      "assert(a < T(77));\nprint(\"{} {:.2f}\", a, float32(a) / 3);\nint64 n = int64(a) % 7;\nn /= n - 2;\n"
      "return T(1 << n) + T(double(a) * 3.5);";
  compile(
      kiln::UfuncDefinition{.name = "every",
                            .signatures = {"T(T a) where T: int8, uint16, int32, uint64, float16, bfloat16, float32, float64"},
                            .body = checks},
      target);
  compile(
      kiln::UfuncDefinition{
          .name = "complex", .signatures = {"complex64(complex64 a)"}, .body = "print(\"{}\", a);\nreturn a / a;"},
      target);
  compile(
      kiln::GufuncDefinition{
          .name = "rows",
          .layout = "(m,n)->(n)",
          .signatures = {"void(T[:,:] a, T[:] b) where T: bool, float16, float32, complex128"},
          .body = "for (index i = 0; i < n; ++i) {\n  b(i) = a(m - 1, i);\n  b[i] = a[0][i];\n  b(i) = a.row(0)[i];\n}"},
      target);
  compile(kiln::GufuncDefinition{.name = "spread",
                                 .layout = "(n)->(n)",
                                 .signatures = {"void(float32[:] a, float32[:] b)"},
                                 .each = "i:n",
                                 .body = "b(i) = a(i + 1);"},
          target);
  compile(
      kiln::ReductionDefinition{
          .name = "sum", .signatures = {"int32(int32 x)"}, .reduce = "assert(b != 5);\nreturn a + b / 1;", .identity = "0"},
      target);
  compile(
      kiln::RawKernelDefinition{
          .name = "raw",
          .signature = "void(const float32[:,:] x, float32[:] y, int32* p)",
          .body = "const auto [i, j] = grid(2);\natomic_add(&y[i], x(i, j));\np[0] = int32(x(0, 0));\nprint(\"{}\", i);"},
      target);
}

}  // namespace

TEST_CASE("kernels in debug mode compile for sm_90") {
  if (kiln::test::have_compiler(kiln::DeviceKind::cuda)) compile_all("sm_90");
}

TEST_CASE("kernels in debug mode compile for gfx90a") {
  if (kiln::test::have_compiler(kiln::DeviceKind::hip)) compile_all("gfx90a");
}

#if KILN_HAVE_CPU
TEST_CASE("in debug mode Clang's PTX has the user's lines, also for what is inlined into them") {
  const kiln::test::TemporaryDirectory directory;
  const kiln::Cache cache(kiln::CacheOptions{.directory = directory.path()});
  const kiln::RawKernel kernel = kiln::kernel(
      {.name = "twice",
       .signature = "void(const float32[:,:] x, float32[:] y)",
       .body = "const auto [i, j] = grid(2);\ny(i) = 2 * x(i, j);",
       .compile = {.functions = "KILN_FN float32 unused(float32 a) { return a; }", .debug = {.on = true}, .cache = cache}});
  REQUIRE(kernel.compile("sm_90") == 1);
  const std::string ptx = kiln::inspect::text(*cache.find(cache.list().at(0).id), kiln::inspect::Form::ptx);
  std::map<std::string, std::string> files;  // names of texts by their numbers, which stand at the end
  std::map<std::string, int> places;         // "twice:1"
  for (const char* const directive : {".file", ".loc"}) {
    std::istringstream stream(ptx);
    std::string number;
    std::string value;
    for (std::string word; stream >> word;) {
      if (word != directive || !(stream >> number >> value)) continue;
      if (word == ".file") {
        const std::size_t name = value.rfind('/') + 1;
        files[number] = value.substr(name, value.rfind('"') - name);
      } else {
        ++places[files[number] + ":" + value];
      }
    }
  }
  CAPTURE(ptx);
  CHECK(places["twice:1"] > 0);
  CHECK(places["twice:2"] > 0);
  for (const auto& [place, count] : places) CHECK_FALSE(place.starts_with("view.hpp"));
}

TEST_CASE("clang compiles kernels in debug mode for every vendor") {
  kiln::test::Sample sample(4);
  for (const char* const target : {"sm_90", "gfx90a", "gfx1100", "native"}) {
    if (sample.takes_next()) compile_all(target);
  }
}
#endif
