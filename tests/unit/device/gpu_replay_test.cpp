// Recorded launches as a graph of the driver's: what is asked of the fake driver, and what is done where it refuses.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>

#include "device/capture.hpp"

#include "fake_gpu.hpp"
#include "kiln/error.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;

using kiln::test::calls, kiln::test::message_of;
using Fixture = kiln::test::FakeGpu;
using Launch = kiln::test::FakeElementwise;

/// Two launches of a kernel on two arrays, recorded.
struct Recording {
  explicit Recording(Backend& device)
      : backend(device),
        in(device.allocate(400'000, nullptr)),
        out(device.allocate(400'000, nullptr)),
        module(device.load(kiln::test::kFakeBinary, "k")) {
    Capture capture(nullptr);
    for (int i = 0; i < 2; ++i)
      kinds::launch(backend, *module, Launch(in, out).value,
                    {.queue = nullptr, .keep = nullptr, .capture = Capture::current()});
    launches = capture.launches;
  }
  ~Recording() {
    for (void* const each : {in, out}) backend.deallocate(each, 400'000, nullptr);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Backend& backend;
  void* in;
  void* out;
  std::shared_ptr<Module> module;
  RecordedLaunches launches;
};

void* address_in(const FakeLaunch& launch, int parameter) {
  void* address = nullptr;
  std::memcpy(&address, launch.bytes[parameter], sizeof address);
  return address;
}

}  // namespace

TEST_CASE("gpu replay: a stream of its own captures the launches, and each start is one call") {
  Fixture fixture;
  {
    const Recording recording(*fixture.backend);
    CHECK(FAKE(kiln_fake_launch_count)() == 0);
    calls();
    const std::shared_ptr<Replay> replay = fixture.backend->make_replay(recording.launches);
    REQUIRE(replay != nullptr);
    const std::string made = calls();
    CHECK(made.find("cuStreamBeginCapture_v2 stream=") < made.find("cuLaunchKernel stream="));
    CHECK(made.find("mode=2") != std::string::npos);
    CHECK(made.rfind("cuLaunchKernel") < made.find("cuStreamEndCapture"));
    CHECK(made.find("cuEventRecord") == std::string::npos);
    CHECK(made.find("cuStreamWaitEvent") == std::string::npos);
    CHECK(FAKE(kiln_fake_live_graphs)() == 1);
    replay->start(nullptr, replay);
    CHECK(calls().starts_with("cuGraphLaunch stream=0\n"));
    const auto queue = fixture.backend->make_queue();
    calls();
    replay->start(queue.get(), replay);
    const std::string log = FAKE(kiln_fake_log)();
    CHECK(log.find("cuStreamWaitEvent") < log.find("cuGraphLaunch stream="));
    REQUIRE(FAKE(kiln_fake_launch_count)() == 2);
    CHECK(FAKE(kiln_fake_launch)(1)->stream != 0);
    CHECK(address_in(*FAKE(kiln_fake_launch)(1), 1) == recording.in);
    queue->synchronize();
    fixture.backend->synchronize();
  }
  CHECK(FAKE(kiln_fake_live_graphs)() == 0);
}

TEST_CASE("gpu replay: launches on other memory") {
  Fixture fixture;
  const Recording recording(*fixture.backend);
  const auto at = reinterpret_cast<std::uintptr_t>(recording.in);
  const Move move{.low = at, .high = at + 400'000, .by = 4096};
  calls();
  recording.launches[0]->moved({&move, 1})->run(nullptr, nullptr);
  recording.launches[0]->run(nullptr, nullptr);
  CHECK(address_in(*FAKE(kiln_fake_launch)(0), 1) == static_cast<char*>(recording.in) + 4096);
  CHECK(address_in(*FAKE(kiln_fake_launch)(0), 3) == recording.out);
  CHECK(address_in(*FAKE(kiln_fake_launch)(1), 1) == recording.in);
}

TEST_CASE("gpu replay: a driver that makes no graph leaves none, and the launches to be run") {
  Fixture fixture;
  const Recording recording(*fixture.backend);
  const int streams = FAKE(kiln_fake_live_streams)();
  for (const char* const symbol : {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"}) {
    CAPTURE(symbol);
    FAKE(kiln_fake_fail_next)(symbol, 801);
    CHECK(fixture.backend->make_replay(recording.launches) == nullptr);
    CHECK(FAKE(kiln_fake_live_streams)() == streams);
  }
  // A launch that is refused while the graph is made is the caller's error, and the capture is over.
  const int graphs = FAKE(kiln_fake_live_graphs)();
  FAKE(kiln_fake_fail_next)("cuLaunchKernel", 1);
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->make_replay(recording.launches)); }) ==
        "failed to launch \"k\" on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  CHECK(FAKE(kiln_fake_live_graphs)() == graphs);
  CHECK(FAKE(kiln_fake_live_streams)() == streams);
}
