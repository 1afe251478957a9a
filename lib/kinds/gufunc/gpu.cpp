// Launches of generalized ufuncs on a GPU: kernels-src/gufunc_gpu.hpp is the other side.
#include <algorithm>
#include <span>
#include <string>

#include "kiln/error.hpp"
#include "kinds/counter.hpp"
#include "kinds/grid.hpp"
#include "kinds/gufunc/launch.hpp"
#include "kinds/space.hpp"

namespace kiln::kinds {
namespace {

/// The launch without its `outer` outermost dimensions, as at the beginning of them.
GufuncLaunch inner_part(const GufuncLaunch& launch, std::size_t outer) {
  GufuncLaunch part = launch;
  const std::size_t rank = launch.shape.size();
  part.shape.erase(part.shape.begin(), part.shape.begin() + static_cast<std::ptrdiff_t>(outer));
  part.items = product(part.shape);
  part.strides.clear();
  for (std::size_t k = 0; k < launch.operands.size(); ++k) {
    const auto row = launch.strides.begin() + static_cast<std::ptrdiff_t>(k * rank);
    part.strides.insert(part.strides.end(), row + static_cast<std::ptrdiff_t>(outer), row + static_cast<std::ptrdiff_t>(rank));
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

void launch_on_gpu(Backend& backend, const Module& module, const GufuncLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  const std::size_t rank = launch.shape.size() + launch.each.size();
  if (rank > std::size_t{kMaxKernelRank} && launch.shape.size() > 1) {
    const std::size_t outer = std::min(rank - std::size_t{kMaxKernelRank}, launch.shape.size() - 1);
    GufuncLaunch part = inner_part(launch, outer);
    for_each_outer(Numbers(launch.shape).first(outer), [&](const Counter& index) {
      for (std::size_t k = 0; k < launch.operands.size(); ++k) {
        const GufuncLaunch::Operand& operand = launch.operands[k];
        const Numbers strides = Numbers(launch.strides).subspan(k * launch.shape.size(), launch.shape.size());
        if (!operand.scalar) part.operands[k].data = static_cast<char*>(operand.data) + index.offset(strides);
      }
      launch_on_gpu(backend, module, part, queue, keep);
    });
    return;
  }
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
  const int threads = launch.team > 0 ? launch.team : kGpuBlock;
  backend.dispatch(module, strided_shape(backend, module, launch.team > 0 ? count * threads : count, threads),
                   parameters.data(), queue, keep);
}

}  // namespace kiln::kinds
