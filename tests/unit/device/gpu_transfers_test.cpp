// Page-locked memory, queued copies, copies between devices and priorities, against a fake CUDA driver: what is asked of it.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/gpu/backend.hpp"
#include "device/gpu/pinned_memory.hpp"

#include "fake_gpu.hpp"
#include "kiln/error.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;

using kiln::test::calls, kiln::test::message_of, kiln::test::fake;
using Fixture = kiln::test::FakeGpu;

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("gpu transfers: page-locked memory is kept for arrays of nearly its size") {
  {
    Fixture fixture;
    void* const first = fixture.backend->allocate_pinned(3000);
    CHECK(calls() == "cuMemHostAlloc bytes=4096 flags=1\n");
    void* const other = fixture.backend->allocate_pinned(0);
    CHECK(other != nullptr);
    CHECK(other != first);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    static_cast<void>(calls());
    fixture.backend->deallocate_pinned(first, 3000);
    CHECK(fixture.backend->allocate_pinned(4000) == first);
    CHECK(calls().empty());
    fixture.backend->deallocate_pinned(first, 4000);
    fixture.backend->deallocate_pinned(other, 0);
    fixture.backend->deallocate_pinned(nullptr, 8);
    CHECK(calls().empty());
    CHECK(FAKE(kiln_fake_live_host_memory)() == 2);
    // What is idle goes back where there is no more, and is tried without.
    FAKE(kiln_fake_fail_next)("cuMemHostAlloc", 2);
    void* const large = fixture.backend->allocate_pinned(100'000);
    CHECK(calls() ==
          "cuMemHostAlloc bytes=131072 flags=1\ncuMemFreeHost\ncuMemFreeHost\ncuMemHostAlloc bytes=131072 flags=1\n");
    fixture.backend->deallocate_pinned(large, 100'000);
    CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->allocate_pinned(std::size_t{1} << 40)); }) ==
          "failed to allocate 1099511627776 bytes of page-locked host memory on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out of "
          "memory)");
    // Beyond the limit what was given back first makes room.
    const std::size_t most = backend::gpu::PinnedMemory::kMostIdle;
    void* const half = fixture.backend->allocate_pinned(most / 2);
    void* const more = fixture.backend->allocate_pinned(most / 2 + 1);
    fixture.backend->deallocate_pinned(half, most / 2);
    static_cast<void>(calls());
    fixture.backend->deallocate_pinned(more, most / 2 + 1);
    CHECK(calls() == "cuMemFreeHost\n");
    CHECK(fixture.backend->allocate_pinned(most / 2 + 1) == more);
    fixture.backend->deallocate_pinned(more, most / 2 + 1);
  }
  CHECK(FAKE(kiln_fake_live_host_memory)() == 0);
}

TEST_CASE("gpu transfers: the host's own memory is page-locked once, and unlocked behind the device's work") {
  Fixture fixture;
  std::vector<char> memory(10'000);
  CHECK_FALSE(fixture.backend->register_host(memory.data(), 0, false));
  CHECK(calls().empty());
  CHECK(fixture.backend->register_host(memory.data(), 10'000, false));
  CHECK(calls() == "cuMemHostRegister_v2 bytes=10000 flags=1\n");
  CHECK_FALSE(fixture.backend->register_host(memory.data() + 100, 200, false));
  static_cast<void>(calls());
  fixture.backend->unregister_host(memory.data());
  const std::string log = FAKE(kiln_fake_log)();
  CHECK(log.find("cuCtxSynchronize") < log.find("cuMemHostUnregister"));
  CHECK(FAKE(kiln_fake_live_host_memory)() == 0);
  // Memory mapped without the right to write is asked for in the driver's own way.
  FAKE(kiln_fake_reset)();
  FAKE(kiln_fake_fail_next)("cuMemHostRegister_v2", 1);
  CHECK(fixture.backend->register_host(memory.data(), 10'000, true));
  CHECK(calls() == "cuMemHostRegister_v2 bytes=10000 flags=1\ncuMemHostRegister_v2 bytes=10000 flags=9\n");
  fixture.backend->unregister_host(memory.data());
  FAKE(kiln_fake_fail_next)("cuMemHostRegister_v2", 1);
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->register_host(memory.data(), 10'000, false)); }) ==
        "failed to page-lock memory of the host on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  CHECK(FAKE(kiln_fake_live_host_memory)() == 0);
}

TEST_CASE("gpu transfers: queued copies wait for nothing, and hold what they use until they are done") {
  Fixture fixture;
  auto& gpu = *fixture.backend;
  void* const memory = gpu.allocate(64, nullptr);
  std::vector<char> host(64, 7);
  std::vector<char> back(64);
  for (const bool on_queue : {true, false}) {
    CAPTURE(on_queue);
    const auto queue = on_queue ? gpu.make_queue() : nullptr;
    if (on_queue) gpu.upload_queued(memory, host.data(), 1, queue.get(), nullptr);  // it has waited for memory then
    const int before = FAKE(kiln_fake_live_allocations)();
    static_cast<void>(calls());
    FAKE(kiln_fake_set_busy)(1);
    gpu.upload_queued(memory, host.data(), 64, queue.get(), fixture.buffer());
    gpu.download_queued(back.data(), memory, 64, queue.get(), fixture.buffer());
    gpu.upload_queued(memory, host.data(), 0, queue.get(), fixture.buffer());  // nothing to hold for nothing
    CHECK(FAKE(kiln_fake_live_allocations)() == before + 2);
    const std::string log = FAKE(kiln_fake_log)();
    CHECK(log.find("Synchronize") == std::string::npos);
    CHECK(times_in(log, "cuMemcpyHtoDAsync_v2") == 1);
    CHECK(times_in(log, "cuMemcpyDtoHAsync_v2") == 1);
    if (on_queue) {
      queue->synchronize();
    } else {
      gpu.synchronize();
    }
    CHECK(back == host);
    CHECK(FAKE(kiln_fake_live_allocations)() == before);
  }
  // A queue waits for what the default stream copies, as it does for what that hands out.
  const auto queue = gpu.make_queue();
  gpu.download_queued(back.data(), memory, 64, queue.get(), nullptr);
  queue->synchronize();
  gpu.upload_queued(memory, host.data(), 64, nullptr, nullptr);
  static_cast<void>(calls());
  gpu.download_queued(back.data(), memory, 64, queue.get(), nullptr);
  CHECK(calls().starts_with("cuEventRecord stream=0\ncuStreamWaitEvent stream="));
  gpu.order_queues_after_default();
  gpu.download_queued(back.data(), memory, 64, queue.get(), nullptr);
  CHECK(calls().starts_with("cuEventRecord stream=0\ncuStreamWaitEvent stream="));
  FAKE(kiln_fake_fail_next)("cuMemcpyHtoDAsync_v2", 1);
  CHECK(message_of<DeviceError>([&] { gpu.upload_queued(memory, host.data(), 64, queue.get(), nullptr); }) ==
        "failed to copy to the device on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  gpu.deallocate(memory, 64, nullptr);
}

TEST_CASE("gpu transfers: from one device to another without the host") {
  Fixture fixture;
  backend::gpu::GpuBackend other(fake().driver, 1, nullptr, "no compiler: a test");
  void* const from = other.allocate(64, nullptr);
  void* const to = fixture.backend->allocate(64, nullptr);
  const std::vector<char> host(64, 9);
  other.upload(from, host.data(), 64, nullptr);
  static_cast<void>(calls());
  CHECK(fixture.backend->copy_from_peer(to, other, from, 64, nullptr, nullptr));
  CHECK(calls() == "cuStreamSynchronize stream=0\ncuMemcpyPeerAsync stream=0 bytes=64\n");
  std::vector<char> back(64);
  fixture.backend->download(back.data(), to, 64, nullptr);
  CHECK(back == host);
  CHECK(fixture.backend->copy_from_peer(to, other, from, 0, nullptr, nullptr));
  // Another opening of the library stands for another vendor's driver.
  const backend::gpu::Driver second{backend::gpu::dialect_of(DeviceKind::cuda), {KILN_FAKE_CUDA_LIBRARY}};
  backend::gpu::GpuBackend stranger(second, 0, nullptr, "no compiler: a test");
  static_cast<void>(calls());
  CHECK_FALSE(fixture.backend->copy_from_peer(to, stranger, from, 64, nullptr, nullptr));
  CHECK(calls().empty());
  other.deallocate(from, 64, nullptr);
  fixture.backend->deallocate(to, 64, nullptr);
}

TEST_CASE("gpu transfers: priorities of streams are brought into the driver's range") {
  Fixture fixture;
  const auto created = [&](int priority) {
    static_cast<void>(calls());
    const auto queue = fixture.backend->make_queue(priority);
    const std::string log = calls();
    return log.substr(0, log.find('\n'));
  };
  CHECK(created(0) == "cuStreamCreate flags=1");
  CHECK(created(-2) == "cuStreamCreateWithPriority flags=1 priority=-2");
  CHECK(created(-100) == "cuStreamCreateWithPriority flags=1 priority=-5");
  CHECK(created(100) == "cuStreamCreateWithPriority flags=1 priority=0");
  static_cast<void>(calls());
  FAKE(kiln_fake_fail_next)("cuCtxGetStreamPriorityRange", 1);
  const auto queue = fixture.backend->make_queue(-2);
  CHECK(calls().starts_with("cuStreamCreate flags=1\n"));
}
