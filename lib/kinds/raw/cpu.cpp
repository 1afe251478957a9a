#include "kinds/raw/cpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "backend/cpu/guarded_launch.hpp"
#include "kernels-src/raw/abi.hpp"
#include "kiln/error.hpp"
#include "kinds/raw/race.hpp"
#include "kinds/start_on_cpu.hpp"

namespace kiln::kinds {
namespace {

// Blocks may take different times: several pieces for each thread, so that none waits long for the last.
constexpr std::int64_t kBlockPiecesPerThread = 8;
// Each thread has a block's. Far more than any GPU's, far less than any machine's memory.
constexpr std::int64_t kMostSharedBytes = std::int64_t{1} << 28;

}  // namespace

void run_raw(const cpu::CpuModule& module, const RawLaunch& launch, cpu::Threads& threads) {
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
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  const auto lines = static_cast<std::size_t>((launch.shared_bytes + 63) / 64);
  if (module.races() != nullptr) {
    std::vector<Line> shared(lines);
    return run_race(module, launch, arguments.data(), shared.data());
  }
  const std::int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const std::int64_t pieces =
      cpu::Threads::pieces(blocks, std::min<std::int64_t>(blocks, threads.count() * kBlockPiecesPerThread));
  const auto kernel = module.kernel<CpuRawKernel>();
  threads.parallel_for(pieces, [&](std::int64_t piece) {
    std::vector<Line> shared(lines);
    CpuRawLaunch call{.arguments = arguments.data(), .grid = {}, .block = {}, .shared = shared.data()};
    std::copy(launch.grid.begin(), launch.grid.end(), call.grid);
    std::copy(launch.block.begin(), launch.block.end(), call.block);
    // What a crash ends is the kernel alone: the memory is freed.
    cpu::call_guarded(module, [&] { kernel(&call, blocks * piece / pieces, blocks * (piece + 1) / pieces); });
  });
}

void launch_on_cpu(Backend& backend, const Module& module, const RawLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  start_on_cpu<Copied<RawLaunch>>(backend, module, launch, queue, keep, run_raw);
}

}  // namespace kiln::kinds
