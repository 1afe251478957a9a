#include "kinds/gufunc/cpu.hpp"

#include <algorithm>

#include "kinds/gufunc/abi.hpp"
#include "kinds/start_on_cpu.hpp"

namespace kiln::kinds {

Tiling tiling_of(const std::vector<std::int64_t>& each) {
  Tiling tiling;
  for (std::size_t e = 0; e < each.size(); ++e) {
    const std::int64_t tile = each.size() - e <= 2 ? std::min(each[e], kTile) : 1;
    tiling.tile.push_back(tile);
    tiling.tiles.push_back((each[e] + tile - 1) / tile);
    tiling.per_item *= tiling.tiles.back();
  }
  return tiling;
}

void run_gufunc(const cpu::CpuModule& module, const GufuncLaunch& launch, cpu::Threads& threads) {
  const Tiling tiling = tiling_of(launch.each);
  std::vector<void*> data;
  for (const GufuncLaunch::Operand& operand : launch.operands) {
    data.push_back(operand.scalar ? const_cast<std::byte*>(operand.value.data()) : operand.data);
  }
  const CpuGufuncLaunch call{.data = data.data(),
                             .shape = launch.shape.data(),
                             .strides = launch.strides.data(),
                             .rank = static_cast<std::int64_t>(launch.shape.size()),
                             .sizes = launch.sizes.data(),
                             .core = launch.core_strides.data(),
                             .tile = tiling.tile.data(),
                             .tiles = tiling.tiles.data(),
                             .keeps = launch.keeps ? 1 : 0};
  // What a unit costs grows with the cores: one kernel may see small ones and large ones.
  double points = 1;
  for (const std::int64_t size : launch.sizes) points *= static_cast<double>(std::max<std::int64_t>(size, 1));
  const auto kernel = module.kernel<CpuGufuncKernel>();
  threads.parallel_for(module,
                       {.size = launch.items * tiling.per_item,
                        .weight = points / static_cast<double>(tiling.per_item),
                        .grain = launch.items_at_once},
                       [&](std::int64_t begin, std::int64_t end) { kernel(&call, begin, end); });
}

void launch_on_cpu(Backend& backend, const Module& module, const GufuncLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  start_on_cpu<Copied<GufuncLaunch>>(backend, module, launch, queue, keep, run_gufunc);
}

}  // namespace kiln::kinds
