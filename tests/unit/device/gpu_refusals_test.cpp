// What the GPU backend does where the driver refuses a call in the middle of work: what runs keeps its memory, and all other
// memory is given back.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "fake_gpu.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernel/scan/launch.hpp"
#include "kiln/error.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;
using namespace kiln::kinds;
using kiln::test::calls, kiln::test::message_of, kiln::test::FakeElementwise, kiln::test::FakeGpu, kiln::test::kFakeBinary;

std::string stream_of_launch(int index) {
  return "stream=" + std::to_string(FAKE(kiln_fake_launch)(index)->stream);
}

/// A running sum in two kernels.
struct FakeScan {
  ScanLaunch value;
  explicit FakeScan(void* memory) {
    value.input = memory;
    value.output = memory;
    value.extent = 1 << 20;
    value.input_stride = value.output_stride = 4;
    value.reorderable = true;
  }
};
const std::string kFakeScanImage = std::string(kFakeImage) + " 8 8 8";

/// A sum in two kernels.
struct FakeReduction {
  std::int64_t reduced[1] = {1 << 20};
  std::int64_t strides[1] = {4};
  std::int64_t none[1] = {0};
  LaunchOperand operands[2];
  ReductionLaunch value;
  explicit FakeReduction(void* memory) : operands{{memory, strides, 4, false}, {memory, none, 4, false}} {
    value.operands = operands;
    value.reduced = reduced;
    value.count = 1 << 20;
    value.mapping = ReductionMapping::block;
    value.state_bytes = 4;
  }
};
const std::string kFakeReductionImage = std::string(kFakeImage) + " 8 8 8 8 8";

}  // namespace

TEST_CASE("gpu refusals: without an event a launch waits for its work before it lets go of memory") {
  const FakeGpu gpu;
  void* const in = gpu.backend->allocate(400000, nullptr);
  const auto module = gpu.backend->load(kFakeBinary, "k");
  const FakeElementwise launch(in, in);
  auto queue = gpu.backend->make_queue();
  auto first = gpu.buffer();
  auto second = gpu.buffer();
  static_cast<void>(calls());
  FAKE(kiln_fake_set_busy)(1);
  FAKE(kiln_fake_fail_next)("cuEventCreate", 2);
  CHECK_NOTHROW(
      kinds::launch(*gpu.backend, *module, launch.value, {.queue = queue.get(), .keep = std::exchange(first, nullptr)}));
  REQUIRE(FAKE(kiln_fake_launch_count)() == 1);
  const std::string stream = stream_of_launch(0);
  CHECK(calls() == "cuEventRecord stream=0\ncuStreamWaitEvent " + stream + "\ncuLaunchKernel " + stream +
                       "\ncuEventCreate flags=2\ncuStreamSynchronize " + stream + "\ncuMemFreeAsync stream=0\n");
  FAKE(kiln_fake_set_busy)(1);
  FAKE(kiln_fake_fail_next)("cuEventRecord", 2);
  CHECK_NOTHROW(
      kinds::launch(*gpu.backend, *module, launch.value, {.queue = queue.get(), .keep = std::exchange(second, nullptr)}));
  CHECK(calls().ends_with("cuEventRecord " + stream + "\ncuStreamSynchronize " + stream + "\ncuMemFreeAsync stream=0\n"));
  gpu.backend->deallocate(in, 400000, nullptr);
}

TEST_CASE("gpu refusals: where waiting fails, too, the call does") {
  const FakeGpu gpu;
  void* const in = gpu.backend->allocate(400000, nullptr);
  const auto module = gpu.backend->load(kFakeBinary, "k");
  const FakeElementwise launch(in, in);
  auto queue = gpu.backend->make_queue();
  FAKE(kiln_fake_fail_next)("cuEventCreate", 2);
  FAKE(kiln_fake_fail_next)("cuStreamSynchronize", 400);
  CHECK(message_of<DeviceError>([&] {
          kinds::launch(*gpu.backend, *module, launch.value, {.queue = queue.get(), .keep = gpu.buffer()});
        }) == "failed to synchronize a stream on cuda:0: CUDA_ERROR_INVALID_HANDLE (invalid resource handle)");
  gpu.backend->deallocate(in, 400000, nullptr);
}

TEST_CASE("gpu refusals: a launch of several kernels that fails at a later one holds what the first ones use") {
  const FakeGpu gpu;
  void* const in = gpu.backend->allocate(4 << 20, nullptr);
  auto queue = gpu.backend->make_queue();
  auto buffer = gpu.buffer();
  const int before = FAKE(kiln_fake_live_allocations)();
  const auto refuse_second = [&](const std::string& image, const auto& launch) {
    const auto module = gpu.backend->load(image, "sum");
    FAKE(kiln_fake_set_busy)(1);
    FAKE(kiln_fake_fail_after)(1, "cuLaunchKernel", 1);
    CHECK(message_of<DeviceError>([&] {
            kinds::launch(*gpu.backend, *module, launch.value, {.queue = queue.get(), .keep = std::exchange(buffer, nullptr)});
          }) == "failed to launch \"sum\" on cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    CHECK(FAKE(kiln_fake_launch_count)() == 1);
    CHECK(FAKE(kiln_fake_live_allocations)() == before);
    queue->synchronize();
    CHECK(FAKE(kiln_fake_live_allocations)() == before - 1);
  };
  SUBCASE("accumulate") {
    refuse_second(kFakeScanImage, FakeScan(in));
  }
  SUBCASE("reduce") {
    refuse_second(kFakeReductionImage, FakeReduction(in));
  }
  gpu.backend->deallocate(in, 4 << 20, nullptr);
}

TEST_CASE("gpu refusals: scratch memory is given back where the streams cannot be ordered") {
  const FakeGpu gpu;
  void* const in = gpu.backend->allocate(4 << 20, nullptr);
  const auto scan = gpu.backend->load(kFakeScanImage, "sum");
  const auto reduction = gpu.backend->load(kFakeReductionImage, "sum");
  auto queue = gpu.backend->make_queue();
  const int before = FAKE(kiln_fake_live_allocations)();
  const auto try_both = [&](const auto& refuse) {
    refuse();
    const std::string first = message_of<DeviceError>(
        [&] { kinds::launch(*gpu.backend, *scan, FakeScan(in).value, {.queue = queue.get(), .keep = nullptr}); });
    CHECK(FAKE(kiln_fake_live_allocations)() == before);
    refuse();
    const std::string second = message_of<DeviceError>(
        [&] { kinds::launch(*gpu.backend, *reduction, FakeReduction(in).value, {.queue = queue.get(), .keep = nullptr}); });
    CHECK(FAKE(kiln_fake_live_allocations)() == before);
    for (const std::string& error : {first, second}) {
      CHECK(error == "failed to order a stream after the default one on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
    }
    CHECK(FAKE(kiln_fake_launch_count)() == 0);
  };
  SUBCASE("once") {
    try_both([] { FAKE(kiln_fake_fail_next)("cuStreamWaitEvent", 2); });
  }
  SUBCASE("nor when it is given back") {
    try_both([] {
      FAKE(kiln_fake_fail_next)("cuEventRecord", 2);
      FAKE(kiln_fake_fail_next)("cuStreamWaitEvent", 2);
    });
  }
  gpu.backend->deallocate(in, 4 << 20, nullptr);
}

TEST_CASE("gpu refusals: a copy on a queue that the default stream cannot wait for is waited for at once") {
  const FakeGpu gpu;
  void* const memory = gpu.backend->allocate(64, nullptr);
  const auto queue = gpu.backend->make_queue();
  gpu.backend->copy(memory, memory, 32, queue.get());
  static_cast<void>(calls());
  FAKE(kiln_fake_fail_next)("cuStreamWaitEvent", 2);
  CHECK_NOTHROW(gpu.backend->copy(memory, memory, 32, queue.get()));
  const std::string log = calls();
  const std::string stream = log.substr(log.find("stream="), log.find(" bytes") - log.find("stream="));
  CHECK(log == "cuMemcpyDtoDAsync_v2 " + stream + " bytes=32\ncuEventRecord " + stream +
                   "\ncuStreamWaitEvent stream=0\ncuStreamSynchronize " + stream + "\n");
  gpu.backend->deallocate(memory, 64, nullptr);
}
