// kiln tune: what is tried and said, what is kept for others, and what is refused. On emulated devices, whose clock counts
// instructions.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"

using cli::contains;
using cli::run;
using cli::Scratch;
using nlohmann::json;

namespace {

/// A kernel that tells how it was launched.
const std::string kBlock = "float32 block_of(float32 x) = float32(blockDim.x) + 0 * x";

struct Tuning {
  Scratch scratch;
  [[nodiscard]] cli::Result kiln(const std::vector<std::string>& words,
                                 std::map<std::string, std::string> environment = {}) const {
    environment.emplace("KILN_CACHE_DIR", scratch.file("cache"));
    return run(words, {.environment = std::move(environment)});
  }
  [[nodiscard]] std::string tuning() const {
    for (const auto& file : std::filesystem::recursive_directory_iterator(scratch.file("cache"))) {
      if (file.path().extension() == ".tune") return file.path();
    }
    return {};
  }
};

}  // namespace

TEST_CASE("tune: a table of what was tried, and every later call by the best") {
  const Tuning fixture;
  const auto tuned = fixture.kiln({"tune", kBlock, "float32:5000", "--device", "emulated:sm_90"});
  CAPTURE(tuned.err);
  REQUIRE(tuned.status == 0);
  CHECK(tuned.err.empty());
  CHECK(tuned.out.starts_with("kiln's emulator of sm_90, "));
  CHECK(contains(tuned.out, "CUDA 13.0: \"block_of\" ("));
  CHECK(contains(tuned.out, ") with 5000 elements\nBLOCK  ELEMENTS"));
  CHECK(contains(tuned.out, "cost model"));
  CHECK(cli::occurrences(tuned.out, "\n") == 15);  // what, the columns, twelve candidates, the best
  CHECK(contains(tuned.out, " a thread from now on; kept in " + fixture.scratch.file("cache")));

  const auto report = fixture.kiln({"tune", kBlock, "float32:5000", "--device", "emulated:sm_90", "--json"});
  REQUIRE(report.status == 0);
  const json read = json::parse(report.out);
  REQUIRE(read["candidates"].size() == 12);
  CHECK(read["kernel"] == "block_of");
  CHECK(read["elements"] == 5000);
  CHECK(read["kept"] == true);
  const auto best = read["best"].get<std::size_t>();
  REQUIRE(best != 0);
  const int block = read["candidates"][best]["block"].get<int>();
  CHECK(read["candidates"][best]["ms"].get<double>() < read["candidates"][0]["ms"].get<double>());

  const std::string id = read["id"].get<std::string>();
  const auto inspected = fixture.kiln({"inspect", id});
  REQUIRE(inspected.status == 0);
  CHECK(contains(inspected.out, "launch     blocks of " + std::to_string(block) + " threads, "));
  CHECK(contains(inspected.out, " of the cost model's time with 5000 elements; kiln's emulator of sm_90, "));
  const auto shown = fixture.kiln({"inspect", id, "--json"});
  CHECK(json::parse(shown.out)["kernels"][0]["tuned"][0]["block"] == block);
  CHECK(contains(fixture.kiln({"cache", "show", id}).out, "launch      blocks of " + std::to_string(block)));
  CHECK(json::parse(fixture.kiln({"cache", "show", id, "--json"}).out)["tuned"][0]["elements"] == 5000);

  // A kernel of it for other accesses says so in listings.
  CHECK(contains(fixture.kiln({"cache", "list"}).out, "contiguous, width 4, unrolled 8"));
}

TEST_CASE("tune: KILN_TUNE=1 does it for what a program runs, and others use it") {
  const Tuning fixture;
  const std::vector<std::string> words{"eval", kBlock, cli::sample("a"), "--device", "emulated:sm_90"};
  const auto before = fixture.kiln(words);
  REQUIRE(before.status == 0);
  CHECK(fixture.tuning().empty());
  const auto tuning = fixture.kiln(words, {{"KILN_TUNE", "1"}});
  CHECK(tuning.status == 0);
  CHECK(tuning.err.empty());
  REQUIRE_FALSE(fixture.tuning().empty());
  CHECK(fixture.kiln(words).out == tuning.out);

  const auto other = fixture.kiln(words, {{"KILN_TUNE", "maybe"}});
  CHECK(other.status == 0);
  CHECK(contains(other.err, "KILN_TUNE is \"maybe\""));
  const auto on_cpu = fixture.kiln({"eval", "float32 twice(float32 x) = 2 * x", cli::sample("a"), "--device", "cpu"},
                                   {{"KILN_TUNE", "1"}, {"KILN_LOG", "1"}});
  CHECK(on_cpu.status == 0);
  CHECK(contains(on_cpu.err, "KILN_TUNE: twice is not tuned: a CPU's kernels have no launch shape"));
}

TEST_CASE("tune: results that are damaged, or of another driver, are named by verify and not used") {
  const Tuning fixture;
  REQUIRE(fixture.kiln({"tune", kBlock, "float32:5000", "--device", "emulated:sm_90"}).status == 0);
  const std::map<std::string, std::string> emulated{{"KILN_DEVICE", "emulated:sm_90"}};
  const auto sound = fixture.kiln({"cache", "verify"}, emulated);
  CHECK(sound.status == 0);
  CHECK(contains(sound.out, "sound, 1 with measured launch shapes\n"));
  CHECK_FALSE(contains(sound.out, "not used here"));
  const auto elsewhere = fixture.kiln({"cache", "verify"}, {{"KILN_DEVICE", "cpu"}});
  CHECK(elsewhere.status == 0);
  CHECK(contains(elsewhere.out, ".tune: launch shapes that are not used here: measured on kiln's emulator of sm_90, "));
  CHECK(contains(elsewhere.out, "which is not here\n"));
  CHECK(json::parse(fixture.kiln({"cache", "verify", "--json"}, {{"KILN_DEVICE", "cpu"}}).out)["not_used"].size() == 1);

  std::string bytes = cli::read_file(fixture.tuning());
  bytes[bytes.size() / 2] ^= 1;
  cli::write_file(fixture.tuning(), bytes);
  const auto damaged = fixture.kiln({"cache", "verify"}, emulated);
  CHECK(damaged.status == 1);
  CHECK(contains(damaged.out, ".tune: wrong checksum\n"));
  CHECK(fixture.kiln({"eval", kBlock, cli::sample("a"), "--device", "emulated:sm_90"}).status == 0);
  CHECK(fixture.kiln({"cache", "verify", "--fix"}, emulated).status == 0);
  CHECK(fixture.tuning().empty());
  REQUIRE(fixture.kiln({"tune", kBlock, "float32:5000", "--device", "emulated:sm_90"}).status == 0);
  CHECK(fixture.kiln({"cache", "clear", "--yes"}).status == 0);
  CHECK(fixture.tuning().empty());
}

TEST_CASE("tune: where there is nothing to tune, and what is refused") {
  const Tuning fixture;
  const std::map<std::string, std::string> none{{"KILN_CUDA", "/nowhere/libcuda.so"}, {"KILN_HIP", "/nowhere/libhip.so"}};
  const auto best = fixture.kiln({"tune", "float32 f(float32 x) = x", "float32:10"}, none);
  CHECK(best.status == 1);
  CHECK(best.err.starts_with("kiln: error: no device to tune on: cuda: "));
  CHECK(contains(best.err, "; hip: "));
  const auto missing = fixture.kiln({"tune", "float32 f(float32 x) = x", "float32:10", "--device", "cuda"}, none);
  CHECK(missing.status == 1);
  const auto cpu = fixture.kiln({"tune", "float32 f(float32 x) = x", "float32:10", "--device", "cpu"});
  CHECK(cpu.status == 0);
  CHECK(cpu.out ==
        "nothing to tune for \"f\": a CPU's kernels have no launch shape: its threads take parts of the work as they come\n");
  const auto as_json = fixture.kiln({"tune", "float32 f(float32 x) = x", "float32:10", "--device", "cpu", "--json"});
  CHECK(json::parse(as_json.out)["why_not"].get<std::string>().starts_with("a CPU's kernels"));

  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "tune");
    const auto result = fixture.kiln(words);
    CAPTURE(words.back());
    CHECK(result.status == 2);
    CHECK(contains(result.err, why));
  };
  refused({}, "no kernel: give its text, or --file FILE");
  refused({"hypot", "float32:10"},
          "\"hypot\" takes 2 operands, 1 given: arrays as DTYPE:EXTENTS (float32:4096,4096), files or numbers");
  refused({"hypot", "1", "2", "-d", "cpu"}, "numbers alone have no size to tune for");
  for (const char* const extents :
       {"float32:", "float32:0", "float32:-1", "float32:10,", "float32:1e3", "float32:99999999999999999999"}) {
    refused({"sqrt", extents, "-d", "cpu"}, "extents are whole numbers from 1 on, as in float32:4096,4096");
  }
  refused({"sqrt", "float32:10", "-d", "gpu"}, "unknown device \"gpu\"");
  refused({"sqrt", "float32:10", "--fast-math"}, "--fast-math is for a kernel's text: the library's \"sqrt\" is as it is");
  refused({"sqrt", "float32:10", "--dir", fixture.scratch.file("other")}, "--dir is for a kernel's text");
  CHECK(fixture.kiln({"tune", "sqrt", "no.npy", "-d", "cpu"}).status == 1);
}

TEST_CASE("tune: operands of every dtype and several extents") {
  const Tuning fixture;
  for (const char* const dtype : {"bool", "int8", "uint64", "float16", "bfloat16", "float64", "complex64", "complex128"}) {
    const std::string text = std::string("T same(T x) = x");
    const auto result = fixture.kiln({"tune", text, std::string(dtype) + ":3,50", "--device", "cpu"});
    CAPTURE(result.err);
    CHECK(result.status == 0);
  }
  const auto folder = fixture.scratch.file("other");
  const auto kept = fixture.kiln(
      {"tune", "float64 f(float64 x, float64 y) = x - y", "float64:40,50", "-1", "-d", "emulated:sm_80", "--dir", folder});
  CAPTURE(kept.err);
  CHECK(kept.status == 0);
  CHECK(contains(kept.out, "kept in " + folder));
  CHECK(std::filesystem::exists(folder));
}
