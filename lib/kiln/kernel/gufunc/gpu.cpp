// Launches of generalized ufuncs on a GPU: kernels-src/gufunc/gpu.hpp is the other side.
#include <algorithm>
#include <span>
#include <string>

#include "base/ceil_div.hpp"
#include "device/kernel_abi.hpp"
#include "kernel/copied.hpp"
#include "kernel/counter.hpp"
#include "kernel/grid.hpp"
#include "kernel/gufunc/launch.hpp"
#include "kernel/record.hpp"
#include "kernel/space.hpp"
#include "kernels-src/gufunc/abi.hpp"
#include "kiln/error.hpp"

namespace kiln::kinds {
namespace {

/// The numbers without their `outer` outermost dimensions, as at the beginning of them.
std::shared_ptr<const GufuncNumbers> inner_part(const GufuncNumbers& numbers, std::size_t operands, std::size_t outer) {
  auto part = std::make_shared<GufuncNumbers>(numbers);
  const std::size_t rank = numbers.shape.size();
  part->shape.erase(part->shape.begin(), part->shape.begin() + static_cast<std::ptrdiff_t>(outer));
  part->items = product(part->shape);
  part->strides.clear();
  for (std::size_t k = 0; k < operands; ++k) {
    const Numbers row = Numbers(numbers.strides).subspan(k * rank + outer, rank - outer);
    part->strides.insert(part->strides.end(), row.begin(), row.end());
  }
  return part;
}

/// Sizes, then strides, each of one at least.
std::vector<std::int64_t> core_of(const GufuncNumbers& numbers) {
  std::vector<std::int64_t> core = numbers.sizes;
  if (core.empty()) core.push_back(0);
  core.insert(core.end(), numbers.core_strides.begin(), numbers.core_strides.end());
  if (numbers.core_strides.empty()) core.push_back(0);
  return core;
}

/// Parameters of a kernel, which refer to what is here.
class Addresses {
 public:
  explicit Addresses(const GufuncLaunch& launch) { addresses_.reserve(launch.count); }
  void add(std::vector<void*>& parameters, const GufuncLaunch& launch) {
    for (const GufuncLaunch::Operand& operand : launch.all()) {
      addresses_.push_back(operand.data);
      parameters.push_back(operand.scalar ? const_cast<std::byte*>(operand.value.data())
                                          : static_cast<void*>(&addresses_.back()));
    }
  }

 private:
  std::vector<void*> addresses_;  // as many as have room: addresses of them are taken
};

StagedCall staged_call(const GufuncLaunch& launch) {
  const GufuncNumbers& numbers = *launch.numbers;
  StagedCall call{.items = static_cast<std::uint32_t>(numbers.staged.items),
                  .columns = static_cast<std::uint32_t>(numbers.shape.back()),
                  .threads = static_cast<std::uint32_t>(numbers.staged.threads),
                  .wide = 0,
                  .keeps = launch.keeps ? 1U : 0U};
  for (std::size_t k = 0; k < launch.count; ++k) {
    const int word = numbers.staged.words[k];
    if (word == 0 || reinterpret_cast<std::uintptr_t>(launch.operands[k].data) % static_cast<unsigned>(word) != 0) continue;
    call.wide |= std::uint32_t{1} << k;
  }
  return call;
}

void launch_staged(Backend& backend, const Module& module, const GufuncLaunch& launch, const LaunchContext& context) {
  const GufuncNumbers& numbers = *launch.numbers;
  std::vector<std::int64_t> extents = numbers.shape;
  extents.back() = base::ceil_div(extents.back(), numbers.staged.items);
  const std::vector<std::byte> space = space_of(
      {.extents = extents, .operands = launch.count, .rank = numbers.loop_rank, .stride = [&](std::size_t k, std::size_t d) {
         return numbers.strides[k * numbers.shape.size() + d];
       }});
  auto blocks = static_cast<std::uint32_t>(product(extents));
  std::vector<std::int64_t> core = core_of(numbers);
  StagedCall call = staged_call(launch);
  std::vector<void*> parameters{&blocks, const_cast<std::byte*>(space.data()), core.data(), &call};
  Addresses addresses(launch);
  addresses.add(parameters, launch);
  LaunchShape shape = strided_shape(backend, module, std::int64_t{blocks} * numbers.staged.threads, numbers.staged.threads);
  shape.shared_bytes = numbers.staged.bytes;
  backend.dispatch(module, shape, parameters.data(), context.queue, context.keep);
}

}  // namespace

void launch_on_gpu(Backend& backend, const Module& module, const GufuncLaunch& launch, const LaunchContext& context) {
  const GufuncNumbers& numbers = *launch.numbers;
  const std::size_t rank = numbers.shape.size() + numbers.each.size();
  if (rank > std::size_t{kMaxKernelRank} && numbers.shape.size() > 1) {
    const std::size_t outer = std::min(rank - std::size_t{kMaxKernelRank}, numbers.shape.size() - 1);
    GufuncLaunch part = launch;
    part.numbers = inner_part(numbers, launch.count, outer);
    for_each_outer(Numbers(numbers.shape).first(outer), [&](const Counter& index) {
      for (std::size_t k = 0; k < launch.count; ++k) {
        const GufuncLaunch::Operand& operand = launch.operands[k];
        const Numbers strides = Numbers(numbers.strides).subspan(k * numbers.shape.size(), numbers.shape.size());
        if (!operand.scalar) part.operands[k].data = static_cast<char*>(operand.data) + index.offset(strides);
      }
      launch_on_gpu(backend, module, part, context);
    });
    return;
  }
  if (numbers.staged.items > 0) return launch_staged(backend, module, launch, context);
  std::vector<std::int64_t> extents = numbers.shape;
  extents.insert(extents.end(), numbers.each.begin(), numbers.each.end());
  std::int64_t count = numbers.items;
  for (const std::int64_t extent : numbers.each) count *= extent;
  if (!numbers.wide_index && count >= std::int64_t{1} << 31) {
    throw DeviceError("cannot launch a kernel with 32-bit indices over " + std::to_string(count) + " threads");
  }
  const std::vector<std::byte> space = space_of({.extents = extents,
                                                 .operands = launch.count,
                                                 .wide_index = numbers.wide_index,
                                                 .rank = numbers.loop_rank + static_cast<int>(numbers.each.size()),
                                                 .stride = [&](std::size_t k, std::size_t d) {
                                                   const std::size_t loop = numbers.shape.size();
                                                   return d < loop ? numbers.strides[k * loop + d] : 0;
                                                 }});
  std::vector<std::int64_t> core = core_of(numbers);
  auto wide = static_cast<std::uint64_t>(count);
  auto narrow = static_cast<std::uint32_t>(count);
  std::vector<void*> parameters{numbers.wide_index ? static_cast<void*>(&wide) : &narrow, const_cast<std::byte*>(space.data()),
                                core.data()};
  Addresses addresses(launch);
  addresses.add(parameters, launch);
  const int threads = numbers.team > 0             ? numbers.team * numbers.teams
                      : numbers.staged.threads > 0 ? numbers.staged.threads
                                                   : kGpuBlock;
  backend.dispatch(module, strided_shape(backend, module, numbers.team > 0 ? count * numbers.team : count, threads),
                   parameters.data(), context.queue, context.keep);
}

static void move_addresses(Copied<GufuncLaunch>& copied, std::span<const Move> moves) {
  for (std::size_t k = 0; k < copied.launch.count; ++k) {
    GufuncLaunch::Operand& operand = copied.launch.operands[k];
    if (!operand.scalar) operand.data = moved(operand.data, moves);
  }
}

std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const GufuncLaunch& launch) {
  return record_as<Copied<GufuncLaunch>>(backend, module, launch);
}

}  // namespace kiln::kinds
