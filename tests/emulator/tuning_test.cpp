// Measured launch shapes on emulated devices, whose clock counts instructions: what is tried, kept, and used by others. Kernels
// that give the number of their block's threads tell how they were launched.
#include <doctest/doctest.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "../support/message.hpp"
#include "../unit/base/temporary_directory.hpp"
#include "kiln/kiln.hpp"

namespace {

using namespace kiln;
using test::TemporaryDirectory;

constexpr std::int64_t kElements = 5000;

UfuncDefinition block_of(const Cache& cache) {
  return {.name = "block_of",
          .signatures = {"float32(float32 x)"},
          .body = "return float32(blockDim.x) + 0 * x;",
          .compile = {.cache = cache}};
}

Array ones(const Device& device, std::int64_t elements = kElements) {
  return to_device(Array::full<float>({elements}, 1.0F), device);
}

float block_in(const Array& results) {
  const std::vector<float> values = results.copy_to_host().to_vector<float>();
  CHECK(std::ranges::count(values, values.front()) == static_cast<std::ptrdiff_t>(values.size()));
  return values.front();
}

std::vector<std::string> tunings(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".tune") all.push_back(file.path());
  }
  return all;
}

/// A file as kiln tune writes them, with one result.
void write_tuning(const std::string& path, const TuneReport& report, const TuneCandidate& which, int width) {
  std::string bytes = "kiln tuning 1\n{\"id\":\"" + report.id + "\",\"shapes\":[{\"device\":\"" + report.device +
                      "\",\"driver\":\"" + report.driver + "\",\"elements\":" + std::to_string(report.elements) +
                      ",\"block\":" + std::to_string(which.block) +
                      ",\"accesses\":" + std::to_string(which.elements_per_thread / width) +
                      ",\"ms\":1,\"model_ms\":2,\"model\":false,\"measured_unix\":1}]}\n";
  XXH128_canonical_t checksum;
  XXH128_canonicalFromHash(&checksum, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const unsigned char byte : checksum.digest) {
    bytes += kDigits[byte >> 4U];
    bytes += kDigits[byte & 15U];
  }
  std::ofstream(path, std::ios::binary) << bytes << "\n";
}

}  // namespace

TEST_CASE("tuning: every candidate computes the same") {
  const Device device = Device::emulated("sm_90");
  const TemporaryDirectory folder;
  std::vector<float> values(3001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 3;
  const Array x = to_device(Array::from<float>(values), device);
  const auto define = [&](const char* body) {
    return vectorize({.name = "f",
                      .signatures = {"float32(float32 x)"},
                      .body = body,
                      .compile = {.cache = Cache({.directory = folder.path()})}});
  };
  const char* const body = "return sqrt(x) + 1;";
  const Array rows = to_device(Array::from<float>(std::vector<float>(3840, 2)), device).reshape({60, 64});
  for (const Array& each : {x, rows[{all, Slice{0, 48}}]}) {
    const std::vector<float> wanted = define(body)(each).copy_to_host().to_vector<float>();
    const Arg args[] = {each};
    const Ufunc f = define(body);
    const TuneReport report = tune(f, args);
    REQUIRE(report.candidates.size() == 12);
    for (const TuneCandidate& which : report.candidates) {
      CAPTURE(which.block);
      CAPTURE(which.elements_per_thread);
      write_tuning(folder / report.id.substr(0, 2) + "/" + report.id.substr(2) + ".tune", report, which, 4);
      const Ufunc g = define(body);
      CHECK(g(each).copy_to_host().to_vector<float>() == wanted);
      CHECK(Cache({.directory = folder.path()}).find(report.id)->tuned.at(0).block == which.block);
    }
  }
}

TEST_CASE("tuning: the best is used, here and by others") {
  const Device device = Device::emulated("sm_90");
  const TemporaryDirectory folder;
  const Array x = ones(device);
  const Ufunc f = vectorize(block_of(Cache({.directory = folder.path()})));
  const float by_model = block_in(f(x));
  const Arg args[] = {x};
  const TuneReport report = tune(f, args);
  CAPTURE(report.why_not);
  REQUIRE(report.why_not.empty());
  CHECK(report.kept);
  CHECK(report.elements == kElements);
  CHECK(report.device.starts_with("kiln's emulator of sm_90"));
  REQUIRE(report.candidates.size() == 12);  // 64, 128, 256 threads with 1, 2, 4, 8 accesses
  CHECK(static_cast<float>(report.candidates[0].block) == by_model);
  for (const TuneCandidate& each : report.candidates) {
    CHECK(each.why_not.empty());
    CHECK(each.milliseconds > 0);
  }
  // The clock counts instructions: some shape has fewer than the model's.
  REQUIRE(report.best != 0);
  const TuneCandidate best = report.candidates[report.best];
  CHECK(best.milliseconds < report.candidates[0].milliseconds);
  CHECK(block_in(f(x)) == static_cast<float>(best.block));
  REQUIRE(tunings(folder.path()).size() == 1);

  // As another process: it has measured nothing, and compiles nothing.
  const Cache again({.directory = folder.path()});
  const Ufunc g = vectorize(block_of(again));
  CHECK(block_in(g(x)) == static_cast<float>(best.block));
  CHECK(again.stats().compiles == 0);
  // Of other sizes nothing was measured.
  CHECK(block_in(g(ones(device, 100))) != static_cast<float>(best.block));

  // What says so: find(), for `kiln inspect`.
  const std::optional<cache::Contents> entry = again.find(report.id);
  REQUIRE(entry);
  REQUIRE(entry->tuned.size() == 1);
  CHECK(entry->tuned[0].block == best.block);
  CHECK(entry->tuned[0].device == report.device);
  CHECK_FALSE(entry->tuned[0].model);
  CHECK(again.verify().tuned == 1);

  // Bundles leave it out.
  again.export_bundle(folder / "kernels.bundle");
  const TemporaryDirectory elsewhere;
  const Cache unpacked({.directory = elsewhere.path()});
  CHECK(unpacked.import_bundle(folder / "kernels.bundle").entries >= 2);
  CHECK(unpacked.find(report.id)->tuned.empty());

  // Damaged, it is not used, and verify() says so.
  const std::string file = tunings(folder.path()).front();
  std::ifstream in(file, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  bytes[bytes.size() / 2] ^= 4;
  std::ofstream(file, std::ios::binary) << bytes;
  const Cache damaged({.directory = folder.path()});
  CHECK(block_in(vectorize(block_of(damaged))(x)) == by_model);
  const cache::Verification found = damaged.verify();
  REQUIRE(found.faults.size() == 1);
  CHECK(found.faults[0].reason == "wrong checksum");
  CHECK(found.faults[0].path.ends_with(".tune"));
  CHECK(damaged.verify(true).faults[0].mended);
  CHECK(tunings(folder.path()).empty());
}

TEST_CASE("tuning: results of dtypes, strides, masks and several outputs stay what they are") {
  const Device device = Device::emulated("sm_80");
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7;
  const Array x = to_device(Array::from<float>(values), device);
  const Array y = to_device(Array::from<float>(values).reshape({50, 20}), device);
  const Array mask = math::greater(x, 30.0F);
  const Ufunc split = vectorize({.name = "split",
                                 .signatures = {"(float64 whole, float64 part)(float64 x)"},
                                 .body = "whole = floor(x); part = x - whole;"});
  const auto same = [](const Array& a, const Array& b) {
    return a.copy_to_host().to_vector<float>() == b.copy_to_host().to_vector<float>();
  };
  const Ufunc root = vectorize("float32 root(float32 x) = sqrt(x) + 1");
  const Arg strided[] = {x[Slice{0, 1000, 3}]};
  CHECK(tune(root, strided).why_not == "it goes by tiles, by strips of rows or behind a head, whose size is part of its text");
  for (const Array& each : {x, y[{Slice{1, 49}, Slice{4, 16}}]}) {
    const Array before = root(each);
    const Arg args[] = {each};
    CHECK(tune(root, args).why_not.empty());
    CHECK(same(root(each), before));
  }
  const Array masked = root(x, {.where = mask});
  const Arg args[] = {x};
  CHECK(tune(root, args, {.where = mask}).why_not.empty());
  CHECK(same(root(x, {.where = mask}), masked));
  Array kept = ones(device, 1000);
  Array wanted = ones(device, 1000);
  root(x, {.out = wanted, .where = mask});
  CHECK(tune(root, args, {.out = kept, .where = mask}).why_not.empty());
  CHECK(same(kept, wanted));
  const auto parts = split.outputs<2>(x);
  CHECK(tune(split, args).why_not.empty());
  const auto again = split.outputs<2>(x);
  CHECK(again[0].copy_to_host().to_vector<double>() == parts[0].copy_to_host().to_vector<double>());
  CHECK(again[1].copy_to_host().to_vector<double>() == parts[1].copy_to_host().to_vector<double>());
}

TEST_CASE("tuning: what is not tuned, and why") {
  const Device device = Device::emulated("sm_90");
  const Ufunc f = vectorize("float32 twice(float32 x) = 2 * x");
  Array x = ones(device);
  const Arg args[] = {x};
  const Arg on_host[] = {Array::full<float>({100}, 1.0F)};
  CHECK(tune(f, on_host, {.device = Device::cpu()}).why_not ==
        "a CPU's kernels have no launch shape: its threads take parts of the work as they come");
  CHECK(tune(f, args, {.out = x}).why_not ==
        "an output is also an input, which repeated runs would change; give another array for .out");
  CHECK(block_in(x) == 2);  // it ran once
  CHECK(tune(f, args, {.timeout = std::chrono::hours(1)}).why_not ==
        "it may be stopped; make the call without .stop and .timeout");
  const Array square = to_device(Array::full<float>({64, 64}, 1.0F), device);
  const Arg crossed[] = {square.transpose(), square};
  CHECK(tune(math::add, crossed).why_not ==
        "it goes by tiles, by strips of rows or behind a head, whose size is part of its text");
  const Ufunc checked = vectorize({.name = "checked",
                                   .signatures = {"float32(float32 x)"},
                                   .body = "assert(x < 100); return x;",
                                   .compile = {.debug = {.on = true}}});
  CHECK(tune(checked, args).why_not == "it checks itself: define it without .compile.debug");
  const Arg nothing[] = {ones(device, 0)};
  CHECK_FALSE(tune(f, nothing).why_not.empty());
  CHECK(test::message_of([&] { tune(f, {}); }) == "twice takes 1 argument, 0 given; its loops are float32(float32 x)");
}

TEST_CASE("tuning: raw kernels by items, on copies of what they write") {
  const Device device = Device::emulated("sm_90");
  const TemporaryDirectory folder;
  const Cache cache({.directory = folder.path()});
  const RawKernel k = kernel({.name = "count",
                              .signature = "void(const float32[:] x, float32[:] sums, int32* used)",
                              .body = "sums(item) += x(item); if (item == 0) used[0] = int32(blockDim.x);",
                              .compile = {.cache = cache}});
  const Array x = ones(device);
  const Array sums = to_device(Array::zeros({kElements}, DType::float32), device);
  const Array used = to_device(Array::zeros({1}, DType::int32), device);
  const Arg args[] = {x, sums, used};
  const TuneReport report = tune(k, {.size = kElements}, args);
  CAPTURE(report.why_not);
  REQUIRE(report.why_not.empty());
  REQUIRE(report.candidates.size() == 3);
  CHECK(report.candidates[0].block == 256);
  CHECK(report.candidates[0].elements_per_thread == 1);
  CHECK(block_in(sums) == 1);  // once, however often it was measured
  k({.size = kElements}, x, sums, used);
  CHECK(block_in(sums) == 2);
  CHECK(used.copy_to_host().item<std::int32_t>() == report.candidates[report.best].block);

  const Arg shared[] = {x, x, used};
  CHECK(tune(k, {.size = kElements}, shared).why_not ==
        "argument 1 (sums) may be written and shares memory with argument 0 (x)");
  CHECK(tune(k, {.grid = 1, .block = 32}, args).why_not == "its .grid and .block are given");
}
