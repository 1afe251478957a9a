// What may end a call: its texts, and the wait for a GPU whose work does not end.
#include "device/stop_request.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "kernel/elementwise/launch.hpp"
#include "kiln/error.hpp"

#include "fake_gpu.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;
using namespace std::chrono_literals;

std::string stopped(const auto& action) {
  try {
    action();
  } catch (const Stopped& error) {
    return error.what();
  }
  return "not stopped";
}

}  // namespace

TEST_CASE("stop request: why and when") {
  static std::stop_source source;  // GCC 12 takes one of its own frame for uninitialized
  const StopRequest both("f", source.get_token(), std::chrono::hours(1));
  CHECK_FALSE(both.due());
  CHECK(stopped([&] { both.require_not_due(kNothingWritten); }) == "not stopped");
  source.request_stop();
  CHECK(both.due());
  CHECK(stopped([&] { both.require_not_due(kNothingWritten); }) == "f: stopped: its .stop was requested; nothing was written");
  CHECK(StopRequest("f", {}, 1ns).due());
  CHECK_FALSE(StopRequest("f", {}, 0ns).due());
  CHECK_FALSE(StopRequest("f", {}, std::chrono::nanoseconds::max()).due());
  const auto text = [](std::chrono::nanoseconds time) { return stopped([&] { StopRequest("f", {}, time).fail("x"); }); };
  CHECK(text(1s) == "f: stopped: it took longer than its .timeout of 1 s; x");
  CHECK(text(1500ms) == "f: stopped: it took longer than its .timeout of 1500 ms; x");
  CHECK(text(20us) == "f: stopped: it took longer than its .timeout of 20 us; x");
  CHECK(text(1001ns) == "f: stopped: it took longer than its .timeout of 1001 ns; x");
  CHECK_THROWS_WITH_AS(StopRequest("f", {}, -2s), "f: .timeout is -2 s; give a time above 0, or 0 for no limit", TypeError);
}

TEST_CASE("stop request: scopes are of a thread, and the innermost counts") {
  const StopRequest outer("f", {}, 1h);
  const StopRequest inner("g", {}, 1h);
  CHECK(StopRequest::current() == nullptr);
  {
    const StopScope scope(&outer);
    CHECK(StopRequest::current() == &outer);
    {
      const StopScope none(nullptr);
      CHECK(StopRequest::current() == &outer);
      const StopScope nested(&inner);
      CHECK(StopRequest::current() == &inner);
    }
    CHECK(StopRequest::current() == &outer);
  }
  CHECK(StopRequest::current() == nullptr);
}

TEST_CASE("stop request: a GPU that does not end is left, and what its kernel uses is held") {
  test::FakeGpu fixture;
  auto module = fixture.backend->load(test::kFakeBinary, "k");
  const std::shared_ptr<Queue> queue = fixture.backend->make_queue();
  for (Queue* const each : {static_cast<Queue*>(nullptr), queue.get()}) {
    auto in = fixture.buffer();
    std::weak_ptr<const void> watched = in;
    test::FakeElementwise launch(const_cast<void*>(in.get()), const_cast<void*>(in.get()));
    FAKE(kiln_fake_set_busy)(1);
    const StopRequest request("f", {}, 1ms);
    {
      const StopScope scope(&request);
      CHECK(fixture.backend->asynchronous(each));
      CHECK(stopped([&] { kinds::launch(*fixture.backend, *module, launch.value, each, in); }) ==
            "f: stopped: it took longer than its .timeout of 1 ms; its kernel still runs on cuda:0, which is busy until the "
            "kernel ends; then its outputs are written");
    }
    in.reset();
    CHECK_FALSE(watched.expired());
    FAKE(kiln_fake_set_busy)(0);
    each != nullptr ? each->synchronize() : fixture.backend->synchronize();
    CHECK(watched.expired());
  }
  // One that has ended.
  const auto buffer = fixture.buffer();
  test::FakeElementwise launch(const_cast<void*>(buffer.get()), const_cast<void*>(buffer.get()));
  const StopRequest request("f", {}, 1h);
  const StopScope scope(&request);
  CHECK(stopped([&] { kinds::launch(*fixture.backend, *module, launch.value, queue.get(), buffer); }) == "not stopped");
  queue->synchronize();
}
