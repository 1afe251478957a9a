// Profiles of calls on the CPU. What every kind of call records on every device is in conformance/.
#include "kiln/profile.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

#include "../base/temporary_directory.hpp"
#include "kiln/chunked.hpp"
#include "kiln/error.hpp"
#include "profiling/call.hpp"

using kiln::Array;
using kiln::CallRecord;
using kiln::DType;
using kiln::KernelOrigin;
using kiln::Profile;
using kiln::Ufunc;
using kiln::test::TemporaryDirectory;

namespace {

/// `cache`: an own one, so that what is compiled is known.
Ufunc twice(const kiln::Cache& cache) {
  return kiln::vectorize(
      {.name = "twice", .signatures = {"float32(float32 x)"}, .body = "return 2 * x;", .compile = {.cache = cache}});
}

Array numbers(std::int64_t count = 1000) {
  return kiln::to_device(Array::full({count}, 1.0F), kiln::Device::cpu());
}

bool inside(const kiln::TimeSpan& inner, const kiln::TimeSpan& outer) {
  return inner.start >= outer.start && inner.start + inner.duration <= outer.start + outer.duration + 1e-9;
}

}  // namespace

TEST_CASE("profile: a record says what ran, where, and where its kernel came from") {
  const TemporaryDirectory folder;
  const kiln::Cache cache({.directory = folder.path()});
  const Array x = numbers();
  {
    const Profile profile = kiln::profile();
    const Ufunc f = twice(cache);
    f(x);
    f(x);
    const std::vector<CallRecord> records = profile.records();
    REQUIRE(records.size() == 2);
    const CallRecord& first = records[0];
    CHECK(first.function == "twice");
    CHECK(first.kind == "ufunc");
    CHECK(first.kernel == cache.list().at(0).id);
    CHECK(first.variant == cache.list().at(0).variant);
    CHECK(first.origin == KernelOrigin::compiled);
    CHECK(first.device == kiln::Device::cpu());
    CHECK(first.stream == 0);
    CHECK(first.thread == gettid());
    CHECK(first.launches == 1);
    CHECK(first.elements == 1000);
    CHECK(first.bytes_read == 4000);
    CHECK(first.bytes_written == 4000);
    CHECK(first.depth == 0);
    CHECK_FALSE(first.failed);
    REQUIRE(first.load);
    REQUIRE(first.run);
    CHECK(first.load->duration > 0);
    CHECK(first.run->duration > 0);
    CHECK(inside(*first.load, first.host));
    CHECK(inside(*first.run, first.host));
    CHECK(first.run->start >= first.load->start + first.load->duration);
    REQUIRE(first.stages);
    const kiln::CompileStages& stages = *first.stages;
    for (const double ms : {stages.front_end, stages.passes, stages.code, stages.link, stages.load}) CHECK(ms > 0);
    CHECK(stages.front_end + stages.passes + stages.code + stages.link + stages.load < first.load->duration);
    CHECK(records[1].origin == KernelOrigin::memory);
    CHECK_FALSE(records[1].load);
    CHECK_FALSE(records[1].stages);
    CHECK(records[1].kernel == first.kernel);
    CHECK(records[1].host.start >= first.host.start + first.host.duration);
  }
  // Another cache over the same directory has nothing in memory.
  const kiln::Cache again({.directory = folder.path()});
  const kiln::Cache behind({.read_only = {folder.path()}});
  const Profile profile = kiln::profile();
  twice(again)(x);
  twice(behind)(x);
  CHECK(profile.records().at(0).origin == KernelOrigin::disk);
  CHECK(profile.records().at(1).origin == KernelOrigin::read_only);
  CHECK_FALSE(profile.records().at(0).stages);
  CHECK(kiln::name(KernelOrigin::read_only) == "read_only");
}

TEST_CASE("profile: what broadcasting repeats is read once, and a mask is read") {
  const Ufunc f = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  const Array row = numbers(100).reshape({1, 100});
  const Array all = kiln::to_device(Array::full({50, 100}, 1.0F), kiln::Device::cpu());
  const Array mask = kiln::to_device(Array::full({50, 100}, true), kiln::Device::cpu());
  const Profile profile = kiln::profile();
  f(row.broadcast_to({50, 100}), all);
  f(row, all, {.where = mask});
  f(1.0F, row);
  const std::vector<CallRecord> records = profile.records();
  CHECK(records.at(0).bytes_read == 4 * (100 + 5000));
  CHECK(records.at(0).elements == 5000);
  CHECK(records.at(1).bytes_read == 4 * (100 + 5000) + 5000);
  CHECK(records.at(1).bytes_written == 4 * 5000);
  CHECK(records.at(2).bytes_read == 400);
}

TEST_CASE("profile: only what asked for a kernel is recorded") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a;");
  const Ufunc wrong = kiln::vectorize({.name = "wrong", .signatures = {"float32(float32 a)"}, .body = "return none_such;"});
  const Profile profile = kiln::profile();
  CHECK_THROWS_AS(f(numbers(), numbers()), kiln::TypeError);
  CHECK_THROWS_AS(f(numbers(), {.out = numbers(3)}), kiln::ShapeError);
  f(numbers(0));
  static_cast<void>(f.resolve(numbers()));
  CHECK(profile.records().empty());
  CHECK_THROWS_AS(wrong(numbers()), kiln::CompileError);
  const std::vector<CallRecord> records = profile.records();
  REQUIRE(records.size() == 1);
  CHECK(records[0].function == "wrong");
  CHECK(records[0].failed);
  CHECK(records[0].launches == 0);
  CHECK(records[0].load);
  CHECK_FALSE(records[0].run);
}

TEST_CASE("profile: queued work is timed where it runs") {
  const Ufunc slow = kiln::vectorize({.name = "slow",
                                      .signatures = {"float64(float64 a)"},
                                      .body = "for (int i = 0; i < 300; ++i) a = a * 0.5 + sqrt(a) / (1.0 + a);\nreturn a;"});
  const Array x = kiln::to_device(Array::full({20'000}, 2.0), kiln::Device::cpu());
  const kiln::Stream stream(kiln::Device::cpu());
  slow(x, {.stream = stream});
  std::atomic<int> told = 0;
  const Profile profile = kiln::profile({.on_call = [&](const CallRecord& record) {
    ++told;
    CHECK(record.run);
  }});
  slow(x, {.stream = stream});
  slow(x, {.stream = stream});
  const std::vector<CallRecord> records = profile.records();
  CHECK(told == 2);
  REQUIRE(records.size() == 2);
  CHECK(records[0].stream > 0);
  CHECK(records[1].stream == records[0].stream);
  REQUIRE(records[0].run);
  REQUIRE(records[1].run);
  CHECK(records[0].run->duration > 0);
  CHECK(records[0].run->start >= records[0].host.start);
  // In order; two clocks are compared, each known to a microsecond or so.
  CHECK(records[1].run->start >= records[0].run->start + records[0].run->duration - 0.01);
}

TEST_CASE("profile: of its own thread, or of all") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a;");
  const Array x = numbers();
  const Profile own = kiln::profile();
  const Profile all = kiln::profile({.all_threads = true});
  f(x);
  std::int64_t other = 0;
  std::thread([&] {
    other = gettid();
    f(x);
  }).join();
  CHECK(own.records().size() == 1);
  const std::vector<CallRecord> records = all.records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].thread == gettid());
  CHECK(records[1].thread == other);
}

TEST_CASE("profile: many threads at once") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a + 1;");
  const Array x = numbers();
  constexpr int kThreads = 8;
  constexpr int kCalls = 50;
  std::atomic<int> told = 0;
  Profile all = kiln::profile({.all_threads = true, .on_call = [&](const CallRecord&) { ++told; }});
  std::latch ready(kThreads);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ready.arrive_and_wait();
      const kiln::Stream stream = t % 2 == 0 ? kiln::Stream() : kiln::Stream(kiln::Device::cpu());
      for (int i = 0; i < kCalls; ++i) {
        const Profile own = kiln::profile();
        f(x, {.stream = stream});
        const std::vector<CallRecord> records = own.records();
        if (records.size() != 1 || records[0].thread != gettid()) ++wrong;
      }
    });
  }
  for (int i = 0; i < 20; ++i) static_cast<void>(all.records());
  for (std::thread& each : threads) each.join();
  all.stop();
  CHECK(wrong == 0);
  CHECK(told == kThreads * kCalls);
  CHECK(all.records().size() == std::size_t{kThreads * kCalls});
}

TEST_CASE("profile: the callback does not run after the end, whatever other threads do") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a + 1;");
  const Array x = numbers();
  f(x);
  std::atomic<bool> ending = false;
  std::thread other([&] {
    while (!ending) f(x);
  });
  for (int i = 0; i < 200; ++i) {
    std::vector<std::string> names;  // gone with the profile, and not for several threads
    kiln::Profile profile =
        kiln::profile({.all_threads = true, .on_call = [&](const CallRecord& record) { names.push_back(record.function); }});
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    profile.stop();
    const std::size_t before = names.size();
    std::this_thread::yield();
    CHECK(names.size() == before);
  }
  ending = true;
  other.join();
}

TEST_CASE("profile: a callback that throws fails no call, and stop() tells") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a + 1;");
  const Array x = numbers(3);
  int told = 0;
  Profile profile = kiln::profile({.on_call = [&](const CallRecord&) {
    ++told;
    throw std::runtime_error("the listener's own fault");
  }});
  CHECK(f(x).to_vector<float>() == std::vector<float>{2, 2, 2});
  CHECK(f(x).to_vector<float>() == std::vector<float>{2, 2, 2});
  CHECK(told == 1);
  CHECK(profile.records().size() == 2);
  CHECK_THROWS_WITH_AS(profile.stop(), "the listener's own fault", std::runtime_error);
  CHECK_NOTHROW(profile.stop());
}

TEST_CASE("profile: calls of the callback are not recorded") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a + 1;");
  const Array x = numbers(3);
  int told = 0;
  const Profile profile = kiln::profile({.on_call = [&](const CallRecord&) {
    ++told;
    f(x);
  }});
  f(x);
  CHECK(told == 1);
  CHECK(profile.records().size() == 1);
}

TEST_CASE("profile: a limit, an end, a move") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a + 1;");
  const Array x = numbers(3);
  Profile profile = kiln::profile({.limit = 2});
  for (int i = 0; i < 5; ++i) f(x);
  CHECK(profile.records().size() == 2);
  CHECK(profile.dropped() == 3);
  Profile moved = std::move(profile);
  moved.stop();
  f(x);
  CHECK(moved.dropped() == 3);
  moved = kiln::profile();
  f(x);
  CHECK(moved.records().size() == 1);
  moved.stop();
  CHECK_FALSE(kiln::profiling::active());
}

TEST_CASE("profile: a call inside of a call") {
  const Ufunc f = kiln::vectorize("float32(float32 a)", "return a + 1;");
  const Array x = numbers(3);
  const Profile profile = kiln::profile();
  {
    const kiln::profiling::Call outer;
    REQUIRE(outer);
    outer.named("outer");
    f(x);
  }
  const std::vector<CallRecord> records = profile.records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].depth == 1);
  CHECK(records[1].function == "outer");
  CHECK(records[1].depth == 0);
  CHECK_FALSE(records[1].run);
  CHECK(inside(records[0].host, records[1].host));
}

TEST_CASE("profile: a chunked call, and its chunks, which other threads call") {
  const Ufunc f = kiln::vectorize({.name = "part", .signatures = {"float32(float32 a)"}, .body = "return a + 1;"});
  const Array x = Array::full({1000}, 1.0F);
  const Profile profile = kiln::profile();
  kiln::chunked(f, {.chunk_bytes = 4000, .devices = {kiln::Device::cpu()}})(x);
  std::vector<CallRecord> records = profile.records();
  REQUIRE(records.size() >= 3);
  const CallRecord whole = records.back();
  records.pop_back();
  CHECK(whole.function == "chunked(part)");
  CHECK(whole.depth == 0);
  CHECK(whole.thread == gettid());
  CHECK(whole.elements == 1000);
  CHECK(whole.bytes_read == 4000);
  CHECK(whole.bytes_written == 4000);
  std::int64_t written = 0;
  for (const CallRecord& record : records) {
    CHECK(record.function == "part");
    CHECK(record.depth == 1);
    CHECK(record.thread != gettid());
    CHECK(inside(record.host, whole.host));
    written += record.bytes_written;
  }
  CHECK(written == 4000);
}
