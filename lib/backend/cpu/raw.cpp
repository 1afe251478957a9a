#include "backend/cpu/raw.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "kiln/error.hpp"

namespace kiln::backend::cpu {
namespace {

// Blocks may take different times: several pieces for each thread, so that none waits long for the last.
constexpr std::int64_t kBlockPiecesPerThread = 8;
// Each thread has a block's. Far more than any GPU's, far less than any machine's memory.
constexpr std::int64_t kMostSharedBytes = std::int64_t{1} << 28;

}  // namespace

void run_raw(const CpuModule& module, const RawLaunch& launch, Threads& threads) {
  std::array<void*, kMaxRawArguments> arguments;
  for (std::size_t i = 0; i < launch.count; ++i) {
    const RawLaunch::Argument& argument = launch.arguments[i];
    if (argument.array) {
      std::memcpy(&arguments[i], argument.value.data(), sizeof(void*));
    } else {
      arguments[i] = const_cast<std::byte*>(argument.value.data());
    }
  }
  if (launch.size >= 0) {
    if (launch.size == 0) return;
    const CpuLaunch call{.data = arguments.data(), .shape = nullptr, .strides = nullptr, .rank = 1};
    return threads.run(module, call, launch.size);
  }
  if (launch.shared_bytes > kMostSharedBytes) {
    throw DeviceError(".shared_bytes is " + std::to_string(launch.shared_bytes) + ", and the device has " +
                      std::to_string(kMostSharedBytes) + " for a block");
  }
  const std::int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const std::int64_t pieces = std::min<std::int64_t>(blocks, threads.count() * kBlockPiecesPerThread);
  const auto kernel = reinterpret_cast<CpuRawKernel>(reinterpret_cast<void (*)()>(module.kernel()));
  threads.each(pieces, [&](std::int64_t piece) {
    struct alignas(64) Line {
      std::byte bytes[64];
    };
    std::vector<Line> shared(static_cast<std::size_t>((launch.shared_bytes + 63) / 64));
    CpuRawLaunch call{.arguments = arguments.data(), .grid = {}, .block = {}, .shared = shared.data()};
    std::copy(launch.grid.begin(), launch.grid.end(), call.grid);
    std::copy(launch.block.begin(), launch.block.end(), call.block);
    kernel(&call, blocks * piece / pieces, blocks * (piece + 1) / pieces);
  });
}

}  // namespace kiln::backend::cpu
