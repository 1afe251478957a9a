#include "profiling/trace.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "../base/temporary_directory.hpp"
#include "base/file.hpp"
#include "kiln/error.hpp"

using kiln::CallRecord;
using kiln::Device;
using kiln::DeviceKind;
using kiln::test::TemporaryDirectory;
using nlohmann::json;

namespace {

CallRecord record(const std::string& function, double start, double duration) {
  CallRecord made;
  made.function = function;
  made.kind = "ufunc";
  made.kernel = "0123456789abcdef0123456789abcdef";
  made.thread = getpid();
  made.host = {start, duration};
  return made;
}

CallRecord on_gpu(CallRecord made, std::uint64_t stream, double start, double duration) {
  made.device = Device::of_kind(DeviceKind::cuda);
  made.stream = stream;
  made.run = {start, duration};
  return made;
}

/// The X events of a category, and a check that all of them are ordered.
std::vector<json> events(const json& trace, const std::string& category) {
  std::vector<json> found;
  double last = -1e300;
  for (const json& event : trace) {
    if (event["ph"] != "X") continue;
    CHECK(event["ts"].get<double>() >= last);
    last = event["ts"].get<double>();
    if (event["cat"] == category) found.push_back(event);
  }
  return found;
}

std::string name_of(const json& trace, const char* what, const json& event) {
  for (const json& each : trace) {
    if (each["ph"] == "M" && each["name"] == what && each["pid"] == event["pid"] &&
        (std::string(what) == "process_name" || each["tid"] == event["tid"])) {
      return each["args"]["name"];
    }
  }
  return "";
}

}  // namespace

TEST_CASE("trace: calls by host thread, work by device and stream") {
  CallRecord first = record("add", 1, 2);
  first.load = {1.25, 0.5};
  first.origin = kiln::KernelOrigin::compiled;
  first.stages = {.front_end = 0.25, .passes = 0.125, .code = 0.5, .link = 0.03, .load = 0.015};
  first.bytes_read = 3'000'000;
  first.bytes_written = 1'000'000;
  const CallRecord records[] = {on_gpu(record("exp", 4, 1), 7, 5, 1), on_gpu(first, 0, 2, 4)};
  const json trace = json::parse(kiln::profiling::trace_json(records, 0));
  const std::vector<json> calls = events(trace, "call");
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]["name"] == "add");
  CHECK(calls[0]["ts"] == 1000.0);
  CHECK(calls[0]["dur"] == 2000.0);
  CHECK(calls[0]["pid"] == getpid());
  CHECK(calls[0]["args"]["kernel"] == "0123456789abcdef0123456789abcdef");
  CHECK(calls[0]["args"]["GB/s"] == 1.0);
  CHECK(name_of(trace, "thread_name", calls[0]) == "main thread");
  const std::vector<json> compiles = events(trace, "kernel");
  REQUIRE(compiles.size() == 1);
  CHECK(compiles[0]["name"] == "compile");
  CHECK(compiles[0]["ts"] == 1250.0);
  CHECK(compiles[0]["tid"] == calls[0]["tid"]);
  CHECK(compiles[0]["args"]["front_end_ms"] == 0.25);
  CHECK(compiles[0]["args"]["passes_ms"] == 0.125);
  CHECK(compiles[0]["args"]["code_ms"] == 0.5);
  CHECK(compiles[0]["args"]["link_ms"] == 0.03);
  CHECK(compiles[0]["args"]["load_ms"] == 0.015);
  const std::vector<json> runs = events(trace, "run");
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["pid"] != calls[0]["pid"]);
  CHECK(runs[0]["pid"] == runs[1]["pid"]);
  CHECK(name_of(trace, "process_name", runs[0]) == "cuda:0");
  CHECK(name_of(trace, "thread_name", runs[0]) == "default stream");
  CHECK(name_of(trace, "thread_name", runs[1]) == "stream 7");
}

TEST_CASE("trace: the CPU's default stream is its callers' threads") {
  CallRecord call = record("add", 1, 2);
  call.run = {1.5, 1};
  const json trace = json::parse(kiln::profiling::trace_json({&call, 1}, 0));
  const std::vector<json> runs = events(trace, "run");
  REQUIRE(runs.size() == 1);
  CHECK(runs[0]["pid"] == getpid());
  CHECK(runs[0]["tid"] == getpid());
}

TEST_CASE("trace: copies are events of their own, whose bytes count once") {
  CallRecord copy = on_gpu(record("to_device", 0, 2), 3, 1, 1);
  copy.kind = "copy";
  copy.bytes_read = copy.bytes_written = 2'000'000;
  const json trace = json::parse(kiln::profiling::trace_json({&copy, 1}, 0));
  CHECK(events(trace, "call").empty());
  const std::vector<json> copies = events(trace, "copy");
  REQUIRE(copies.size() == 2);
  CHECK(copies[0]["pid"] == getpid());
  CHECK(name_of(trace, "thread_name", copies[1]) == "stream 3");
  CHECK(copies[1]["args"]["GB/s"] == 2.0);
  CHECK_FALSE(copies[1]["args"].contains("kernel"));
}

TEST_CASE("trace: what ran in one stream does not overlap") {
  // Another thread's launch came between this one's and its event.
  const CallRecord records[] = {on_gpu(record("a", 0, 1), 0, 1, 4), on_gpu(record("b", 0, 1), 0, 2, 5)};
  const std::vector<json> runs = events(json::parse(kiln::profiling::trace_json(records, 0)), "run");
  REQUIRE(runs.size() == 2);
  CHECK(runs[1]["name"] == "b");
  CHECK(runs[1]["ts"] == 5000.0);
  CHECK(runs[1]["dur"] == 2000.0);
}

TEST_CASE("trace: any name is a string, and what was dropped is told") {
  const CallRecord call = record("a \"b\"\n\xff", 0, 1);
  const json trace = json::parse(kiln::profiling::trace_json({&call, 1}, 12));
  CHECK(events(trace, "call")[0]["name"] == "a \"b\"\n\xef\xbf\xbd");
  CHECK(trace.dump().find("12 later calls are not in this trace") != std::string::npos);
  CHECK(json::parse(kiln::profiling::trace_json({}, 0)).is_array());
}

TEST_CASE("trace: the file is whole or not there") {
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/trace.json";
  const CallRecord call = record("add", 0, 1);
  kiln::profiling::write_trace(path, {&call, 1}, 0);
  CHECK(json::parse(kiln::base::read_file(path, {}, nullptr)->bytes).size() == 3);
  CHECK_THROWS_WITH_AS(kiln::profiling::write_trace(folder.path() + "/none/trace.json", {&call, 1}, 0),
                       doctest::Contains((folder.path() + "/none/trace.json: No such file or directory").c_str()),
                       kiln::IoError);
  CHECK_THROWS_WITH_AS(kiln::profiling::write_trace(folder.path(), {&call, 1}, 0), doctest::Contains("cannot write "),
                       kiln::IoError);
}
