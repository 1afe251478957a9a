// KILN_RECORD on the emulated GPU: what a program used there is compiled ahead of time, and the program then compiles nothing.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../unit/base/child_process.hpp"
#include "../unit/base/temporary_directory.hpp"
#include "kiln/kiln.hpp"

using namespace kiln;
using kiln::test::ChildProcess;
using kiln::test::from_parent;

TEST_CASE("helper process: methods on the emulated GPU" * doctest::skip()) {
  const Ufunc sum = vectorize({.name = "sum", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .identity = "0"});
  const Ufunc mix = vectorize({.name = "mix", .signatures = {"float32(float32 a, float32 b)"}, .body = "return a - b / 2;"});
  const Array grid = Array::full(Shape{40, 600}, 1.0F);
  const Array bins = Array::from(std::vector<std::int32_t>{3, 1, 3});
  CHECK(sum.reduce(grid, {.axis = all_axes}).item<float>() == 24000);
  CHECK(sum.reduce(grid).copy_to_host()[{7}].item<float>() == 40);
  CHECK(sum.reduce(to_device(grid, Device::best()), {.axis = 1}).copy_to_host()[{7}].item<float>() == 600);
  CHECK(sum.reduceat(grid, bins, {.axis = 1})[{0, 1}].item<float>() == 2);
  CHECK(sum.accumulate(grid)[{39, 5}].item<float>() == 40);
  CHECK(mix.reduce(grid)[{0}].item<float>() == doctest::Approx(1 - 39 / 2.0));
  Array histogram = Array::zeros({5}, DType::int32);
  sum.at(histogram, bins, 1);
  CHECK(histogram[{3}].item<std::int32_t>() == 2);
  Array ordered = Array::zeros({5}, DType::float32);
  mix.at(ordered, bins, 2.0F);
  CHECK(ordered[{3}].item<float>() == -2);
  CHECK(sum.outer(grid[{0, Slice{.stop = 8}}], bins.astype(DType::float32))[{7, 1}].item<float>() == 2);
  const RawKernel turn =
      kernel({.name = "turn",
              .signature = "void(T[:] x)",
              .body = "KILN_SHARED T own[32];\nown[thread.x] = x[item];\nbarrier();\nx[item] = own[31 - thread.x];"});
  const Array numbers = Array::from(std::vector<double>{1, 2, 3, 4}).reshape({4, 1}).broadcast_to({4, 16}).copy();
  turn({.grid = {2}, .block = {32}}, numbers);
  CHECK(numbers[{0, 0}].item<double>() == 2);
  CHECK(numbers[{3, 0}].item<double>() == 3);
  test::write_text(from_parent("KILN_TEST_STATS"), std::to_string(cache::stats().compiles) + " compiles");
}

TEST_CASE("helper process: compiles the manifest for the emulated GPU" * doctest::skip()) {
  const Manifest manifest = Manifest::read(from_parent("KILN_TEST_MANIFEST"));
  const auto report = manifest.compile({"sm_90"}, {});
  CHECK(report.failed == 0);
  test::write_text(from_parent("KILN_TEST_STATS"), std::to_string(report.compiled) + " compiles");
}

TEST_CASE("emulator: methods that were recorded are compiled ahead of time under the keys that calls look for") {
  const test::TemporaryDirectory folder;
  std::map<std::string, std::string> environment{{"KILN_CUDA", KILN_EMULATED_CUDA_LIBRARY},
                                                 {"KILN_NVRTC", KILN_EMULATED_NVRTC_LIBRARY},
                                                 {"KILN_DEVICE", "cuda"},
                                                 {"KILN_CACHE_READONLY_DIRS", ""},
                                                 {"KILN_TEST_MANIFEST", folder / "record.json"},
                                                 {"KILN_TEST_STATS", folder / "stats"}};
  const auto run = [&](const std::string& name, const std::string& cache, const std::string& record) {
    environment["KILN_CACHE_DIR"] = folder / cache;
    environment["KILN_RECORD"] = record;
    CHECK(ChildProcess(name, environment).wait() == 0);
    return test::read_text(folder / "stats");
  };
  const std::string program = "helper process: methods on the emulated GPU";
  const std::string wanted = run(program, "first", folder / "record.json");
  CHECK(std::stoi(wanted) >= 9);
  CHECK(run("helper process: compiles the manifest for the emulated GPU", "second", "") == wanted);
  CHECK(run(program, "second", "") == "0 compiles");
}
