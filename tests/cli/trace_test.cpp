// Traces of whole processes: --trace, KILN_TRACE, and ranges for the vendors' profilers.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "evaluation.hpp"

using cli::contains;
using cli::run;
using cli::sample;
using cli::Scratch;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> names(const json& trace, const std::string& category) {
  std::vector<std::string> found;
  for (const json& event : trace) {
    if (event["ph"] == "X" && event["cat"] == category) found.push_back(event["name"]);
  }
  return found;
}

const std::vector<std::string> kCall{"eval", cli::kTwice, sample("a")};

}  // namespace

TEST_CASE("--trace writes what ran") {
  const Scratch scratch;
  const std::string path = scratch.file("trace.json");
  std::vector<std::string> words = kCall;
  words.insert(words.end(), {"--trace", path});
  const auto result = run(words, {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}}});
  CHECK(result.err == "");
  CHECK(result.status == 0);
  const json trace = json::parse(cli::read_file(path));
  CHECK(names(trace, "call") == std::vector<std::string>{"twice"});
  CHECK(names(trace, "run") == std::vector<std::string>{"twice"});
  CHECK(names(trace, "kernel") == std::vector<std::string>{"compile"});
  run(words, {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}}});
  CHECK(names(json::parse(cli::read_file(path)), "kernel") == std::vector<std::string>{"load"});
}

TEST_CASE("--trace: where it cannot be written nothing runs") {
  const Scratch scratch;
  std::vector<std::string> words = kCall;
  words.insert(words.end(), {"-o", scratch.file("out.npy"), "--trace", scratch.file("none/trace.json")});
  const auto missing = run(words);
  CHECK(missing.status == 1);
  CHECK(contains(missing.err, scratch.file("none")));
  words.back() = "-";
  const auto stream = run(words);
  CHECK(stream.status == 2);
  CHECK(contains(stream.err, "--trace writes a file: give the name of one that is to be made"));
  CHECK_FALSE(fs::exists(scratch.file("out.npy")));
}

TEST_CASE("KILN_TRACE writes at the process's end, %p is its number") {
  const Scratch scratch;
  CHECK(run(kCall, {.environment = {{"KILN_TRACE", "trace-%p.json"}}, .folder = scratch.path()}).status == 0);
  CHECK(run(kCall, {.environment = {{"KILN_TRACE", "trace-%p.json"}}, .folder = scratch.path()}).status == 0);
  std::vector<std::string> files;
  for (const auto& each : fs::directory_iterator(scratch.path())) files.push_back(each.path().string());
  REQUIRE(files.size() == 2);
  for (const std::string& file : files) {
    const json trace = json::parse(cli::read_file(file));
    CHECK(names(trace, "call") == std::vector<std::string>{"twice"});
    for (const json& event : trace) {
      if (event["ph"] == "X") CHECK(contains(file, "/trace-" + std::to_string(event["pid"].get<int>()) + ".json"));
    }
  }
  // What cannot be written spoils nothing.
  const auto result = run(kCall, {.environment = {{"KILN_TRACE", scratch.file("none/trace.json")}}});
  CHECK(result.status == 0);
  CHECK(result.out == run(kCall).out);
}

TEST_CASE("KILN_TRACE_RANGES gives each call to NVTX and ROCTX") {
  const Scratch scratch;
  const std::string log = scratch.file("log");
  const auto logged = [&](std::map<std::string, std::string> environment) {
    fs::remove(log);
    environment.insert({{"KILN_TRACE_RANGES", "1"}, {"KILN_RANGE_LOG", log}});
    CHECK(run(kCall, {.environment = environment}).status == 0);
    return fs::exists(log) ? cli::read_file(log) : "";
  };
  const std::string library = KILN_RANGE_RECORDER;
  CHECK(logged({{"KILN_NVTX", library}, {"KILN_ROCTX", "/none"}}) == "nvtx push twice\nnvtx pop\n");
  CHECK(logged({{"KILN_NVTX", "/none"}, {"KILN_ROCTX", library}}) == "roctx push twice\nroctx pop\n");
  CHECK(logged({{"KILN_NVTX", library}, {"KILN_ROCTX", library}}) ==
        "nvtx push twice\nroctx push twice\nnvtx pop\nroctx pop\n");
  CHECK(logged({{"NVTX_INJECTION64_PATH", library}, {"KILN_NVTX", library}, {"KILN_ROCTX", "/none"}}) ==
        "injected push twice\ninjected pop\n");
  CHECK(logged({{"KILN_NVTX", "/none"}, {"KILN_ROCTX", "/none"}}) == "");
}
