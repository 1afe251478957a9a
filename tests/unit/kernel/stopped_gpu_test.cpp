// A call that ends while its kernel still runs on a GPU.
#include "device/stop_request.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "kernel/elementwise/launch.hpp"
#include "kiln/error.hpp"

#include "device/fake_gpu.hpp"
#include "support/message.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;
using namespace std::chrono_literals;
using kiln::test::message_of;

}  // namespace

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
      CHECK(message_of<Stopped>([&] {
              kinds::launch(*fixture.backend, *module, launch.value, {.queue = each, .keep = in, .stop = &request});
            }) ==
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
  CHECK(message_of<Stopped>([&] {
          kinds::launch(*fixture.backend, *module, launch.value, {.queue = queue.get(), .keep = buffer, .stop = &request});
        }) == "no error");
  queue->synchronize();
}
