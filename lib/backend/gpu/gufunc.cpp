// Launches of generalized ufuncs on a GPU: kernels-src/gufunc_gpu.hpp is the other side.
#include <algorithm>
#include <span>
#include <string>

#include "backend/gpu/backend.hpp"
#include "backend/gpu/module.hpp"
#include "backend/gpu/queue.hpp"
#include "backend/gpu/space.hpp"
#include "backend/kernel_abi.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

/// One launch for each index of the outermost dimensions, where there are more than a kernel takes.
GufuncLaunch inner_part(const GufuncLaunch& launch, std::int64_t index) {
  GufuncLaunch part = launch;
  const std::size_t rank = launch.shape.size();
  part.items = launch.items / launch.shape[0];
  part.shape.erase(part.shape.begin());
  part.strides.clear();
  for (std::size_t k = 0; k < launch.operands.size(); ++k) {
    const auto row = launch.strides.begin() + static_cast<std::ptrdiff_t>(k * rank);
    part.strides.insert(part.strides.end(), row + 1, row + static_cast<std::ptrdiff_t>(rank));
    if (!part.operands[k].scalar) part.operands[k].data = static_cast<char*>(part.operands[k].data) + index * *row;
  }
  return part;
}

/// Sizes, then strides, each of one at least.
std::vector<std::int64_t> core_of(const GufuncLaunch& launch) {
  std::vector<std::int64_t> numbers = launch.sizes;
  if (numbers.empty()) numbers.push_back(0);
  numbers.insert(numbers.end(), launch.core_strides.begin(), launch.core_strides.end());
  if (launch.core_strides.empty()) numbers.push_back(0);
  return numbers;
}

}  // namespace

void GpuBackend::launch(const Module& module, const GufuncLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  const std::size_t rank = launch.shape.size() + launch.each.size();
  if (rank > std::size_t{kMaxKernelRank} && launch.shape.size() > 1) {
    for (std::int64_t i = 0; i < launch.shape[0]; ++i) this->launch(module, inner_part(launch, i), queue, keep);
    return;
  }
  core_.require_usable();
  const auto& kernel = static_cast<const GpuModule&>(module);
  std::vector<std::int64_t> extents = launch.shape;
  extents.insert(extents.end(), launch.each.begin(), launch.each.end());
  std::int64_t count = launch.items;
  for (const std::int64_t extent : launch.each) count *= extent;
  if (!launch.wide_index && count >= std::int64_t{1} << 31) {
    throw DeviceError("cannot launch a kernel with 32-bit indices over " + std::to_string(count) + " threads");
  }
  const std::vector<std::byte> space = space_of({.extents = extents,
                                                 .operands = launch.operands.size(),
                                                 .wide_index = launch.wide_index,
                                                 .stride = [&](std::size_t k, std::size_t d) {
                                                   const std::size_t loop = launch.shape.size();
                                                   return d < loop ? launch.strides[k * loop + d] : 0;
                                                 }});
  std::vector<std::int64_t> core = core_of(launch);
  auto wide = static_cast<std::uint64_t>(count);
  auto narrow = static_cast<std::uint32_t>(count);
  std::vector<void*> addresses;
  addresses.reserve(launch.operands.size());  // no growth below: addresses are taken
  std::vector<void*> parameters{launch.wide_index ? static_cast<void*>(&wide) : &narrow, const_cast<std::byte*>(space.data()),
                                core.data()};
  for (const GufuncLaunch::Operand& operand : launch.operands) {
    addresses.push_back(operand.data);
    parameters.push_back(operand.scalar ? const_cast<std::byte*>(operand.value.data()) : static_cast<void*>(&addresses.back()));
  }
  const Current current(core_);
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  if (gpu_queue != nullptr) gpu_queue->wait_for_memory();
  const int threads = launch.team > 0 ? launch.team : static_cast<int>(kGpuBlock);
  run(kernel, launch.team > 0 ? count * threads : count, parameters.data(), queue, threads);
  if (gpu_queue != nullptr && keep) gpu_queue->hold(std::move(keep));
}

}  // namespace kiln::backend::gpu
