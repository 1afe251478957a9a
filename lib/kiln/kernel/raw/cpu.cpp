#include "kernel/raw/cpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "device/cpu/guarded_launch.hpp"
#include "kernel/block_frames.hpp"
#include "kernel/fenced_memory.hpp"
#include "kernel/raw/race.hpp"
#include "kernel/start_on_cpu.hpp"
#include "kernels-src/raw/abi.hpp"
#include "kiln/error.hpp"

namespace kiln::kinds {
namespace {

// Blocks may take different times: several chunks for each thread, so that none waits long for the last.
constexpr std::int64_t kChunksPerThread = 8;
// Each thread has a block's. Far more than any GPU's, far less than any machine's memory.
constexpr std::int64_t kMostSharedBytes = std::int64_t{1} << 28;

/// The dynamic shared memory of a block, and what its threads keep at barriers.
class BlockMemory : public CpuRawLaunch {
 public:
  BlockMemory(const RawLaunch& launch, void* const* of_kernel, bool fenced)
      : CpuRawLaunch(), waiting_(threads_of(launch)), frames_(fenced) {
    if (fenced) {
      fenced_ = FencedMemory(static_cast<std::size_t>(launch.shared_bytes));
      shared = fenced_.data();
    } else {
      shared_.resize(lines_of(launch.shared_bytes));
      shared = shared_.data();
    }
    arguments = of_kernel;
    std::copy(launch.grid.begin(), launch.grid.end(), grid);
    std::copy(launch.block.begin(), launch.block.end(), block);
    waits = &frames_;
    waiting = waiting_.data();
    shared_bytes = launch.shared_bytes;
  }
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  [[nodiscard]] BlockFrames& frames() noexcept { return frames_; }

 private:
  /// Of larger blocks none wait.
  static std::size_t threads_of(const RawLaunch& launch) {
    std::int64_t threads = 1;
    for (const std::int64_t extent : launch.block) threads *= std::min(extent, kMostTogether);
    return static_cast<std::size_t>(std::min(threads, kMostTogether));
  }

  std::vector<CacheLine> shared_;
  FencedMemory fenced_;  // in its place, in debug mode
  std::vector<void*> waiting_;
  BlockFrames frames_;
};

}  // namespace

void run_raw(const cpu::CpuModule& module, const RawLaunch& launch, const cpu::LaunchThreads& threads) {
  std::array<void*, 2 * kMaxRawArguments> arguments;
  std::size_t count = 0;
  const std::int64_t* axes = launch.axes.data();
  for (std::size_t i = 0; i < launch.count; ++i) {
    const RawLaunch::Argument& argument = launch.arguments[i];
    if (argument.array) {
      std::memcpy(&arguments[count++], argument.value.data(), sizeof(void*));
    } else {
      arguments[count++] = const_cast<std::byte*>(argument.value.data());
    }
  }
  for (std::size_t i = 0; i < launch.count; ++i) {
    if (launch.arguments[i].dimensions == 0) continue;
    arguments[count++] = const_cast<std::int64_t*>(axes);
    axes += 2 * launch.arguments[i].dimensions;
  }
  if (launch.size == 0) return;
  if (launch.size >= 0 && module.races() == nullptr) {
    const CpuRawItems call{.arguments = arguments.data(), .size = launch.size};
    const auto kernel = module.kernel<CpuRawItemsKernel>();
    if (launch.size <= kCpuBlock) return kernel(&call, 0, launch.size);
    return threads.parallel_for(module, {.size = launch.size, .grain = kCpuBlock},
                                [&](std::int64_t begin, std::int64_t end) { kernel(&call, begin, end); });
  }
  if (launch.shared_bytes > kMostSharedBytes) {
    throw DeviceError(".shared_bytes is " + std::to_string(launch.shared_bytes) + ", and the device has " +
                      std::to_string(kMostSharedBytes) + " for a block");
  }
  if (module.races() != nullptr) {
    const BlockMemory memory(launch, arguments.data(), true);
    return run_race(module, launch, arguments.data(), memory.shared, threads.stop());
  }
  const std::int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const auto kernel = module.kernel<CpuRawKernel>();
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    BlockMemory memory(launch, arguments.data(), module.reports_crashes());
    // What a crash ends is the kernel alone: the memory is freed.
    cpu::call_guarded(module, [&] { memory.frames().run([&] { kernel(&memory, begin, end); }); });
  };
  if (threads.stop() != nullptr) return threads.parallel_for(module, {.size = blocks}, run);
  const std::int64_t chunks = std::min<std::int64_t>(blocks, threads.count() * kChunksPerThread);
  const auto begin_of = [&](std::int64_t chunk) { return blocks / chunks * chunk + std::min(chunk, blocks % chunks); };
  threads.parallel_for(chunks, [&](std::int64_t chunk) { run(begin_of(chunk), begin_of(chunk + 1)); });
}

void launch_on_cpu(Backend& backend, const Module& module, const RawLaunch& launch, const LaunchContext& context) {
  start_on_cpu<Copied<RawLaunch>>(backend, module, launch, context, run_raw);
}

}  // namespace kiln::kinds
