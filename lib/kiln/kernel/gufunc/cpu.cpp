#include "kernel/gufunc/cpu.hpp"

#include <algorithm>

#include "device/cpu/guarded_launch.hpp"
#include "kernel/block_frames.hpp"
#include "kernel/start_on_cpu.hpp"
#include "kernels-src/gufunc/abi.hpp"

namespace kiln::kinds {

Tiling tiling_of(const std::vector<std::int64_t>& each) {
  Tiling tiling;
  for (std::size_t e = 0; e < each.size(); ++e) {
    const std::int64_t tile = each.size() - e <= 2 ? std::min(each[e], kTile) : 1;
    tiling.tile[e] = tile;
    tiling.tiles[e] = (each[e] + tile - 1) / tile;
    tiling.per_item *= tiling.tiles[e];
  }
  return tiling;
}

void run_gufunc(const cpu::CpuModule& module, const GufuncLaunch& launch, const cpu::LaunchThreads& threads) {
  const GufuncNumbers& numbers = *launch.numbers;
  const Tiling tiling = tiling_of(numbers.each);
  std::array<char*, kMaxOperands> data;
  for (std::size_t k = 0; k < launch.count; ++k) {
    const GufuncLaunch::Operand& operand = launch.operands[k];
    data[k] = operand.scalar ? reinterpret_cast<char*>(const_cast<std::byte*>(operand.value.data()))
                             : static_cast<char*>(operand.data);
  }
  const CpuGufuncLaunch call{.data = data.data(),
                             .shape = numbers.shape.data(),
                             .strides = numbers.strides.data(),
                             .rank = static_cast<std::int64_t>(numbers.shape.size()),
                             .sizes = numbers.sizes.data(),
                             .core = numbers.core_strides.data(),
                             .tile = tiling.tile.data(),
                             .tiles = tiling.tiles.data(),
                             .keeps = launch.keeps ? 1 : 0};
  // What a unit costs grows with the cores: one kernel may see small ones and large ones.
  double points = 1;
  for (const std::int64_t size : numbers.sizes) points *= static_cast<double>(std::max<std::int64_t>(size, 1));
  const auto kernel = module.kernel<CpuGufuncKernel>();
  const cpu::Range range{
      .size = numbers.items * tiling.per_item, .weight = points / static_cast<double>(tiling.per_item), .grain = numbers.grain};
  if (numbers.team == 0) {
    return threads.parallel_for(module, range, [&](std::int64_t begin, std::int64_t end) { kernel(&call, begin, end); });
  }
  threads.parallel_for(module, range, [&](std::int64_t begin, std::int64_t end) {
    BlockFrames frames(module.reports_crashes());
    CpuGufuncLaunch own = call;
    own.waits = &frames;
    // What a crash ends is the kernel alone: the memory is freed.
    cpu::call_guarded(module, [&] { frames.run([&] { kernel(&own, begin, end); }); });
  });
}

void launch_on_cpu(Backend& backend, const Module& module, const GufuncLaunch& launch, const LaunchContext& context) {
  start_on_cpu<Copied<GufuncLaunch>>(backend, module, launch, context, run_gufunc);
}

}  // namespace kiln::kinds
