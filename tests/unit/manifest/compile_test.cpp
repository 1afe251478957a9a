// Manifest::compile(): several targets at once, kernels that fail among kernels that do not, and stopping.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>

#include "../base/temporary_directory.hpp"
#include "../device/gpu_compilers.hpp"
#include "base/have_cpu.hpp"
#include "kiln/kiln.hpp"

using namespace kiln;
using kiln::test::TemporaryDirectory;
using State = ManifestOutcome::State;

namespace {

Manifest manifest_of(const std::string& kernels) {
  return Manifest::parse(R"({"kiln_manifest": 2, "kernels": [)" + kernels + "]}", "m.json");
}

const char* const kThree = R"(
  {"kernel": "T scale(T x, T k) = x * k", "types": [{"T": "float32"}, {"T": "float64"}]},
  {"kernel": "float32 square(float32 x) = x * x", "calls": [
    {"inputs": ["float32[8, 8] strides [100, 8]"]},
    {"inputs": ["float16[9] offset 2"]},
    {"inputs": ["float32[9]"]}]})";

const char* const kGeneralized = R"json(
  {"kind": "gufunc", "name": "matvec", "layout": "(m,n),(n)->(m)", "signatures": ["void(T[:,:] A, T[:] x, T[:] y) where T: float32, int64"],
   "each": "i:m", "body": "T s = 0; for (index j = 0; j < n; ++j) s += A(i, j) * x(j); y(i) = s;"},
  {"kernel": "void total(float32[:] x, float32 r) { r = 0; for (auto& v : x) r += v; }", "layout": "(n)->()", "calls": [
    {"inputs": ["float32[3, 8]"]},
    {"inputs": ["float16[3, 80] strides [2, 6]"]},
    {"inputs": ["float32[3000000000, 4, 80] strides [1280, 320, 4]"], "where": "bool[4]"}]})json";

/// Compiles twice for a target: everything, then nothing.
void check_target(const std::string& target, const std::vector<std::string>& variants, const char* kernels = kThree) {
  CAPTURE(target);
  const TemporaryDirectory folder;
  const Manifest manifest = manifest_of(kernels);
  CHECK(manifest.count(target, false) == variants.size());
  std::vector<std::string> seen;
  Manifest::CompileOptions options{
      .jobs = 3, .cache = Cache(CacheOptions{.directory = folder / "cache"}), .other_sizes = false};
  options.progress = [&](const ManifestKernel& kernel, const ManifestOutcome& outcome) {
    seen.push_back(kernel.where + " " + kernel.kernel + " " + kernel.signature + " " + kernel.variant);
    CHECK(kernel.target == target);
    CHECK(outcome.state == State::compiled);
    CHECK(outcome.compile_ms > 0);
    CHECK(outcome.error == "");
    return true;
  };
  const auto report = manifest.compile({target}, options);
  CHECK(report.compiled == variants.size());
  CHECK(report.found + report.failed == 0);
  std::sort(seen.begin(), seen.end());
  const auto lines = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& line : list) text += line + "\n";
    return text;
  };
  CHECK(lines(seen) == lines(variants));

  // Another process would find them all, under the keys that kernels() tells.
  const Cache fresh(CacheOptions{.directory = folder / "cache"});
  const auto again = manifest.compile({target}, {.jobs = 1, .cache = fresh, .other_sizes = false});
  CHECK(again.found == variants.size());
  CHECK(again.compiled + again.failed == 0);
  for (const ManifestKernel& kernel : manifest.kernels(target, false)) CHECK(fresh.explain(kernel.key).hit);
  const std::vector<cache::Entry> entries = fresh.list();
  CHECK(entries.size() == variants.size());
  for (const cache::Entry& entry : entries) CHECK(entry.code_bytes > 500);
}

}  // namespace

#if KILN_HAVE_CPU

TEST_CASE("a manifest is compiled for CPUs") {
  for (const char* target : {"native", "x86-64-v3"}) {
    check_target(target, {"/kernels/0 scale float32(float32 x, float32 k) contiguous",
                          "/kernels/0 scale float64(float64 x, float64 k) contiguous",
                          "/kernels/1/calls/0 square float32(float32 x) strided (input 0), any rank",
                          "/kernels/1/calls/1 square float32(float32 x) contiguous, input 0 from float16",
                          "/kernels/1/calls/2 square float32(float32 x) contiguous"});
  }
}

TEST_CASE("the usual kernels of methods are those that contiguous arrays run") {
  const TemporaryDirectory folder;
  const Manifest manifest = manifest_of(
      R"({"kernel": "T sum(T a, T b) = a + b", "identity": "0", "widens_integers": true, "types": [{"T": "float32"}, {"T": "int8"}, {"T": "int64"}],
          "methods": ["outer", "reduce", "reduceat", "accumulate", "at", "partial"]})");
  const auto report = manifest.compile({"native"}, {.cache = Cache(CacheOptions{.directory = folder / "cache"})});
  // On a CPU a reduction has one kernel for all layouts, and a call one more for arrays with other extents of 1.
  CHECK(report.compiled == 3 * 7);
  CHECK(report.found + report.failed == 0);
  const Cache fresh(CacheOptions{.directory = folder / "cache"});
  const Ufunc sum = vectorize({.name = "sum",
                               .signatures = {"T(T a, T b)"},
                               .expression = "a + b",
                               .identity = "0",
                               .widens_integers = true,
                               .compile = {.cache = fresh}});
  for (const DType dtype : {DType::float32, DType::int8, DType::int64}) {
    const Array grid = to_device(Array::full(Shape{30, 200}, 1.0F).astype(dtype), Device::cpu());
    const Array indices = Array::from(std::vector<std::int64_t>{0, 7});
    sum.reduce(grid);
    sum.reduce(grid, {.axis = 1});
    sum.reduceat(grid, indices);
    sum.accumulate(grid, {.axis = 1});
    sum.at(grid, indices, grid[{0}]);
    sum.outer(grid[{0}], grid[{1}]);
    const Partial left = partial(sum, grid[Slice{0, 7}], {.global_size = 30});
    static_cast<void>(left.combine(partial(sum, grid[Slice{7, {}}], {.global_offset = 7})).finish());
  }
  CHECK(fresh.stats().compiles == 0);
  CHECK(fresh.stats().disk_hits == 3 * 6);
}

TEST_CASE("generalized ufuncs of a manifest are compiled for CPUs") {
  check_target(
      "native",
      {"/kernels/0 matvec void(float32[:,:] A, float32[:] x, float32[:] y) contiguous",
       "/kernels/0 matvec void(int64[:,:] A, int64[:] x, int64[:] y) contiguous",
       "/kernels/1/calls/0 total void(float32[:] x, float32 r) contiguous, n = 8, input 0 as AoS, output 0 as SoA, few items",
       "/kernels/1/calls/1 total void(float32[:] x, float32 r) strided, input 0 as SoA, input 0 from "
       "float16, output 0 as SoA, few items",
       "/kernels/1/calls/2 total void(float32[:] x, float32 r) contiguous, output 0 as SoA, where, few "
       "items"},
      kGeneralized);
}

TEST_CASE("definitions in CuPy's notation are compiled for CPUs and GPUs") {
  const char* const kernels = R"json(
    {"kind": "cupy.elementwise", "in_params": "T x, raw T y", "out_params": "T z", "operation": "z = x + y[n - i - 1]", "name": "reversed", "types": [{"T": "float32"}]},
    {"kind": "cupy.reduction", "in_params": "T x", "out_params": "T y", "map_expr": "x * x", "reduce_expr": "a + b", "post_map_expr": "y = sqrt(a)", "identity": "0", "types": [{"T": "float32"}]},
    {"kind": "cupy.raw", "code": "__global__ void one(float* x) { x[threadIdx.x] = N; }", "name": "one", "options": ["-DN=1"]},
    {"kind": "cupy.raw", "code": "template <class T> __global__ void two(T* x) {}\n__global__ void three(int n) {}", "name_expressions": ["two<int>", "three", "two<float>"]},
    {"kind": "cupy.raw", "code": "template <class T> __global__ void two(T* x) {}", "calls": [{"kernel": "two<double>", "launch": "blocks"}]})json";
  std::vector<std::string> targets{"native"};
  if (test::have_compiler(DeviceKind::cuda)) targets.emplace_back("sm_90");
  if (test::have_compiler(DeviceKind::hip)) targets.emplace_back("gfx942");
  for (const std::string& target : targets) {
    const TemporaryDirectory folder;
    std::set<std::string> seen;
    const auto report =
        manifest_of(kernels).compile({target}, {.cache = Cache(CacheOptions{.directory = folder / "cache"}),
                                                .other_sizes = false,
                                                .progress = [&](const ManifestKernel& kernel, const ManifestOutcome& outcome) {
                                                  CHECK(outcome.error == "");
                                                  seen.insert(kernel.where + " " + kernel.kernel + " " + kernel.signature);
                                                  CHECK(kernel.variant.find("items") == std::string::npos);
                                                  return true;
                                                }});
    CAPTURE(target);
    CHECK(report.compiled == 7);
    CHECK(seen == std::set<std::string>{"/kernels/0 reversed (inout float32 z)(float32 x, raw float32 y)",
                                        "/kernels/1 reduce_kernel (float32 y)(float32 x)", "/kernels/2 one void(float32* x)",
                                        "/kernels/3 two void(int32* x)", "/kernels/3 two void(float32* x)",
                                        "/kernels/3 three void(int32 n)", "/kernels/4/calls/0 two void(float64* x)"});
  }
}

TEST_CASE("entries say what kind of kernel they hold") {
  const TemporaryDirectory folder;
  const Cache cache(CacheOptions{.directory = folder / "cache"});
  const Manifest manifest = manifest_of(R"json({"kernel": "float32 one(float32 x) = x"},
      {"kernel": "void two(float32[:] x, float32 r) { r = x(0); }", "layout": "(n)->()"},
      {"kind": "kernel", "name": "three", "signature": "void(float32[:] x)", "body": "x[item] = 0;"})json");
  CHECK(manifest.compile({"x86-64-v3"}, {.cache = cache, .other_sizes = false}).compiled == 3);
  const auto four = reduction({.name = "four",
                               .signatures = {"float32(float32 x)"},
                               .map = "return x;",
                               .reduce = "return a + b;",
                               .compile = {.cache = cache}});
  CHECK(four.compile("x86-64-v3") == 1);
  std::map<std::string, std::string> kinds;
  for (const cache::Entry& entry : cache.list()) kinds[entry.kernel] = entry.kind;
  CHECK(kinds ==
        std::map<std::string, std::string>{{"one", "ufunc"}, {"two", "gufunc"}, {"three", "kernel"}, {"four", "reduction"}});
}

TEST_CASE("a kernel that does not compile does not stop the others") {
  const TemporaryDirectory folder;
  const Manifest manifest = manifest_of(R"({"kernel": "float32 good(float32 x) = x"}, {"kernel": "float32 bad(float32 x) = y"},
      {"kernel": "float32 lost(float32 x) = x", "preamble": "#include \"nowhere.h\""}, {"kernel": "float32 fine(float32 x) = x + 1"})");
  std::map<std::string, std::string> errors;
  Manifest::CompileOptions options{.jobs = 2, .cache = Cache(CacheOptions{.directory = folder / "cache"})};
  options.progress = [&](const ManifestKernel& kernel, const ManifestOutcome& outcome) {
    errors[kernel.kernel] = outcome.error;
    CHECK((outcome.state == State::failed) == !outcome.error.empty());
    return true;
  };
  const auto report = manifest.compile({"x86-64-v3"}, options);
  CHECK(report.compiled == 2);
  CHECK(report.failed == 2);
  CHECK(errors.at("good").empty());
  CHECK(errors.at("fine").empty());
  CHECK(errors.at("bad").find("bad:1:1: error: use of undeclared identifier 'y'") == 0);
  CHECK(errors.at("bad").find("while compiling \"float32(float32 x)\" for x86-64-v3") != std::string::npos);
  CHECK(errors.at("lost").find("failed to find the header \"nowhere.h\", which lost.preamble:1 includes") == 0);
  // Looking at the keys needs the headers.
  CHECK_THROWS_AS(static_cast<void>(manifest.kernels("x86-64-v3")), IoError);
}

TEST_CASE("the callback stops the work before the next kernel, and is never called by two threads at once") {
  const TemporaryDirectory folder;
  std::string kernels;
  for (int i = 0; i < 12; ++i) {
    kernels += (i == 0 ? "" : ", ") + std::string(R"({"kernel": "float32 k)") + std::to_string(i) + "(float32 x) = x + " +
               std::to_string(i) + "\"}";
  }
  const Manifest manifest = manifest_of(kernels);
  std::atomic<int> inside{0};
  int calls = 0;
  Manifest::CompileOptions options{.jobs = 4, .cache = Cache(CacheOptions{.directory = folder / "cache"})};
  options.progress = [&](const ManifestKernel&, const ManifestOutcome&) {
    CHECK(inside.fetch_add(1) == 0);
    ++calls;
    inside.fetch_sub(1);
    return calls < 3;
  };
  const auto report = manifest.compile({"x86-64-v2"}, options);
  // What the other threads had begun is finished, reported, and in the cache.
  CHECK(report.compiled == static_cast<std::size_t>(calls));
  CHECK(report.compiled >= 3);
  CHECK(report.compiled <= 3 + 3);
  CHECK(Cache(CacheOptions{.directory = folder / "cache"}).list().size() == report.compiled);
  // What the callback throws comes out, once all threads have ended.
  options.progress = [](const ManifestKernel&, const ManifestOutcome&) -> bool { throw std::runtime_error("enough"); };
  CHECK_THROWS_WITH_AS(manifest.compile({"x86-64-v2"}, options), "enough", std::runtime_error);
}

TEST_CASE("a target that nobody knows, before anything is compiled") {
  const TemporaryDirectory folder;
  const Manifest manifest = manifest_of(kThree);
  CHECK_THROWS_WITH_AS(manifest.compile({"x86-64-v3", "sparc"}, {.cache = Cache(CacheOptions{.directory = folder / "cache"})}),
                       doctest::Contains("unknown target \"sparc\"; targets are sm_NN"), DeviceError);
  CHECK_FALSE(std::filesystem::exists(folder / "cache"));
}

#endif

TEST_CASE("a manifest is compiled for NVIDIA") {
  if (!test::have_compiler(DeviceKind::cuda)) return;
  check_target("sm_90", {"/kernels/0 scale float32(float32 x, float32 k) contiguous, width 4",
                         "/kernels/0 scale float64(float64 x, float64 k) contiguous, width 2",
                         "/kernels/1/calls/0 square float32(float32 x) strided (input 0), rank 2, width 4, unrolled 2",
                         "/kernels/1/calls/1 square float32(float32 x) contiguous, input 0 from float16, by strips of 8",
                         "/kernels/1/calls/2 square float32(float32 x) contiguous, width 4, unrolled 2"});
}

TEST_CASE("generalized ufuncs of a manifest are compiled for NVIDIA") {
  if (!test::have_compiler(DeviceKind::cuda)) return;
  check_target("sm_90",
               {"/kernels/0 matvec void(float32[:,:] A, float32[:] x, float32[:] y) contiguous",
                "/kernels/0 matvec void(int64[:,:] A, int64[:] x, int64[:] y) contiguous",
                "/kernels/1/calls/0 total void(float32[:] x, float32 r) contiguous, n = 8",
                "/kernels/1/calls/1 total void(float32[:] x, float32 r) strided, input 0 from float16",
                "/kernels/1/calls/2 total void(float32[:] x, float32 r) contiguous, where, rank 2, 64-bit index"},
               kGeneralized);
}

TEST_CASE("a manifest is compiled for AMD") {
  if (!test::have_compiler(DeviceKind::hip)) return;
  check_target("gfx90a", {"/kernels/0 scale float32(float32 x, float32 k) contiguous, width 4",
                          "/kernels/0 scale float64(float64 x, float64 k) contiguous, width 2",
                          "/kernels/1/calls/0 square float32(float32 x) strided (input 0), rank 2, width 4, unrolled 2",
                          "/kernels/1/calls/1 square float32(float32 x) contiguous, input 0 from float16, by strips of 8",
                          "/kernels/1/calls/2 square float32(float32 x) contiguous, width 4, unrolled 2"});
}

TEST_CASE("the usual calls of reductions have a GPU's kernels for every way of sharing the work, each once") {
  if (!test::have_compiler(DeviceKind::cuda)) return;
  const Manifest manifest = manifest_of(
      R"({"kernel": "T sum(T a, T b) = a + b", "identity": "0", "types": [{"T": "float32"}], "methods": ["reduce", "reduceat"]})");
  std::set<std::string> variants;
  for (const ManifestKernel& kernel : manifest.kernels("sm_90", false)) {
    CAPTURE(kernel.variant);
    CHECK(variants.insert(kernel.variant).second);
  }
  CHECK(variants == std::set<std::string>{"reduce (block), with identity, width 4", "reduce (block), with identity",
                                          "reduce (warp), with identity, width 4", "reduce (warp), with identity",
                                          "reduce (columns), with identity, width 4", "reduce (columns), with identity",
                                          "reduce (thread), with identity, width 4", "reduce (thread), with identity",
                                          "reduceat (warp)", "reduceat (warp), 2 kept axes",
                                          "reduceat (columns), strided, 2 kept axes"});
}

namespace {

/// The variants of a kernel's loop for a target that are not those of its calls, in order.
std::vector<std::string> others_of(const std::string& kernel, const std::string& target) {
  const Manifest manifest = manifest_of(kernel);
  std::vector<std::string> variants;
  const std::size_t own = manifest.count(target, false);
  const std::vector<ManifestKernel> all = manifest.kernels(target);
  CHECK(all.size() == manifest.count(target));
  std::set<std::string> keys;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(keys.insert(all[i].key).second);
    if (i >= own) variants.push_back(all[i].variant);
  }
  return variants;
}

using Variants = std::vector<std::string>;

}  // namespace

TEST_CASE("what calls with other sizes and alignments load is compiled as well, each kernel once") {
  const char* const square = R"({"kernel": "float32 square(float32 x) = x * x", "calls": [{"inputs": ["float32[9]"]}]})";
  const char* const sum = R"({"kernel": "float32 sum(float32 a, float32 b) = a + b", "identity": "0",
                              "calls": [{"method": "reduce", "inputs": ["float32[40, 8]"], "axis": 1}]})";
  const char* const total =
      R"json({"kernel": "void total(float32[:] x, float32 r) { r = 0; for (auto& v : x) r += v; }", "layout": "(n)->()",
                                    "calls": [{"inputs": ["float32[3, 8]"]}]})json";
  const char* const blocks =
      R"json({"kind": "kernel", "name": "k", "signature": "void(float32[:] x)", "body": "x(grid(1)) = 0;",
                                     "calls": [{"launch": "single"}]})json";
  if (KILN_HAVE_CPU) {
    CHECK(others_of(square, "native") == Variants{});
    CHECK(others_of(sum, "native") == Variants{});
    CHECK(others_of(total, "native") == Variants{"contiguous, output 0 as SoA, few items", "contiguous", "strided"});
    CHECK(others_of(blocks, "native") == Variants{"blocks"});
  }
  if (!test::have_compiler(DeviceKind::cuda)) return;
  CHECK(others_of(square, "sm_90") == Variants{"contiguous, unrolled 4", "contiguous, width 4, unrolled 2, 64-bit index",
                                               "contiguous, unrolled 4, 64-bit index",
                                               "contiguous, peeled, width 4, unrolled 2", "contiguous, by strips of 4"});
  CHECK(others_of(sum, "sm_90") == Variants{"reduce (thread), with identity", "reduce (block), with identity, width 4",
                                            "reduce (block), with identity", "reduce (warp), with identity, width 4",
                                            "reduce (warp), with identity", "reduce (columns), with identity, width 4",
                                            "reduce (columns), with identity", "reduce (thread), with identity, 64-bit index"});
  CHECK(others_of(total, "sm_90") == Variants{"contiguous", "contiguous, 64-bit index", "strided", "strided, 64-bit index"});
  CHECK(others_of(blocks, "sm_90") == Variants{});
}
