// What calls of every kind record, on every device.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/profile.hpp"

using namespace conformance;
using kiln::Array;
using kiln::CallRecord;
using kiln::DType;

namespace {

struct Wanted {
  std::string function;
  std::string kind;
  std::int64_t elements;
  std::int64_t read;
  std::int64_t written;
};

void check(const Target& target, const Wanted& wanted, const std::function<void()>& call) {
  INFO(wanted.function);
  call();  // what it compiles and probes is not looked at
  const kiln::Profile profile = kiln::profile();
  call();
  std::vector<CallRecord> records = profile.records();
  std::erase_if(records, [](const CallRecord& record) { return record.kind == "copy"; });
  REQUIRE(records.size() == 1);
  const CallRecord& record = records[0];
  CHECK(record.function == wanted.function);
  CHECK(record.kind == wanted.kind);
  CHECK(record.kernel.size() == 32);
  CHECK(record.origin == kiln::KernelOrigin::memory);
  CHECK_FALSE(record.load);
  CHECK_FALSE(record.failed);
  CHECK(record.depth == 0);
  CHECK((record.stream != 0) == (target.mode() == Mode::stream));
  CHECK(record.elements == wanted.elements);
  CHECK(record.bytes_read == wanted.read);
  CHECK(record.bytes_written == wanted.written);
  CHECK(record.launches >= 1);
  CHECK(record.host.duration > 0);
  if (target.mode() != Mode::host) CHECK(record.device == target.device());
  REQUIRE(record.run);
  CHECK(record.run->duration >= 0);
  CHECK(record.run->start >= record.host.start);
}

}  // namespace

TEST_CASE("profile: every kind of call is recorded") {
  const kiln::Ufunc add = kiln::vectorize(
      {.name = "plus", .signatures = {"float32(float32 a, float32 b)"}, .body = "return a + b;", .identity = "0"});
  const kiln::Gufunc inner = kiln::guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 r)",
                                               "float32 s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); r = s;");
  const kiln::Reduction largest = kiln::reduction(
      {.name = "largest", .signatures = {"float32(float32 x)"}, .reduce = "return a > b ? a : b;", .reorderable = true});
  const kiln::RawKernel scale =
      kiln::kernel({.name = "scale", .signature = "void(const float32[:] x, float32[:] y)", .body = "y[item] = 2 * x[item];"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::full({60, 100}, 1.0F));
    const Array y = target.place(Array::full({60, 100}, 2.0F));
    const Array indices = target.place(Array::from(std::vector<std::int64_t>{1, 5, 5}));
    const kiln::Stream& stream = target.options().stream;
    const std::int64_t whole = std::int64_t{4} * 6000;
    check(target, {"plus", "ufunc", 6000, 2 * whole, whole}, [&] { add(x, y, target.options()); });
    check(target, {"plus.reduce", "ufunc", 6000, whole, 400}, [&] { add.reduce(x, reduce_on(target)); });
    check(target, {"plus.accumulate", "ufunc", 6000, whole, whole}, [&] { add.accumulate(x, accumulate_on(target)); });
    check(target, {"plus.reduceat", "ufunc", 6000, whole, 1200}, [&] { add.reduceat(x, indices, accumulate_on(target)); });
    // The indices, and a scalar that the kernel has in memory.
    check(target, {"plus.at", "ufunc", 6000, 24 + 4, whole}, [&] { add.at(x, {indices}, 1.0F, {.stream = stream}); });
    check(target, {inner.name(), "gufunc", 6000, 2 * whole, 240}, [&] { inner(x, y, {.stream = stream}); });
    check(target, {"largest", "reduction", 6000, whole, 4},
          [&] { largest(x, reduction_on(target, {.axis = kiln::all_axes})); });
    check(target, {"scale", "kernel", 6000, whole, whole},
          [&] { scale({.size = 6000, .stream = stream}, x.reshape({6000}), y.reshape({6000})); });
    target.wait();
  });
}

TEST_CASE("profile: copies between the host and a GPU, by themselves and within calls") {
  const kiln::Ufunc twice = kiln::vectorize({.name = "twice", .signatures = {"float32(float32 a)"}, .body = "return 2 * a;"});
  const auto text_of = [](const CallRecord& record) {
    return record.function + " " + std::to_string(record.depth) + " " + std::to_string(record.elements) + " " +
           std::to_string(record.bytes_read) + " " + std::to_string(record.bytes_written);
  };
  on_every_device(
      [&](const Target& target) {
        const kiln::Device& device = target.device();
        const kiln::Stream& stream = target.options().stream;
        const Array host = Array::full({30, 20}, 1.0F);
        twice({host}, {.device = device});  // what it compiles and probes is not looked at
        const kiln::Profile profile = kiln::profile();
        const Array there = kiln::to_device(host, device, {.stream = stream});
        const Array back = Array::empty({30, 20}, DType::float32);
        there.copy_to_host(back, {.stream = stream});
        static_cast<void>(there.copy());
        const Array result = twice({host}, {.device = device});
        std::vector<std::string> copies;
        for (const CallRecord& record : profile.records()) {
          if (record.kind != "copy") continue;
          copies.push_back(text_of(record));
          CHECK(record.device == device);
          CHECK(record.kernel.empty());
          CHECK(record.launches == 0);
          CHECK_FALSE(record.load);
          REQUIRE(record.run);
          CHECK(record.run->start >= record.host.start);
        }
        target.wait();
        CHECK(list_of(back) == list_of(host));
        if (device.is_cpu()) {
          CHECK(copies.empty());  // its memory is the host's
        } else {
          CHECK(copies == std::vector<std::string>{"to_device 0 600 2400 2400", "copy_to_host 0 600 2400 2400",
                                                   "copy 0 600 2400 2400", "to_device 1 600 2400 2400",
                                                   "copy_to_host 1 600 2400 2400"});
        }
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("profile: a trace parses, its times are ordered, and what is inside of a call lies within it") {
  const kiln::Ufunc add = kiln::vectorize(
      {.name = "traced", .signatures = {"float32(float32 a, float32 b)"}, .body = unique_comment() + "return a + b;"});
  on_every_device([&](const Target& target) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("kiln-trace-" + std::to_string(random_source(1)()) + ".json")).string();
    const Array x = target.place(Array::full({1000}, 1.0F));
    const kiln::Profile profile = kiln::profile();
    for (int i = 0; i < 5; ++i) target.call(add, {x, x});
    profile.write_trace(path);
    const nlohmann::json trace = nlohmann::json::parse(std::ifstream(path));
    std::filesystem::remove(path);
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<double, double>>> open;
    std::map<std::string, int> counts;
    double last = -1;
    for (const auto& event : trace) {
      if (event["ph"] != "X") continue;
      ++counts[event["cat"]];
      const double begin = event["ts"];
      const double end = begin + event["dur"].get<double>();
      CHECK(begin >= last);
      last = begin;
      auto& around = open[{event["pid"].get<std::int64_t>(), event["tid"].get<std::int64_t>()}];
      while (!around.empty() && around.back().second <= begin) around.pop_back();
      if (!around.empty()) CHECK(end <= around.back().second + 1e-3);
      around.emplace_back(begin, end);
    }
    CHECK(counts["call"] == 5);
    CHECK(counts["run"] == 5);
  });
}
