// A GPU's memory on the fake driver: what is counted, the limit, what is done and said where there is no room, and allocators
// of the user's.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <stdexcept>
#include <string>

#include "../base/child_process.hpp"
#include "base/log.hpp"
#include "kiln/error.hpp"
#include "kiln/memory.hpp"

#include "fake_gpu.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;

using kiln::test::calls, kiln::test::message_of;
using Fixture = kiln::test::FakeGpu;

/// An allocator over the host's memory that writes down who asked.
struct Recorded {
  std::map<void*, std::size_t> live;
  int asked = 0;
  int refuse = 0;  // so many, from the next one on
  std::string last;

  [[nodiscard]] MemoryAllocator functions() {
    return {.allocate = [this](std::size_t bytes, const Device& device, void* stream) -> void* {
              ++asked;
              last = std::to_string(bytes) + " bytes on " + to_string(device) + (stream == nullptr ? "" : ", a stream");
              if (refuse > 0 && --refuse >= 0) return nullptr;
              void* const address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
              live[address] = bytes;
              return address;
            },
            .deallocate =
                [this](void* address, std::size_t bytes, const Device&, void*) {
                  CHECK(live.at(address) == bytes);
                  live.erase(address);
                  std::free(address);
                }};
  }
};

}  // namespace

TEST_CASE("gpu memory: what is in use, what is kept, the most there was") {
  Fixture fixture;
  Backend& backend = *fixture.backend;
  void* const a = backend.allocate(1000, nullptr);
  void* const b = backend.allocate(0, nullptr);
  MemoryStats stats = backend.memory_stats();
  CHECK(stats.used == 1004);
  CHECK(stats.allocations == 2);
  CHECK(stats.peak == 1004);
  CHECK(stats.total == std::int64_t{1} << 32);
  REQUIRE(stats.free.has_value());
  CHECK(*stats.free <= stats.total - 1004);
  CHECK_FALSE(stats.limit.has_value());
  const std::int64_t kept = stats.kept;
  backend.deallocate(a, 1000, nullptr);
  backend.deallocate(b, 0, nullptr);
  stats = backend.memory_stats();
  CHECK(stats.used == 0);
  CHECK(stats.allocations == 0);
  CHECK(stats.peak == 1004);
  CHECK(stats.kept == kept + 1004);
  backend.reset_memory_peak();
  CHECK(backend.memory_stats().peak == 0);
  calls();
  backend.trim();
  const std::string log = calls();
  CHECK(log.find("cuMemPoolTrimTo bytes=0") != std::string::npos);
  CHECK(backend.memory_stats().kept == 0);
}

TEST_CASE("gpu memory: a limit refuses what would pass it, once what is kept for work that is done has been let go of") {
  for (const bool pools : {true, false}) {
    CAPTURE(pools);
    Fixture fixture(pools);
    Backend& backend = *fixture.backend;
    calls();
    backend.set_memory_limit(4096);
    CHECK(calls() == (pools ? "cuMemPoolSetAttribute attribute=4 value=4096\n" : ""));
    CHECK(backend.memory_stats().limit == 4096);
    void* const a = backend.allocate(4000, nullptr);
    calls();
    const std::string error = message_of<DeviceError>([&] { static_cast<void>(backend.allocate(100, nullptr)); });
    CHECK(
        error.starts_with("failed to allocate 100 bytes on cuda:0: the limit is 4096 bytes (kiln::set_memory_limit, "
                          "KILN_DEVICE_MEMORY_LIMIT); 4000 bytes are in use in 1 allocation, 0 are kept, "));
    CHECK(error.ends_with(" of the device's 4294967296 are free"));
    const std::string log = calls();
    CHECK(log.find("Alloc") == std::string::npos);
    CHECK((log.find("cuMemPoolTrimTo") != std::string::npos) == pools);
    void* const b = backend.allocate(96, nullptr);
    backend.deallocate(b, 96, nullptr);
    // What work that is done has kept makes room.
    const auto queue = backend.make_queue();
    const auto module = backend.load(kiln::test::kFakeBinary, "k");
    const kiln::test::FakeElementwise launch(a, a);
    FAKE(kiln_fake_set_busy)(1);
    kinds::launch(backend, *module, launch.value, {.queue = queue.get(), .keep = fixture.buffer()});
    CHECK(backend.memory_stats().used == 4064);
    void* const c = backend.allocate(90, nullptr);
    CHECK(backend.memory_stats().used == 4092);
    backend.deallocate(c, 90, nullptr);
    // One that is less than what is in use takes nothing away.
    backend.set_memory_limit(10);
    CHECK(message_of<DeviceError>([&] { static_cast<void>(backend.allocate(1, nullptr)); }).find("the limit is 10 bytes") !=
          std::string::npos);
    backend.set_memory_limit(std::nullopt);
    backend.deallocate(backend.allocate(100'000, nullptr), 100'000, nullptr);
    backend.deallocate(a, 4000, nullptr);
    CHECK(backend.memory_stats().used == 0);
    CHECK(backend.memory_stats().allocations == 0);
  }
}

TEST_CASE("gpu memory: out of memory says what was asked, what is in use and what there is; nothing is leaked") {
  for (const bool pools : {true, false}) {
    CAPTURE(pools);
    Fixture fixture(pools);
    Backend& backend = *fixture.backend;
    void* const a = backend.allocate(512, nullptr);
    const std::string error =
        message_of<DeviceError>([&] { static_cast<void>(backend.allocate(std::size_t{1} << 40, nullptr)); });
    CHECK(
        error.starts_with("failed to allocate 1099511627776 bytes on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out of memory); "
                          "512 bytes are in use in 1 allocation, 0 are kept, "));
    CHECK(error.ends_with(" of the device's 4294967296 are free"));
    CHECK(backend.memory_stats().used == 512);
    CHECK(backend.memory_stats().peak < std::int64_t{1} << 41);
    // Any other refusal is told as it is, and not asked again.
    calls();
    FAKE(kiln_fake_fail_next)(pools ? "cuMemAllocFromPoolAsync" : "cuMemAlloc_v2", 1);
    CHECK(message_of<DeviceError>([&] { static_cast<void>(backend.allocate(8, nullptr)); }) ==
          "failed to allocate 8 bytes on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    CHECK(backend.memory_stats().used == 512);
    backend.deallocate(a, 512, nullptr);
    CHECK(backend.memory_stats().used == 0);
  }
}

TEST_CASE("gpu memory: blocks go back to the allocator that they came from") {
  for (const bool pools : {true, false}) {
    CAPTURE(pools);
    Fixture fixture(pools);
    Backend& backend = *fixture.backend;
    const Device device = Device::of_kind(DeviceKind::cuda);
    Recorded first;
    Recorded second;
    void* const own = backend.allocate(64, nullptr);
    backend.set_allocator(device, first.functions());
    void* const a = backend.allocate(1001, nullptr);
    CHECK(first.last == "1004 bytes on cuda:0");
    CHECK(first.live.count(a) == 1);
    CHECK(backend.memory_stats().used == 1068);
    backend.deallocate(own, 64, nullptr);
    backend.set_allocator(device, second.functions());
    const auto queue = backend.make_queue();
    void* const b = backend.allocate(4, queue.get());
    CHECK(second.last == "4 bytes on cuda:0, a stream");
    backend.set_allocator(device, {});
    void* const c = backend.allocate(4, nullptr);
    CHECK(second.asked == 1);
    CHECK(backend.memory_stats().allocations == 3);
    calls();
    backend.deallocate(a, 1001, nullptr);
    CHECK(first.live.empty());
    backend.deallocate_scratch(b, 4, queue.get());
    CHECK(second.live.empty());
    CHECK(calls().find("Free") == std::string::npos);
    backend.deallocate(c, 4, nullptr);
    CHECK(backend.memory_stats().used == 0);
  }
}

TEST_CASE("gpu memory: an allocator that has no room is asked once more, and other exceptions are the caller's") {
  Fixture fixture;
  Backend& backend = *fixture.backend;
  const Device device = Device::of_kind(DeviceKind::cuda);
  Recorded user;
  backend.set_allocator(device, user.functions());
  user.refuse = 1;
  void* const a = backend.allocate(64, nullptr);
  CHECK(user.asked == 2);
  user.refuse = 2;
  CHECK(message_of<DeviceError>([&] {
          static_cast<void>(backend.allocate(64, nullptr));
        }).starts_with("failed to allocate 64 bytes on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out of memory); 64 bytes are in use"));
  CHECK(user.asked == 4);
  backend.deallocate(a, 64, nullptr);
  MemoryAllocator odd = user.functions();
  odd.allocate = [](std::size_t, const Device&, void*) -> void* { throw std::bad_alloc(); };
  backend.set_allocator(device, odd);
  CHECK(message_of<DeviceError>([&] { static_cast<void>(backend.allocate(64, nullptr)); }).find("out of memory") !=
        std::string::npos);
  odd.allocate = [](std::size_t, const Device&, void*) -> void* { throw std::runtime_error("the host program's own"); };
  backend.set_allocator(device, odd);
  CHECK_THROWS_WITH_AS(static_cast<void>(backend.allocate(64, nullptr)), "the host program's own", std::runtime_error);
  int given_back = 0;
  backend.set_allocator(device, {.allocate = [](std::size_t, const Device&, void*) { return reinterpret_cast<void*>(0x1010); },
                                 .deallocate = [&](void*, std::size_t, const Device&, void*) { ++given_back; }});
  CHECK(message_of<DeviceError>([&] { static_cast<void>(backend.allocate(64, nullptr)); }) ==
        "the allocator that set_allocator() was given for cuda:0 gave an address that is not aligned to 256 bytes");
  CHECK(given_back == 1);
  CHECK(backend.memory_stats().used == 0);
  CHECK(backend.memory_stats().allocations == 0);
  CHECK(user.live.empty());
}

TEST_CASE("gpu memory: a limit by the environment [child]" * doctest::skip()) {
  std::string line;
  base::set_log([&](std::string_view text) { line = text; });
  kiln::backend::gpu::GpuBackend backend(kiln::test::fake().driver, 0, nullptr, "");
  if (kiln::test::from_parent("KILN_DEVICE_MEMORY_LIMIT") == "64K") {
    CHECK(backend.memory_stats().limit == 65536);
    CHECK(line.empty());
  } else {
    CHECK_FALSE(backend.memory_stats().limit.has_value());
    CHECK(line ==
          "KILN_DEVICE_MEMORY_LIMIT is \"much\", which is no number of bytes; there is no limit; write it as 500M or 2G");
  }
}

TEST_CASE("gpu memory: a limit by the environment") {
  for (const char* const value : {"64K", "much"}) {
    CAPTURE(value);
    CHECK(kiln::test::ChildProcess("gpu memory: a limit by the environment [child]", {{"KILN_DEVICE_MEMORY_LIMIT", value}})
              .wait() == 0);
  }
}

TEST_CASE("memory: what cannot be set") {
  CHECK(message_of<DeviceError>([] { set_memory_limit(Device::cpu(), -1); }) ==
        "set_memory_limit: -1 bytes; give a number that is not negative, or std::nullopt for no limit");
  CHECK(message_of<DeviceError>([] { set_allocator(Device::cpu(), {}); }) ==
        "set_allocator: the CPU's memory has no allocator of the user's; wrap memory of your own with Array::view");
  CHECK(message_of<DeviceError>([] {
          set_allocator(
              Device::of_kind(DeviceKind::cuda),
              {.allocate = [](std::size_t, const Device&, void*) -> void* { return nullptr; }, .deallocate = nullptr});
        }) == "set_allocator: there is only one of .allocate and .deallocate; give both, or none for kiln's own pool");
}
