// KILN_RECORD: what a program used is what its manifest compiles, for the processor that it ran on and for another.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "../device/gpu_compilers.hpp"
#include "base/have_cpu.hpp"
#include "cache/flight.hpp"
#include "kiln/kiln.hpp"
#include "manifest/definition.hpp"
#include "manifest/document.hpp"
#include "manifest/record_file.hpp"
#include "manifest/recorder.hpp"
#include "record_program.hpp"
#include "test_libraries.hpp"

using namespace kiln;
using kiln::test::ChildProcess;
using kiln::test::read_text;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

std::string env(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void write_stats(std::uint64_t compiles, std::uint64_t hits) {
  write_text(env("KILN_TEST_STATS"), std::to_string(compiles) + " compiles, " + std::to_string(hits) + " hits");
}

/// A folder with what the processes of one test share.
struct Places {
  TemporaryDirectory folder;
  std::map<std::string, std::string> common;
  explicit Places(const std::string& device) {
    std::filesystem::create_directory(folder / "headers");
    write_text(folder / "headers/factor.h", "#include \"more.h\"\n");
    write_text(folder / "headers/more.h", "#define FACTOR 3\n");
    common = {{"KILN_TEST_HEADERS", folder / "headers"},
              {"KILN_TEST_STATS", folder / "stats"},
              {"KILN_DEVICE", device},
              {"KILN_CACHE_READONLY_DIRS", ""},
              {"KILN_RECORD", ""}};
  }
  /// Runs a case with further variables, and gives what it wrote of its cache.
  std::string run(const std::string& test_case, const std::map<std::string, std::string>& variables) {
    std::map<std::string, std::string> all = variables;
    all.insert(common.begin(), common.end());
    CHECK(ChildProcess(test_case, all).wait() == 0);
    return read_text(folder / "stats");
  }
};

/// The kernels that a program asked for, which it found or compiled.
[[maybe_unused]] std::size_t kernels_of(const std::string& stats) {
  std::size_t compiles = 0;
  std::size_t hits = 0;
  REQUIRE(std::sscanf(stats.c_str(), "%zu compiles, %zu hits", &compiles, &hits) == 2);
  return compiles + hits;
}

/// The cache of the whole run, where there is one: a kernel that several cases ask for is compiled once.
[[maybe_unused]] std::string common_cache() {
  static const TemporaryDirectory own;
  return env("KILN_CACHE_DIR").empty() ? own.path() : env("KILN_CACHE_DIR");
}

}  // namespace

TEST_CASE("helper process: the recorded program" * doctest::skip()) {
  test::run_recorded_program(env("KILN_TEST_HEADERS"), [&](const std::string& error) { FAIL_CHECK(error); });
  const cache::Stats stats = cache::stats();
  write_stats(stats.compiles, stats.disk_hits);
}

TEST_CASE("helper process: compiles the manifest" * doctest::skip()) {
  const Manifest manifest = Manifest::read(env("KILN_TEST_MANIFEST"));
  std::set<std::string> keys;  // variants of one key are one kernel
  const auto report =
      manifest.compile({env("KILN_TEST_TARGET")}, {.other_sizes = false, .progress = [&](const auto& kernel, const auto&) {
                                                     keys.insert(kernel.key);
                                                     return true;
                                                   }});
  CHECK(report.failed == 0);
  CHECK(report.compiled + report.found == manifest.count(env("KILN_TEST_TARGET"), false));
  write_stats(report.compiled, keys.size() - report.compiled);
}

#if KILN_HAVE_CPU

TEST_CASE("the manifest of a program compiles what the program asks for, and nothing else") {
  Places places("cpu");
  const std::string program = "helper process: the recorded program";
  const std::string manifest = places.folder / "record.json";
  const std::size_t recorded = kernels_of(places.run(program, {{"KILN_CACHE_DIR", common_cache()}, {"KILN_RECORD", manifest}}));
  CHECK(recorded >= 15);
  // The headers are in the manifest: the program's own may go.
  std::filesystem::rename(places.folder / "headers", places.folder / "away");
  const std::string compiled = places.run(
      "helper process: compiles the manifest",
      {{"KILN_CACHE_DIR", places.folder / "second"}, {"KILN_TEST_MANIFEST", manifest}, {"KILN_TEST_TARGET", "native"}});
  CHECK(compiled == std::to_string(recorded) + " compiles, 0 hits");
  CHECK(test::list_files(places.folder / "second").size() >= recorded);
  std::filesystem::rename(places.folder / "away", places.folder / "headers");
  // A second run finds them all, and adds nothing.
  const std::string text = read_text(manifest);
  const std::string again = places.run(program, {{"KILN_CACHE_DIR", places.folder / "second"}, {"KILN_RECORD", manifest}});
  CHECK(again == "0 compiles, " + std::to_string(recorded) + " hits");
  CHECK(read_text(manifest) == text);
  CHECK(Manifest::parse(text).text() == text);
  CHECK(text.find("#define FACTOR 3") != std::string::npos);
  CHECK(text.find(places.folder.path()) == std::string::npos);
  CHECK(text.find("\\u00e9") == std::string::npos);
  CHECK(text.find("latin1") != std::string::npos);
}

namespace {

/// Records on one processor: for the other, the manifest must name exactly what the program has compiled there.
void check_elsewhere(std::map<std::string, std::string> recorded_on, std::map<std::string, std::string> run_on,
                     const std::string& target) {
  Places places("");
  places.common.erase("KILN_DEVICE");
  places.common.erase("KILN_RECORD");
  const std::string program = "helper process: the recorded program";
  const std::string manifest = places.folder / "record.json";
  for (auto* variables : {&recorded_on, &run_on}) (*variables)["KILN_CACHE_DIR"] = common_cache();
  recorded_on["KILN_RECORD"] = manifest;
  places.run(program, recorded_on);
  run_on["KILN_RECORD"] = "";
  const std::size_t wanted = kernels_of(places.run(program, run_on));
  CHECK(wanted >= 15);
  run_on["KILN_TEST_MANIFEST"] = manifest;
  run_on["KILN_TEST_TARGET"] = target;
  CHECK(places.run("helper process: compiles the manifest", run_on) == "0 compiles, " + std::to_string(wanted) + " hits");
}

// A driver that runs nothing, but chooses and compiles kernels as for an sm_90.
const std::map<std::string, std::string> kOnGpu{
    {"KILN_DEVICE", "cuda"}, {"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_FAKE_ANY_IMAGE", "1"}};
const std::map<std::string, std::string> kOnCpu{{"KILN_DEVICE", "cpu"}};

}  // namespace

TEST_CASE("a program recorded on a CPU has its kernels compiled for a GPU") {
  if (test::have_compiler(DeviceKind::cuda)) check_elsewhere(kOnCpu, kOnGpu, "sm_90");
}

TEST_CASE("a program recorded on a GPU has its kernels compiled for a CPU") {
  if (test::have_compiler(DeviceKind::cuda)) check_elsewhere(kOnGpu, kOnCpu, "native");
}

namespace {

/// Raw operands and CuPy's notation on `n` elements; their results follow from the numbers alone.
void use_raw_operands_and_cupy(std::int64_t n) {
  std::vector<float> ramp(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < ramp.size(); ++k) ramp[k] = static_cast<float>(k % 100);
  const Array x = Array::from(ramp);
  // Contiguous where the program was recorded, with gaps elsewhere.
  const Array table =
      n == 1000 ? Array::from(std::vector<float>{5, 6, 7}) : Array::from(std::vector<float>{5, 0, 6, 0, 7})[{Slice{.step = 2}}];
  std::vector<float> looked_up, reversed, twice(ramp);
  float sum = 0;
  for (std::size_t k = 0; k < ramp.size(); ++k) {
    const auto entry = static_cast<float>(5 + k % 3);
    looked_up.push_back(ramp[k] * entry);
    reversed.push_back(ramp[k] + ramp[ramp.size() - 1 - k]);
    sum += ramp[k] * entry;
    twice[k] *= 2;
  }
  const Ufunc lookup =
      vectorize({.name = "lookup", .signatures = {"T(T x, raw T table)"}, .body = "return x * table[index() % table.size()];"});
  const Array first = lookup(x, table);  // outside of CHECK(), which keeps exceptions
  CHECK(first.to_vector<float>() == looked_up);
  const Ufunc add_reverse = cupy::elementwise(
      {.in_params = "T x, raw T y", .out_params = "T z", .operation = "z = x + y[_ind.size() - i - 1]", .name = "add_reverse"});
  const Array second = add_reverse(x, x);
  CHECK(second.to_vector<float>() == reversed);
  const Reduction weighted = cupy::reduction({.in_params = "T x, raw T table, T one",
                                              .out_params = "T y",
                                              .map_expr = "x * table[_J % table.size()]",
                                              .reduce_expr = "a + b",
                                              .post_map_expr = "y = a * one",
                                              .identity = "0",
                                              .name = "weighted"});
  const Array third = weighted({x, table, 1.0F});
  CHECK(third.item<float>() == sum);
  const cupy::RawModule module = cupy::raw_module({.code = "template <class T> __global__ void twice(T* x, int n) {\n"
                                                           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                                           "  if (i < n) x[i] *= 2;\n}",
                                                   .name_expressions = {"twice<float>"}});
  const Array own = x.copy();
  module.get_function("twice<float>")((n + 31) / 32, 32, {own, static_cast<int>(n)});
  CHECK(own.to_vector<float>() == twice);
}

}  // namespace

TEST_CASE("helper process: raw operands and CuPy's notation" * doctest::skip()) {
  try {
    use_raw_operands_and_cupy(std::stoll(env("KILN_TEST_SIZE")));
    CHECK(env("KILN_TEST_ERROR") == "");
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    CAPTURE(text);
    const bool expected = !env("KILN_TEST_ERROR").empty() && text.find(env("KILN_TEST_ERROR")) != std::string::npos;
    CHECK(expected);
  }
  const cache::Stats stats = cache::stats();
  write_stats(stats.compiles, stats.read_only_hits);
}

TEST_CASE("a program with raw operands and kernels in CuPy's notation goes without a compiler") {
  Places places("cpu");
  const std::string program = "helper process: raw operands and CuPy's notation";
  const std::string manifest = places.folder / "record.json";
  places.run(program, {{"KILN_CACHE_DIR", common_cache()}, {"KILN_RECORD", manifest}, {"KILN_TEST_SIZE", "1000"}});
  const std::string text = read_text(manifest);
  for (const char* const kind : {"\"ufunc\"", "\"cupy.elementwise\"", "\"cupy.reduction\"", "\"cupy.raw\""}) {
    CAPTURE(kind);
    CHECK(text.find("\"kind\": " + std::string(kind)) != std::string::npos);
  }
  const std::string bundle = places.folder / "shipped.kiln";
  const Cache shipped(CacheOptions{.directory = places.folder / "shipped"});
  CHECK(Manifest::read(manifest).compile({"native"}, {.cache = shipped}).failed == 0);
  CHECK(shipped.export_bundle(bundle).entries >= 4);
  const auto run = [&](const char* size, const std::string& from, const char* error) {
    return places.run(program, {{"KILN_CLANG", "none"},
                                {"KILN_CACHE_DIR", places.folder / "empty"},
                                {"KILN_CACHE_READONLY_DIRS", from},
                                {"KILN_TEST_SIZE", size},
                                {"KILN_TEST_ERROR", error}});
  };
  CHECK(run("1000", bundle, "") == "0 compiles, 4 hits");
  // Other sizes, and a table with gaps, go by other kernels that are right for them.
  CHECK(run("77", bundle, "").ends_with(" compiles, 4 hits"));
  run("1000", "", "lookup");
}

TEST_CASE("helper process: records and is killed" * doctest::skip()) {
  const Ufunc own = vectorize({.name = env("KILN_TEST_NAME"), .signatures = {"T(T a)"}, .body = "return a;"});
  own(Array::full(Shape{4}, 1.0F));
  own(Array::full(Shape{4}, 1.0));
  // Both are on the disk within the pause, without an exit.
  for (int i = 0; i < 6000; ++i) {
    const std::string text = read_text(env("KILN_RECORD"));
    if (text.find("float32[4]") != std::string::npos && text.find("float64[4]") != std::string::npos) kill(getpid(), SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST_CASE("what was used is on the disk also where the process is killed") {
  Places places("cpu");
  auto variables = places.common;
  variables["KILN_RECORD"] = places.folder / "record.json";
  variables["KILN_CACHE_DIR"] = places.folder / "cache";
  variables["KILN_TEST_NAME"] = "killed";
  CHECK(ChildProcess("helper process: records and is killed", variables).wait() == 128 + SIGKILL);
  CHECK(Manifest::read(places.folder / "record.json").count("native", false) == 2);
}

TEST_CASE("helper process: records and forks" * doctest::skip()) {
  const auto use = [](const std::string& name) {
    vectorize({.name = env("KILN_TEST_NAME") + name, .signatures = {"float32(float32 a)"}, .body = "return a;"})(
        Array::full(Shape{4}, 1.0F));
  };
  use("_parent");
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      use("_child" + std::to_string(i));
      std::exit(0);
    }
    use("_parent" + std::to_string(i));
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
}

TEST_CASE("processes that record in one file at once, and fork, lose nothing") {
  Places places("cpu");
  std::vector<ChildProcess> children;
  for (int i = 0; i < 4; ++i) {
    auto variables = places.common;
    variables["KILN_RECORD"] = places.folder / "record.json";
    variables["KILN_CACHE_DIR"] = places.folder / "cache";
    variables["KILN_TEST_NAME"] = "p" + std::to_string(i);
    // What the parent's threads owned has no owner in a forked child.
    variables["ASAN_OPTIONS"] = env("ASAN_OPTIONS") + ":detect_leaks=0";
    children.emplace_back("helper process: records and forks", variables);
  }
  for (ChildProcess& child : children) CHECK(child.wait() == 0);
  std::set<std::string> names;
  for (const ManifestKernel& kernel : Manifest::read(places.folder / "record.json").kernels("native"))
    names.insert(kernel.kernel);
  CHECK(names.size() == 4 * 9);
  // Neither a lock nor a temporary file stays.
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(places.folder.path())) left.push_back(entry.path().filename());
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<std::string>{"cache", "headers", "record.json"});
}

#endif  // KILN_HAVE_CPU

namespace {

/// A use of a kernel that nobody compiled.
struct Sample {
  explicit Sample(const std::string& name, std::map<std::string, std::string> headers = {}) {
    definition.name = name;
    definition.signatures = {"float32(float32 a)"};
    definition.body = "return a;";
    for (const auto& [header, text] : headers) definition.compile.preamble += "#include \"" + header + "\"\n";
    definition.compile.headers = std::move(headers);
  }
  void report(manifest::FileRecorder& recorder) const { recorder.used(definition, call); }
  UfuncDefinition definition;
  call::Description call{.inputs = {"float32[4]"}};
};

/// The lines of the log while it lives.
struct Log {
  Log() {
    cache::set_log([this](std::string_view line) { lines.emplace_back(line); });
  }
  ~Log() { cache::set_log(nullptr); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  std::vector<std::string> lines;
};

}  // namespace

TEST_CASE("a file that is no manifest stays as it is, with one line of the log") {
  const TemporaryDirectory folder;
  const std::string path = folder / "precious.txt";
  write_text(path, "dear diary");
  const Log log;
  {
    manifest::FileRecorder recorder(path);
    Sample("a").report(recorder);
    Sample("b").report(recorder);
    recorder.close();
  }
  CHECK(read_text(path) == "dear diary");
  REQUIRE(log.lines.size() == 1);
  const std::string expected =
      "KILN_RECORD: cannot write " + path + ": the file that is there is no manifest, and is left alone: " + path +
      ":1:1: not JSON: syntax error while parsing value - invalid literal";  // the parser's words go on
  CHECK(log.lines.front().substr(0, expected.size()) == expected);
}

TEST_CASE("a manifest keeps its mode, and a symbolic link to it keeps pointing") {
  const TemporaryDirectory folder;
  write_text(folder / "target.json", "");
  std::filesystem::permissions(folder / "target.json", std::filesystem::perms(0600));
  std::filesystem::create_symlink("target.json", folder / "link.json");
  manifest::FileRecorder recorder(folder / "link.json");
  Sample("a").report(recorder);
  recorder.close();
  CHECK(std::filesystem::is_symlink(folder / "link.json"));
  CHECK(read_text(folder / "target.json").find("\"name\": \"a\"") != std::string::npos);
  CHECK(std::filesystem::status(folder / "target.json").permissions() == std::filesystem::perms(0600));
}

TEST_CASE("a folder that is not there is a line of the log; what is written later has all of it") {
  const TemporaryDirectory folder;
  const std::string path = folder / "later/record.json";
  const Log log;
  manifest::FileRecorder recorder(path);
  Sample("a").report(recorder);
  recorder.close();
  Sample("again").report(recorder);  // after the end: written at once, and in vain for the same reason
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines.front() == "KILN_RECORD: cannot write " + path + ": cannot create " + path + ": No such file or directory");
  std::filesystem::create_directory(folder / "later");
  Sample("b").report(recorder);
  CHECK(read_text(path).find("\"name\": \"a\"") != std::string::npos);
  CHECK(read_text(path).find("\"name\": \"b\"") != std::string::npos);
}

TEST_CASE("what could not be read back is not recorded, and the log says so") {
  const TemporaryDirectory folder;
  const Log log;
  manifest::FileRecorder recorder(folder / "record.json");
  Sample("odd", {{"caf\xe9.h", ""}}).report(recorder);
  Sample("fine").report(recorder);
  recorder.close();
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines.front().find("KILN_RECORD: \"odd\" cannot be recorded: ") == 0);
  CHECK(read_text(folder / "record.json").find("odd") == std::string::npos);
  CHECK(read_text(folder / "record.json").find("fine") != std::string::npos);
}

TEST_CASE("a lock that another process holds is waited for, but not for ever") {
  const TemporaryDirectory folder;
  const std::string path = folder / "record.json";
  manifest::KernelSet kernels;
  kernels.add(manifest::recorded_definition(Sample("a").definition));
  {
    const auto held = cache::take_flight(path + ".lock", std::chrono::seconds(10));
    REQUIRE(held.state == cache::FlightState::held);
    CHECK(manifest::add_to_file(path, kernels, std::chrono::milliseconds(20)) == "another process holds " + path + ".lock");
    CHECK_FALSE(std::filesystem::exists(path));
  }
  CHECK(manifest::add_to_file(path, kernels, std::chrono::milliseconds(20)) == std::nullopt);
  CHECK(read_text(path).find("\"name\": \"a\"") != std::string::npos);
}

TEST_CASE("the last write of a process waits longer for the lock than the others") {
  const TemporaryDirectory folder;
  const std::string path = folder / "record.json";
  const Log log;
  auto held = cache::take_flight(path + ".lock", std::chrono::seconds(10));
  REQUIRE(held.state == cache::FlightState::held);
  using std::chrono::milliseconds;
  manifest::FileRecorder gives_up(path, {.pause = milliseconds(0), .lock_wait = milliseconds(1), .last_wait = milliseconds(1)});
  Sample("a").report(gives_up);
  gives_up.close();
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines.front() == "KILN_RECORD: cannot write " + path + ": another process holds " + path + ".lock");
  manifest::FileRecorder waits(path,
                               {.pause = milliseconds(0), .lock_wait = milliseconds(1), .last_wait = milliseconds(60'000)});
  Sample("b").report(waits);
  std::thread closing([&] { waits.close(); });
  std::this_thread::sleep_for(milliseconds(300));
  CHECK_FALSE(std::filesystem::exists(path));
  held.flight.reset();
  closing.join();
  CHECK(read_text(path).find("\"name\": \"b\"") != std::string::npos);
}

TEST_CASE("hand-written kernels of the file stay") {
  const TemporaryDirectory folder;
  const std::string path = folder / "record.json";
  write_text(
      path,
      R"({"kiln_manifest": 2, "kernels": [{"kernel": "T f(T a) = a", "types": [{"T": "int8"}], "include_dirs": ["inc"]}]})");
  manifest::FileRecorder recorder(path);
  Sample("a").report(recorder);
  recorder.close();
  const auto written = manifest::Json::parse(read_text(path));
  REQUIRE(written.at("kernels").size() == 2);
  CHECK(written.at("kernels").at(0).at("calls").at(0) == manifest::Json{{"inputs", {"float32[4]"}}});
  CHECK(written.at("kernels").at(1).at("types").at(0).at("T") == "int8");
  CHECK(written.at("kernels").at(1).at("include_dirs").at(0) == "inc");
}
