// The GPU backend against a fake CUDA driver: what it asks for, in what order, and what it does with refusals. Nothing here
// runs a kernel; results of kernels are the conformance suite's business, on real devices.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../base/child_process.hpp"
#include "base/have_cpu.hpp"
#include "compiler/clang.hpp"
#include "compiler/gpu/jit_link.hpp"
#include "device/backend.hpp"
#include "device/gpu/backend.hpp"
#include "device/gpu/devices.hpp"
#include "kernel/raw/launch.hpp"
#include "kernel/reduction/launch.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "library/driver.hpp"
#include "library/library.hpp"

#include "fake_gpu.hpp"
#include "gpu_compilers.hpp"
#include "test_libraries.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;
using namespace kiln::backend::gpu;
using namespace kiln::kinds;

using kiln::test::calls, kiln::test::message_of, kiln::test::fake, kiln::test::in_child;
using Fixture = kiln::test::FakeGpu;
using Launch = kiln::test::FakeElementwise;

}  // namespace

TEST_CASE("gpu: limits and names come from the driver") {
  Fixture fixture;
  const DeviceInfo& info = fixture.backend->info();
  CHECK(info.name == "kiln's emulator of sm_90");
  CHECK(info.target == "sm_90");
  CHECK(info.runtime == "CUDA 13.0 (driver), no compiler");
  CHECK(info.memory_bytes == std::int64_t{1} << 32);
  CHECK(info.multiprocessors == 132);
  CHECK(info.threads_per_multiprocessor == 2048);
  CHECK(info.warp_size == 32);
  CHECK(info.max_threads_per_block == 1024);
  CHECK(info.max_grid_blocks == 2147483647);
  CHECK(info.shared_bytes_per_block == 49152);
  CHECK(info.l2_bytes == 62914560);
  CHECK_THROWS_WITH_AS(static_cast<void>(fixture.backend->compiler()), "no compiler: a test", DeviceError);
  FAKE(kiln_fake_set_capability)(12, 1);
  CHECK(architecture_of(fake().driver, 0) == "sm_121");
}

TEST_CASE("gpu: memory comes from a pool that keeps it, in the order of the stream") {
  FAKE(kiln_fake_reset)();
  GpuBackend backend(fake().driver, 0, nullptr, {});
  CHECK(calls() == "cuDevicePrimaryCtxRetain\ncuMemPoolCreate\ncuMemPoolSetAttribute attribute=4 value=18446744073709551615\n");
  Fixture fixture;
  void* const address = fixture.backend->allocate(1000, nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(address) % 256 == 0);
  void* const empty = fixture.backend->allocate(0, nullptr);
  CHECK(empty != nullptr);
  fixture.backend->deallocate(address, 1000, nullptr);
  fixture.backend->deallocate(empty, 0, nullptr);
  fixture.backend->deallocate(nullptr, 0, nullptr);
  CHECK(calls() ==
        "cuMemAllocFromPoolAsync stream=0 bytes=1000\ncuMemAllocFromPoolAsync stream=0 bytes=4\n"
        "cuMemFreeAsync stream=0\ncuMemFreeAsync stream=0\n");
}

TEST_CASE("gpu: without pools memory is the driver's, and freed only when the work is done") {
  Fixture fixture(false);
  void* const address = fixture.backend->allocate(64, nullptr);
  fixture.backend->deallocate(address, 64, nullptr);
  CHECK(calls() == "cuMemAlloc_v2 bytes=64\ncuStreamSynchronize stream=0\ncuMemFree_v2\n");
}

TEST_CASE("gpu: out of memory trims the pool and tries again, then says how much") {
  Fixture fixture;
  FAKE(kiln_fake_fail_next)("cuMemAllocFromPoolAsync", 2);
  void* const address = fixture.backend->allocate(4096, nullptr);
  CHECK(calls() ==
        "cuMemAllocFromPoolAsync stream=0 bytes=4096\ncuMemPoolTrimTo bytes=0\ncuMemAllocFromPoolAsync stream=0 bytes=4096\n");
  fixture.backend->deallocate(address, 4096, nullptr);
  try {
    static_cast<void>(fixture.backend->allocate(std::size_t{1} << 40, nullptr));
    CHECK(false);
  } catch (const DeviceError& error) {
    CHECK(std::string(error.what())
              .starts_with("failed to allocate 1099511627776 bytes on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out of memory); "));
    CHECK(error.code() == 2);
    CHECK(error.code_name() == "CUDA_ERROR_OUT_OF_MEMORY");
  }
}

TEST_CASE("gpu: out of memory takes back what queues keep for work that is done") {
  for (const bool pools : {true, false}) {
    CAPTURE(pools);
    Fixture fixture(pools);
    void* const in = fixture.backend->allocate(400000, nullptr);
    const auto module = fixture.backend->load(kiln::test::kFakeBinary, "k");
    const Launch launch(in, in);
    auto first = fixture.backend->make_queue();
    auto second = fixture.backend->make_queue();
    static_cast<void>(fixture.backend->make_queue());
    const int before = FAKE(kiln_fake_live_allocations)();
    FAKE(kiln_fake_set_busy)(1);
    for (Queue* const queue : {first.get(), second.get()}) {
      for (int i = 0; i < 20; ++i)
        kinds::launch(*fixture.backend, *module, launch.value, {.queue = queue, .keep = fixture.buffer()});
    }
    CHECK(FAKE(kiln_fake_live_allocations)() == before + 40);
    FAKE(kiln_fake_fail_next)(pools ? "cuMemAllocFromPoolAsync" : "cuMemAlloc_v2", 2);
    void* const address = fixture.backend->allocate(4096, nullptr);
    CHECK(FAKE(kiln_fake_live_allocations)() == before + 1);
    const std::string log = FAKE(kiln_fake_log)();
    if (pools) {
      const std::size_t freed = log.rfind("cuMemFreeAsync");
      const std::size_t waited = log.rfind("cuCtxSynchronize");
      CHECK(freed < waited);
      CHECK(waited < log.find("cuMemPoolTrimTo"));
    }
    fixture.backend->deallocate(address, 4096, nullptr);
    first.reset();
    second.reset();
    fixture.backend->deallocate(in, 400000, nullptr);
  }
}

TEST_CASE("gpu: copies arrive, and those with the host wait") {
  Fixture fixture;
  const std::vector<int> numbers = {1, 2, 3, 4};
  void* const a = fixture.backend->allocate(16, nullptr);
  void* const b = fixture.backend->allocate(16, nullptr);
  static_cast<void>(calls());
  fixture.backend->upload(a, numbers.data(), 16, nullptr);
  CHECK(calls() == "cuMemcpyHtoDAsync_v2 stream=0 bytes=16\ncuStreamSynchronize stream=0\n");
  fixture.backend->copy(b, a, 16, nullptr);
  CHECK(calls() == "cuMemcpyDtoDAsync_v2 stream=0 bytes=16\n");
  std::vector<int> back(4);
  fixture.backend->download(back.data(), b, 16, nullptr);
  CHECK(calls() == "cuMemcpyDtoHAsync_v2 stream=0 bytes=16\ncuStreamSynchronize stream=0\n");
  CHECK(back == numbers);
  fixture.backend->upload(a, numbers.data(), 0, nullptr);
  CHECK(calls().empty());
  fixture.backend->deallocate(a, 16, nullptr);
  fixture.backend->deallocate(b, 16, nullptr);
}

TEST_CASE("gpu: the caller's current context survives every call") {
  Fixture fixture;
  FAKE(kiln_fake_push_foreign_context)();
  void* const address = fixture.backend->allocate(16, nullptr);
  CHECK(FAKE(kiln_fake_context_depth)() == 1);
  const std::string log = FAKE(kiln_fake_log)();
  CHECK(log == "cuCtxPushCurrent_v2\ncuMemAllocFromPoolAsync stream=0 bytes=16\ncuCtxPopCurrent_v2\n");
  FAKE(kiln_fake_fail_next)("cuMemcpyHtoDAsync_v2", 1);
  CHECK(message_of<DeviceError>([&] { fixture.backend->upload(address, "x", 1, nullptr); }) ==
        "failed to copy to the device on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  CHECK(FAKE(kiln_fake_context_depth)() == 1);
  fixture.backend->deallocate(address, 16, nullptr);
  FAKE(kiln_fake_pop_context)();
}

TEST_CASE("gpu: a launch passes count, scalars and addresses") {
  Fixture fixture;
  void* const in = fixture.backend->allocate(400000, nullptr);
  void* const out = fixture.backend->allocate(400000, nullptr);
  {
    const auto module = fixture.backend->load(kiln::test::kFakeBinary, "saxpy");
    static_cast<void>(calls());
    const Launch launch(in, out);
    kinds::launch(*fixture.backend, *module, launch.value, {.queue = nullptr, .keep = nullptr});
    REQUIRE(FAKE(kiln_fake_launch_count)() == 1);
    const FakeLaunch& seen = *FAKE(kiln_fake_launch)(0);
    CHECK(seen.stream == 0);
    // 25000 packs of 4; 132 multiprocessors want blocks of 64 threads with 2 packs each, which makes 196 of them.
    CHECK(seen.block == 64);
    CHECK(seen.grid == 196);
    REQUIRE(seen.parameter_count == 4);
    std::uint32_t n = 0;
    void* address = nullptr;
    float scalar = 0;
    std::memcpy(&n, seen.bytes[0], sizeof(n));
    CHECK(n == 100000);
    std::memcpy(&address, seen.bytes[1], sizeof(address));
    CHECK(address == in);
    std::memcpy(&scalar, seen.bytes[2], sizeof(scalar));
    CHECK(scalar == 1.5F);
    std::memcpy(&address, seen.bytes[3], sizeof(address));
    CHECK(address == out);
    CHECK(calls() == "cuLaunchKernel stream=0\n");
    CHECK_FALSE(fixture.backend->asynchronous(nullptr));

    FAKE(kiln_fake_fail_next)("cuLaunchKernel", 1);
    CHECK(message_of<DeviceError>([&] {
            kinds::launch(*fixture.backend, *module, launch.value, {.queue = nullptr, .keep = nullptr});
          }) == "failed to launch \"saxpy\" on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    static_cast<void>(calls());
  }
  CHECK_MESSAGE(calls() == "cuModuleUnload\n", "after cuCtxSynchronize: the kernel may still run");
  CHECK(FAKE(kiln_fake_live_modules)() == 0);
  fixture.backend->deallocate(in, 400000, nullptr);
  fixture.backend->deallocate(out, 400000, nullptr);
}

TEST_CASE("gpu: code that does not load names the module, with the driver's log") {
  Fixture fixture;
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->load("garbage", "discriminant")); }) ==
        "failed to load module \"discriminant\" on cuda:0: CUDA_ERROR_INVALID_IMAGE (device kernel image is invalid)");
  CHECK(
      message_of<DeviceError>([&] { static_cast<void>(fixture.backend->load(".version 9.0\nnonsense", "discriminant")); }) ==
      "failed to load module \"discriminant\" on cuda:0: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed): line 2 of the "
      "PTX: the directive nonsense is not known, found the end of the text");
  FAKE(kiln_fake_fail_next)("cuModuleGetFunction", 500);
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->load(kFakeImage, "k")); }) ==
        "failed to find the kernel kiln_kernel in module \"k\" on cuda:0: CUDA_ERROR_NOT_FOUND (named symbol not found)");
  CHECK(FAKE(kiln_fake_live_modules)() == 0);
}

TEST_CASE("gpu: a module in debug mode has its faults, and others are not asked for theirs") {
  Fixture fixture;
  const std::string checked = std::string(kFakeImage) + " kiln_faults 300000";
  const auto plain = fixture.backend->load(kFakeImage, "k");
  CHECK(plain->faults() == nullptr);
  CHECK(calls().find("cuModuleGetGlobal_v2") == std::string::npos);
  const auto module = fixture.backend->load(checked, "k");
  CHECK(module->faults() != nullptr);
  CHECK(calls().find("cuModuleGetGlobal_v2 kiln_faults\n") != std::string::npos);
  // A compiler may have left them out.
  CHECK(fixture.backend->load(std::string(kFakeImage) + " kiln_faults 0", "k")->faults() == nullptr);
}

TEST_CASE("gpu: a queue waits for memory handed out on the default stream, once") {
  Fixture fixture;
  void* const in = fixture.backend->allocate(400000, nullptr);
  const auto module = fixture.backend->load(kiln::test::kFakeBinary, "k");
  const Launch launch(in, in);
  {
    const auto queue = fixture.backend->make_queue();
    CHECK(fixture.backend->asynchronous(queue.get()));
    std::string log = calls();
    CHECK(log.find("cuStreamCreate flags=1\ncuEventCreate flags=2\n") != std::string::npos);
    kinds::launch(*fixture.backend, *module, launch.value, {.queue = queue.get(), .keep = nullptr});
    REQUIRE(FAKE(kiln_fake_launch_count)() == 1);
    const std::string stream = "stream=" + std::to_string(FAKE(kiln_fake_launch)(0)->stream);
    CHECK(stream != "stream=0");
    CHECK(calls() == "cuEventRecord stream=0\ncuStreamWaitEvent " + stream + "\ncuLaunchKernel " + stream + "\n");
    kinds::launch(*fixture.backend, *module, launch.value, {.queue = queue.get(), .keep = nullptr});
    CHECK(calls() == "cuLaunchKernel " + stream + "\n");
    void* const more = fixture.backend->allocate(16, nullptr);
    static_cast<void>(calls());
    // A copy is held by nothing: the default stream, in whose order memory is freed, waits for it.
    fixture.backend->copy(more, in, 16, queue.get());
    CHECK(calls() == "cuEventRecord stream=0\ncuStreamWaitEvent " + stream + "\ncuMemcpyDtoDAsync_v2 " + stream +
                         " bytes=16\ncuEventRecord " + stream + "\ncuStreamWaitEvent stream=0\n");
    fixture.backend->deallocate(more, 16, queue.get());
    CHECK(calls() == "cuEventRecord stream=0\ncuStreamWaitEvent " + stream + "\ncuMemFreeAsync " + stream + "\n");
  }
  CHECK(FAKE(kiln_fake_live_streams)() == 0);
  CHECK(FAKE(kiln_fake_live_events)() == 0);
  fixture.backend->deallocate(in, 400000, nullptr);
}

TEST_CASE("gpu: a queue of the host program's stream runs there, waits for it, and leaves it") {
  Fixture fixture;
  void* const in = fixture.backend->allocate(400000, nullptr);
  const auto module = fixture.backend->load(kiln::test::kFakeBinary, "k");
  void* const stream = FAKE(kiln_fake_stream)(0);
  const int streams = FAKE(kiln_fake_live_streams)();
  const std::string name = "stream=" + std::to_string(reinterpret_cast<std::uintptr_t>(stream));
  static_cast<void>(calls());
  {
    const auto queue = fixture.backend->wrap_queue(stream);
    CHECK(queue->native() == stream);
    CHECK(FAKE(kiln_fake_live_streams)() == streams);
    CHECK(calls().find("cuStreamGetCtx " + name + "\ncuEventCreate flags=2\n") != std::string::npos);
    kinds::launch(*fixture.backend, *module, Launch(in, in).value, {.queue = queue.get(), .keep = nullptr});
    CHECK(calls() == "cuEventRecord stream=0\ncuStreamWaitEvent " + name + "\ncuLaunchKernel " + name + "\n");
    queue->synchronize();
    CHECK(calls().find("cuStreamSynchronize " + name + "\n") != std::string::npos);
  }
  const std::string at_end = calls();
  CHECK(at_end.find("cuStreamSynchronize " + name + "\n") != std::string::npos);
  CHECK(at_end.find("cuStreamDestroy") == std::string::npos);
  CHECK(FAKE(kiln_fake_live_streams)() == streams);
  CHECK(FAKE(kiln_fake_live_events)() == 0);
  CHECK(
      message_of<DeviceError>([&] { static_cast<void>(fixture.backend->wrap_queue(FAKE(kiln_fake_stream)(1))); }) ==
      "cannot wrap a stream for cuda:0: it is another device's, or of a context that is not the device's primary one; make it "
      "where cuda:0 is the runtime's current device");
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->wrap_queue(nullptr)); }) ==
        "cannot wrap a null stream, which is the default one of cuda:0: give Stream() for it");
  void* const per_thread =
      reinterpret_cast<void*>(std::uintptr_t{2});  // NOLINT(performance-no-int-to-ptr): cudaStreamPerThread
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->wrap_queue(per_thread)); }) ==
        "cannot wrap stream 2, which names no one stream of cuda:0: give one that was created");
  CHECK(FAKE(kiln_fake_live_events)() == 0);
  fixture.backend->deallocate(in, 400000, nullptr);
}

TEST_CASE("gpu: a queue that has waited since memory was handed out waits for what is copied there later") {
  Fixture fixture;
  void* const in = fixture.backend->allocate(400000, nullptr);
  void* const copy = fixture.backend->allocate(400000, nullptr);
  const auto module = fixture.backend->load(kiln::test::kFakeBinary, "k");
  const auto queue = fixture.backend->make_queue();
  // As another thread would, between the allocation and the copy.
  kinds::launch(*fixture.backend, *module, Launch(in, in).value, {.queue = queue.get(), .keep = nullptr});
  fixture.backend->copy(copy, in, 400000, nullptr);
  static_cast<void>(calls());
  kinds::launch(*fixture.backend, *module, Launch(copy, copy).value, {.queue = queue.get(), .keep = nullptr});
  REQUIRE(FAKE(kiln_fake_launch_count)() == 1);
  const std::string stream = "stream=" + std::to_string(FAKE(kiln_fake_launch)(0)->stream);
  CHECK(calls() == "cuEventRecord stream=0\ncuStreamWaitEvent " + stream + "\ncuLaunchKernel " + stream + "\n");
  fixture.backend->deallocate(copy, 400000, nullptr);
  fixture.backend->deallocate(in, 400000, nullptr);
}

TEST_CASE("gpu: a queue holds what a launch uses until it is done") {
  Fixture fixture;
  void* const in = fixture.backend->allocate(400000, nullptr);
  const auto module = fixture.backend->load(kiln::test::kFakeBinary, "k");
  const Launch launch(in, in);
  auto queue = fixture.backend->make_queue();
  const int before = FAKE(kiln_fake_live_allocations)();
  FAKE(kiln_fake_set_busy)(1);
  for (int i = 0; i < 50; ++i)
    kinds::launch(*fixture.backend, *module, launch.value, {.queue = queue.get(), .keep = fixture.buffer()});
  CHECK(FAKE(kiln_fake_live_allocations)() == before + 50);
  SUBCASE("synchronizing lets go of all") {
    queue->synchronize();
    CHECK(FAKE(kiln_fake_live_allocations)() == before);
  }
  SUBCASE("later launches let go of what is done by then") {
    FAKE(kiln_fake_set_busy)(0);
    for (int i = 0; i < 13; ++i)
      kinds::launch(*fixture.backend, *module, launch.value, {.queue = queue.get(), .keep = fixture.buffer()});
    CHECK(FAKE(kiln_fake_live_allocations)() < before + 15);
    queue->synchronize();
    CHECK(FAKE(kiln_fake_live_allocations)() == before);
  }
  SUBCASE("destroying the queue waits and lets go of all") {
    queue.reset();
    CHECK(FAKE(kiln_fake_live_allocations)() == before);
  }
  queue.reset();
  fixture.backend->deallocate(in, 400000, nullptr);
}

TEST_CASE("gpu: memory that is somebody else's outlives what the default stream still does with it") {
  Fixture fixture;
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = owner;
  FAKE(kiln_fake_set_busy)(1);
  fixture.backend->outlive(std::move(owner));
  CHECK_FALSE(watched.expired());
  SUBCASE("until a wait") {
    fixture.backend->synchronize();
  }
  SUBCASE("until others are let go of behind it") {
    FAKE(kiln_fake_set_busy)(0);
    fixture.backend->outlive(std::make_shared<int>(2));
  }
  CHECK(watched.expired());
  // Nothing pending: at once.
  FAKE(kiln_fake_set_busy)(0);
  auto last = std::make_shared<int>(3);
  const std::weak_ptr<int> also = last;
  fixture.backend->outlive(std::move(last));
  CHECK(also.expired());
}

TEST_CASE("gpu: scratch memory goes back in its stream's order, and nothing waits for the default stream") {
  Fixture fixture;
  const auto queue = fixture.backend->make_queue();
  void* const memory = fixture.backend->allocate(64, queue.get());
  FAKE(kiln_fake_reset)();
  fixture.backend->deallocate_scratch(memory, 64, queue.get());
  const std::string log = calls();
  CHECK(log.starts_with("cuMemFreeAsync stream="));
  CHECK(log.find("Wait") == std::string::npos);
  CHECK(log.find("stream=0") == std::string::npos);
}

TEST_CASE("gpu: no address is no memory, whatever the runtime says of it") {
  Fixture fixture;
  FAKE(kiln_fake_null_next)();
  void* const address = fixture.backend->allocate(4096, nullptr);
  CHECK(address != nullptr);
  CHECK(calls().find("cuMemPoolTrimTo") != std::string::npos);
  fixture.backend->deallocate(address, 4096, nullptr);
}

TEST_CASE("gpu: a pool that cannot be set up is done without") {
  FAKE(kiln_fake_reset)();
  FAKE(kiln_fake_fail_next)("cuMemPoolSetAttribute", 801);
  GpuBackend backend(fake().driver, 0, nullptr, {});
  FAKE(kiln_fake_reset)();
  void* const address = backend.allocate(64, nullptr);
  backend.deallocate(address, 64, nullptr);
  CHECK(calls() == "cuMemAlloc_v2 bytes=64\ncuStreamSynchronize stream=0\ncuMemFree_v2\n");
}

TEST_CASE("gpu: raw launches ask for shared memory beyond what every kernel may have, once, up to the device's limit") {
  Fixture fixture;
  const auto module = fixture.backend->load(kFakeImage, "k");
  kinds::RawLaunch launch{};
  launch.size = -1;
  launch.grid = {1, 1, 1};
  launch.block = {64, 1, 1};
  FAKE(kiln_fake_reset)();
  const auto log_with = [&](std::int64_t bytes) {
    launch.shared_bytes = bytes;
    kinds::launch(*fixture.backend, *module, launch, {.queue = nullptr, .keep = nullptr});
    return calls();
  };
  CHECK(log_with(0) == "cuLaunchKernel stream=0\n");
  CHECK(log_with(49152) == "cuFuncGetAttribute\ncuLaunchKernel stream=0\n");
  CHECK(log_with(49156) == "cuFuncSetAttribute attribute=8 value=232448\ncuLaunchKernel stream=0\n");
  CHECK(log_with(232448) == "cuLaunchKernel stream=0\n");
  CHECK(message_of<DeviceError>([&] { log_with(232449); }) ==
        "failed to launch \"k\" on cuda:0: .shared_bytes is 232449, and the device has 232448 for a block");

  // A kernel that declares shared memory of its own has that much less.
  const auto declaring = fixture.backend->load(std::string(kFakeImage) + " shared 20000", "own");
  FAKE(kiln_fake_reset)();
  const auto log_of_declaring = [&](std::int64_t bytes) {
    launch.shared_bytes = bytes;
    kinds::launch(*fixture.backend, *declaring, launch, {.queue = nullptr, .keep = nullptr});
    return calls();
  };
  CHECK(log_of_declaring(49152 - 20000) == "cuFuncGetAttribute\ncuLaunchKernel stream=0\n");
  CHECK(log_of_declaring(49156 - 20000) == "cuFuncSetAttribute attribute=8 value=212448\ncuLaunchKernel stream=0\n");
  CHECK(log_of_declaring(212448) == "cuLaunchKernel stream=0\n");
  CHECK(
      message_of<DeviceError>([&] { log_of_declaring(212449); }) ==
      "failed to launch \"own\" on cuda:0: .shared_bytes is 212449, and the device has 212448 for a block beside the kernel's "
      "own 20000");
}

TEST_CASE("gpu: segments are one launch, and the copy of where they begin is not waited for") {
  Fixture fixture;
  std::vector<std::int64_t> begins(100'000);
  for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = static_cast<std::int64_t>(i) * 3;
  const ReductionSegments segments{begins, 300'000, 4};
  void* const in = fixture.backend->allocate(1'200'000, nullptr);
  const std::int64_t kept[] = {100'000}, reduced[] = {300'000};
  const std::int64_t own[] = {0, 4}, result[] = {4, 0}, numbers[] = {1, 0};
  const LaunchOperand operands[] = {{in, own, 4, false}, {in, result, 4, false}, {nullptr, numbers, 0, false}};
  ReductionLaunch launch;
  launch.operands = operands;
  launch.kept = kept;
  launch.reduced = reduced;
  launch.outputs = 100'000;
  launch.count = 300'000;
  launch.segments = &segments;
  launch.mapping = ReductionMapping::warp;
  const auto module = fixture.backend->load(std::string(kFakeImage) + " 40 40 64 8 8 8", "k");
  auto queue = fixture.backend->make_queue();
  for (Queue* const on : {static_cast<Queue*>(nullptr), queue.get()}) {
    FAKE(kiln_fake_reset)();
    kinds::launch(*fixture.backend, *module, launch, {.queue = on, .keep = nullptr});
    REQUIRE(FAKE(kiln_fake_launch_count)() == 1);
    const std::string log = calls();
    CHECK(log.find("cuMemcpyHtoDAsync_v2 stream=" + std::string(on == nullptr ? "0" : "")) != std::string::npos);
    CHECK(log.find("bytes=400004") != std::string::npos);
    CHECK(log.find("Synchronize") == std::string::npos);
  }
  // Memory that the copies read is let go of by whoever waits.
  fixture.backend->synchronize();
  queue.reset();
  fixture.backend->deallocate(in, 1'200'000, nullptr);
}

TEST_CASE("gpu: events are the driver's, with timing") {
  Fixture fixture;
  const auto queue = fixture.backend->make_queue();
  FAKE(kiln_fake_reset)();
  const auto start = fixture.backend->make_event();
  const auto end = fixture.backend->make_event();
  CHECK(calls() == "cuEventCreate flags=0\ncuEventCreate flags=0\n");
  FAKE(kiln_fake_reset)();
  start->record(nullptr);
  end->record(queue.get());
  start->wait(queue.get());
  const std::string name = "stream=" + std::to_string(reinterpret_cast<std::uintptr_t>(queue->native()));
  CHECK(calls() == "cuEventRecord stream=0\ncuEventRecord " + name + "\ncuStreamWaitEvent " + name + "\n");
  FAKE(kiln_fake_set_busy)(1);
  CHECK_FALSE(end->done());
  CHECK(message_of<DeviceError>([&] { static_cast<void>(end->milliseconds_since(*start)); }) ==
        "failed to take the time between events on cuda:0: one is not recorded or not reached; synchronize() both first");
  end->synchronize();
  CHECK(end->done());
  CHECK(end->milliseconds_since(*start) >= 0);
  FAKE(kiln_fake_fail_next)("cuEventRecord", 1);
  CHECK(message_of<DeviceError>([&] { start->record(nullptr); }) ==
        "failed to record an event on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_CASE("gpu: a kernel's fault is reported at the next wait and stays") {
  Fixture fixture;
  void* const address = fixture.backend->allocate(16, nullptr);
  const auto module = fixture.backend->load(kiln::test::kFakeBinary, "k");
  const Launch launch(address, address);
  FAKE(kiln_fake_fault)(700);
  const std::string words = "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)";
  CHECK(message_of<DeviceError>([&] { fixture.backend->synchronize(); }) ==
        "a kernel failed on cuda:0: " + words + "; the device is lost to this process until it is restarted");
  // The driver forgets here; a real one does not, and neither does kiln.
  FAKE(kiln_fake_reset)();
  const std::string lost = "cuda:0 is lost to this process: an earlier kernel failed with " + words +
                           "; restart the process to use the device again";
  CHECK(message_of<DeviceError>([&] { fixture.backend->synchronize(); }) == lost);
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->allocate(1, nullptr)); }) == lost);
  CHECK(message_of<DeviceError>(
            [&] { kinds::launch(*fixture.backend, *module, launch.value, {.queue = nullptr, .keep = nullptr}); }) == lost);
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->make_queue()); }) == lost);
  CHECK(message_of<DeviceError>([&] { static_cast<void>(fixture.backend->load(kFakeImage, "k")); }) == lost);
  try {
    fixture.backend->synchronize();
  } catch (const DeviceError& error) {
    CHECK(error.code() == 700);
    CHECK(error.code_name() == "CUDA_ERROR_ILLEGAL_ADDRESS");
  }
  // Nothing is asked of a lost device again, not even to take memory back.
  fixture.backend->deallocate(address, 16, nullptr);
  CHECK(calls().empty());
  GpuBackend other(fake().driver, 0, nullptr, {});
  other.deallocate(address, 16, nullptr);
}

TEST_CASE("gpu: an ordinary error is not a lost device") {
  Fixture fixture;
  FAKE(kiln_fake_fail_next)("cuStreamSynchronize", 400);
  CHECK(message_of<DeviceError>([&] { fixture.backend->synchronize(); }) ==
        "failed to synchronize the default stream on cuda:0: CUDA_ERROR_INVALID_HANDLE (invalid resource handle)");
  CHECK_NOTHROW(fixture.backend->synchronize());
}

TEST_CASE("gpu: a driver that is already down at exit is not an error of a destructor") {
  Fixture fixture;
  void* const address = fixture.backend->allocate(16, nullptr);
  auto queue = fixture.backend->make_queue();
  auto module = fixture.backend->load(kFakeImage, "k");
  FAKE(kiln_fake_fault)(4);
  fixture.backend->deallocate(address, 16, nullptr);
  queue.reset();
  module.reset();
  FAKE(kiln_fake_reset)();
  fixture.backend->deallocate(address, 16, nullptr);
}

TEST_CASE("gpu: a forked child is told so, and frees nothing") {
  Fixture fixture;
  void* const address = fixture.backend->allocate(16, nullptr);
  FAKE(kiln_fake_reset)();
  const int status = in_child([&] {
    const std::string expected =
        "cannot use cuda:0 in a process forked from one that used kiln: GPU contexts do not survive fork(); restart the "
        "process "
        "(exec) or use the CPU";
    if (message_of<DeviceError>([&] { static_cast<void>(fixture.backend->allocate(1, nullptr)); }) != expected) return 1;
    if (message_of<DeviceError>([&] { fixture.backend->synchronize(); }) != expected) return 2;
    if (message_of<DeviceError>([&] { fixture.backend->upload(address, "x", 1, nullptr); }) != expected) return 3;
    fixture.backend->deallocate(address, 16, nullptr);
    if (device_count(DeviceKind::cuda) != 0) return 4;
    if (message_of<DeviceError>([] { static_cast<void>(gpu::open(DeviceKind::cuda, 0)); }) != expected) return 5;
    return FAKE(kiln_fake_log)()[0] == '\0' ? 0 : 6;
  });
  CHECK(status == 0);
  fixture.backend->deallocate(address, 16, nullptr);
}

TEST_CASE("gpu: the registry's view through KILN_CUDA [child]" * doctest::skip()) {
  CHECK(device_count(DeviceKind::cuda) == 2);
  CHECK(why_none(DeviceKind::cuda).empty());
  // A device that has not been opened runs nothing that could use a view's memory: its owner goes with the last handle.
  const auto owner_of_unused = std::make_shared<int>(1);
  {
    std::array<float, 4> values{};
    const Array view = Array::view(values.data(), {4}, DType::float32, {.owner = owner_of_unused, .device = Device::cuda(1)});
    const Array part = view[{Slice{.start = 1}}];
    CHECK(owner_of_unused.use_count() > 1);
  }
  CHECK(owner_of_unused.use_count() == 1);
  CHECK(gpu::opened(DeviceKind::cuda, 1) == nullptr);
  Backend& first = gpu::open(DeviceKind::cuda, 0);
  CHECK(&first == &gpu::open(DeviceKind::cuda, 0));
  CHECK(&first != &gpu::open(DeviceKind::cuda, 1));
  CHECK(first.info().target == "sm_90");
  CHECK(first.info().runtime == "CUDA 13.0 (driver), no compiler");
  CHECK_THROWS_WITH_AS(
      static_cast<void>(first.compiler()),
      doctest::Contains("cannot compile for cuda:0 (sm_90): NVRTC was not found: tried /nowhere/nvrtc (no such file); "),
      DeviceError);
  const std::string message = message_of<DeviceError>([] { static_cast<void>(gpu::open(DeviceKind::cuda, 7)); });
  // A GPU loads both parts of a complex number at once.
  alignas(16) std::array<char, 64> bytes{};
  const auto view_error = [&](std::size_t offset, DType dtype, std::optional<Strides> strides) -> std::string {
    try {
      static_cast<void>(
          Array::view(bytes.data() + offset, {2}, dtype, {.strides = std::move(strides), .device = Device::cuda(0)}));
    } catch (const ShapeError& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(view_error(0, DType::complex128, std::nullopt) == "none");
  CHECK(view_error(8, DType::complex64, std::nullopt) == "none");
  CHECK(view_error(8, DType::complex128, std::nullopt) ==
        "view: the address is not aligned to 16 bytes, as complex128 needs on a GPU: copy the data to aligned memory first");
  CHECK(view_error(0, DType::complex64, Strides{12}) ==
        "view: stride 12 of axis 0 is not a multiple of 8, the alignment of complex64 on a GPU");
  // Its owner lives as long as kernels may use it.
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = owner;
  {
    const Array view = Array::view(bytes.data(), {2}, DType::float32, {.owner = std::move(owner), .device = Device::cuda(0)});
    FAKE(kiln_fake_set_busy)(1);
  }
  CHECK_FALSE(watched.expired());
  first.synchronize();
  CHECK(watched.expired());
  // After a fork the driver is the parent's: no devices.
  CHECK(in_child([] {
          const bool none = device_count(DeviceKind::cuda) == 0 && !why_none(DeviceKind::cuda).empty();
          return none ? 0 : 1;
        }) == 0);
  CHECK(message == "there is no device cuda:7: CUDA 13.0 (" KILN_FAKE_CUDA_LIBRARY ") found cuda:0 to cuda:1");
}
TEST_CASE("gpu: the registry's view through KILN_CUDA") {
  CHECK(kiln::test::ChildProcess("gpu: the registry's view through KILN_CUDA [child]",
                                 {{"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_NVRTC", "/nowhere/nvrtc"}})
            .wait() == 0);
}

TEST_CASE("gpu: a child forked after devices were listed has the CPU alone [child]" * doctest::skip()) {
  const std::vector<Device> found = Device::all();
  REQUIRE(found.size() == 2 + KILN_HAVE_CPU);
  const Device gpu = found.back();
  CHECK(Device::best() == Device::cuda(0));
  CHECK(in_child([&] {
          if (Device::all().size() != KILN_HAVE_CPU) return 1;
          if (message_of<DeviceError>([&] { gpu.synchronize(); }) !=
              "cannot use cuda:1 in a process forked from one that used kiln: GPU contexts do not survive fork(); restart the "
              "process (exec) or use the CPU") {
            return 2;
          }
          if (message_of<DeviceError>([] { static_cast<void>(Device::cuda(0)); }) !=
              "there is no device cuda:0: this process was forked from one that used kiln, and GPU contexts do not survive "
              "fork(); restart the process (exec) or use the CPU") {
            return 3;
          }
          return !KILN_HAVE_CPU || Device::best() == Device::cpu() ? 0 : 4;
        }) == 0);
}
TEST_CASE("gpu: a child forked after devices were listed has the CPU alone") {
  CHECK(kiln::test::ChildProcess("gpu: a child forked after devices were listed has the CPU alone [child]",
                                 {{"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_HIP", "/nowhere/hip"}, {"KILN_DEVICE", ""}})
            .wait() == 0);
}

TEST_CASE("gpu: a device with its compiler [child]" * doctest::skip()) {
  Backend& backend = gpu::open(DeviceKind::cuda, 0);
  CHECK(backend.compiler()->target() == "sm_90");
  CHECK(backend.compiler()->name() == "NVRTC");
  CHECK(backend.info().runtime.starts_with("CUDA 13.0 (driver), NVRTC 1"));
  CHECK(backend.info().runtime.find('+') == std::string::npos);
}
TEST_CASE("gpu: a device with its compiler") {
  if (!kiln::test::have_compiler(DeviceKind::cuda)) return;
  CHECK(kiln::test::ChildProcess("gpu: a device with its compiler [child]", {{"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}}).wait() ==
        0);
}

TEST_CASE("gpu: a compiler newer than the driver does not count [child]" * doctest::skip()) {
  // An 11.2, the one left to try, is too old in its turn.
  const std::string message = message_of<DeviceError>([] { static_cast<void>(gpu::open(DeviceKind::cuda, 0).compiler()); });
  CHECK(message.starts_with("cannot compile for cuda:0 (sm_90): NVRTC "));
  CHECK(message.find("libnvrtc.so.13") == std::string::npos);
  CHECK(
      message.find(" (newer ones do not count: the driver is for CUDA 11) (KILN_GPU_COMPILER=nvrtc asks for this compiler; ") !=
      std::string::npos);
}
TEST_CASE("gpu: a compiler newer than the driver does not count") {
  CHECK(kiln::test::ChildProcess(
            "gpu: a compiler newer than the driver does not count [child]",
            {{"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_FAKE_CUDA_VERSION", "11080"}, {"KILN_GPU_COMPILER", "nvrtc"}})
            .wait() == 0);
}

TEST_CASE("gpu: Clang compiles where NVRTC does not count and the device says so [child]" * doctest::skip()) {
  Backend& backend = gpu::open(DeviceKind::cuda, 0);
  CHECK(backend.compiler()->name() == "Clang");
  CHECK(backend.compiler()->target() == "sm_90 (PTX for sm_90)");
  CHECK(backend.info().target == "sm_90 (PTX for sm_90)");
  CHECK(backend.info().runtime.find(" (driver), Clang 19.") != std::string::npos);
  CHECK(backend.info().runtime.find('+') == std::string::npos);
}
TEST_CASE("gpu: Clang compiles where NVRTC does not count and the device says so") {
  if (!have_clang()) return;
  const char* const name = "gpu: Clang compiles where NVRTC does not count and the device says so [child]";
  CHECK(kiln::test::ChildProcess(name, {{"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_FAKE_CUDA_VERSION", "11080"}}).wait() ==
        0);
  CHECK(kiln::test::ChildProcess(name, {{"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_GPU_COMPILER", "clang"}}).wait() == 0);
}

TEST_CASE("gpu: a device says that nvJitLink finishes what Clang makes [child]" * doctest::skip()) {
  Backend& backend = gpu::open(DeviceKind::cuda, 0);
  CHECK(backend.compiler()->target() == "sm_90");
  CHECK(backend.info().runtime.find(", nvJitLink 1") != std::string::npos);
  CHECK(backend.info().runtime.find('+') == std::string::npos);
}
TEST_CASE("gpu: a device says that nvJitLink finishes what Clang makes") {
  if (!have_clang()) return;
  if (gpu::locate(gpu::JitLink::places()).path.empty()) {
    std::printf("KILN-NOT-RUN nvJitLink 1\n");
    return;
  }
  CHECK(kiln::test::ChildProcess(
            "gpu: a device says that nvJitLink finishes what Clang makes [child]",
            {{"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_GPU_COMPILER", "clang"}, {"KILN_NVJITLINK", "auto"}})
            .wait() == 0);
}

TEST_CASE("gpu: no driver lists every path tried [child]" * doctest::skip()) {
  using namespace kiln;
  CHECK(backend::gpu::device_count(DeviceKind::cuda) == 0);
  const std::string why = backend::gpu::why_none(DeviceKind::cuda);
  CHECK(why.starts_with("no CUDA driver was found: tried /nowhere/libcuda.so.1 (no such file); "));
  CHECK(why.ends_with("; install the NVIDIA driver, or name its file in KILN_CUDA"));
  CHECK(backend::gpu::device_count(DeviceKind::hip) == 0);
  CHECK(backend::gpu::why_none(DeviceKind::hip).starts_with("no HIP driver was found: tried /nowhere/libamdhip64.so.6 ("));
}
TEST_CASE("gpu: no driver lists every path tried") {
  CHECK(kiln::test::ChildProcess("gpu: no driver lists every path tried [child]",
                                 {{"KILN_CUDA", "/nowhere/libcuda.so.1"}, {"KILN_HIP", "/nowhere/libamdhip64.so.6"}})
            .wait() == 0);
}

TEST_CASE("gpu: a library that is not a driver is told apart [child]" * doctest::skip()) {
  const std::string why = kiln::backend::gpu::why_none(kiln::DeviceKind::cuda);
  CHECK(why.find(" has no symbol cuInit, which kiln needs") != std::string::npos);
}
TEST_CASE("gpu: a library that is not a driver is told apart") {
  CHECK(kiln::test::ChildProcess("gpu: a library that is not a driver is told apart [child]", {{"KILN_CUDA", "libm.so.6"}})
            .wait() == 0);
}

TEST_CASE("gpu: the real HIP runtime answers: devices or its own words [child]" * doctest::skip()) {
  using namespace kiln;
  const int count = backend::gpu::device_count(DeviceKind::hip);
  const std::string why = backend::gpu::why_none(DeviceKind::hip);
  CHECK((count > 0) == why.empty());
  if (count == 0)
    CHECK_THROWS_WITH_AS(static_cast<void>(backend::gpu::open(DeviceKind::hip, 0)), doctest::Contains("HIP"), DeviceError);
}
TEST_CASE("gpu: the real HIP runtime answers: devices or its own words") {
  CHECK(kiln::test::ChildProcess("gpu: the real HIP runtime answers: devices or its own words [child]", {}).wait() == 0);
}
