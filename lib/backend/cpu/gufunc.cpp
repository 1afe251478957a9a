#include "backend/cpu/gufunc.hpp"

#include <algorithm>

#include "backend/kernel_abi.hpp"

namespace kiln::backend::cpu {

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

void run_gufunc(const CpuModule& module, const GufuncLaunch& launch, Threads& threads) {
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
  const auto kernel = reinterpret_cast<CpuGufuncKernel>(reinterpret_cast<void (*)()>(module.kernel()));
  threads.run(module, {.size = launch.items * tiling.per_item,
                       .weight = points / static_cast<double>(tiling.per_item),
                       .grain = launch.items_at_once,
                       .work = [&](std::int64_t begin, std::int64_t end) { kernel(&call, begin, end); }});
}

}  // namespace kiln::backend::cpu
