// What may end a call: its texts and its scopes.
#include "device/stop_request.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "kiln/error.hpp"
#include "support/message.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;
using namespace std::chrono_literals;
using kiln::test::message_of;

}  // namespace

TEST_CASE("stop request: why and when") {
  static std::stop_source source;  // GCC 12 takes one of its own frame for uninitialized
  const StopRequest both("f", source.get_token(), std::chrono::hours(1));
  CHECK_FALSE(both.due());
  CHECK(message_of<Stopped>([&] { both.require_not_due(kNothingWritten); }) == "no error");
  source.request_stop();
  CHECK(both.due());
  CHECK(message_of<Stopped>([&] { both.require_not_due(kNothingWritten); }) ==
        "f: stopped: its .stop was requested; nothing was written");
  CHECK(StopRequest("f", {}, 1ns).due());
  CHECK_FALSE(StopRequest("f", {}, 0ns).due());
  CHECK_FALSE(StopRequest("f", {}, std::chrono::nanoseconds::max()).due());
  const auto text = [](std::chrono::nanoseconds time) {
    return message_of<Stopped>([&] { StopRequest("f", {}, time).fail("x"); });
  };
  CHECK(text(1s) == "f: stopped: it took longer than its .timeout of 1 s; x");
  CHECK(text(1500ms) == "f: stopped: it took longer than its .timeout of 1500 ms; x");
  CHECK(text(20us) == "f: stopped: it took longer than its .timeout of 20 us; x");
  CHECK(text(1001ns) == "f: stopped: it took longer than its .timeout of 1001 ns; x");
  CHECK_THROWS_WITH_AS(StopRequest("f", {}, -2s), "f: .timeout is -2 s; give a time above 0, or 0 for no limit", TypeError);
}
