#include "kernel/reduction/cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/fork.hpp"
#include "kernel/reduction/cut.hpp"
#include "kernel/reduction/queued.hpp"
#include "kernel/reduction/reducer.hpp"
#include "kernel/start_on_cpu.hpp"

namespace kiln::kinds {
namespace {

constexpr std::int64_t kMeasured = 4096;  // elements that tell something of a kernel's speed
constexpr double kGuessNs = 0.25;         // an element, of a kernel that was never measured

void run_parts(const CpuReduction& kernel, const ReductionLaunch& launch, const ReductionCut& cut, const ReductionTasks& tasks,
               const cpu::LaunchThreads& threads) {
  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };
  const std::int64_t bytes = cut.width * kernel.state_size;
  const auto all = static_cast<std::size_t>((tasks.count * bytes + 63) / 64 * 64);
  const std::unique_ptr<char, Free> states(static_cast<char*>(std::aligned_alloc(64, all)));
  if (states == nullptr) throw std::bad_alloc();
  threads.parallel_for(tasks.count, [&](std::int64_t task) {
    const std::int64_t first = task % tasks.chunks * tasks.chunk;
    Reducer reducer(kernel, launch, cut, tasks.chunk, threads.stop());
    reducer.part(task / tasks.chunks, first, std::min(first + tasks.chunk, cut.leaves), states.get() + task * bytes);
  });
  Reducer reducer(kernel, launch, cut, tasks.chunks, threads.stop());
  for (std::int64_t tile = 0; tile < cut.tiles; ++tile) {
    reducer.join(tile, states.get() + tile * tasks.chunks * bytes, tasks.chunks);
  }
}

}  // namespace

void reduce(const cpu::CpuModule& module, const ReductionLaunch& launch, const cpu::LaunchThreads& threads) {
  if (launch.segments != nullptr) return reduce_segments(module, launch, threads);
  const CpuReduction& kernel = reduction_of(module);
  const ReductionCut cut = cut_reduction(kernel, launch);
  const std::int64_t elements = launch.outputs * std::max<std::int64_t>(launch.count, 1);
  if (elements < kMeasured || threads.count() == 1 || base::forked()) {
    Reducer(kernel, launch, cut, cut.leaves, threads.stop()).tiles(0, cut.tiles);
    return;
  }
  const double known = static_cast<double>(module.element_ns());
  const double work = (known > 0 ? known : kGuessNs) * static_cast<double>(elements);
  const ReductionTasks tasks = share_reduction(cut, kernel.ordered, work, threads.count());
  const bool look = known <= 0 || tasks.count > 1 || module.time_for_a_look();
  const double start = look ? cpu::now_ns() : 0;
  if (tasks.count == 1) {
    Reducer(kernel, launch, cut, cut.leaves, threads.stop()).tiles(0, cut.tiles);
  } else if (tasks.chunks > 1) {
    run_parts(kernel, launch, cut, tasks, threads);
  } else {
    threads.parallel_for(tasks.count, [&](std::int64_t task) {
      const std::int64_t first = task * tasks.batch;
      Reducer(kernel, launch, cut, cut.leaves, threads.stop()).tiles(first, std::min(first + tasks.batch, cut.tiles));
    });
  }
  if (look) {
    const double taken = (cpu::now_ns() - start) * static_cast<double>(std::min<std::int64_t>(tasks.count, threads.count()));
    module.set_element_ns(taken / static_cast<double>(elements));
  }
}

void launch_on_cpu(Backend& backend, const Module& module, const ReductionLaunch& launch, const LaunchContext& context) {
  start_on_cpu<QueuedReduction>(backend, module, launch, context, reduce);
}

}  // namespace kiln::kinds
