// Launches of elementwise kernels on the CPU.
#include <algorithm>
#include <array>

#include "kernel/elementwise/driver.hpp"
#include "kernel/elementwise/queued.hpp"
#include "kernel/elementwise/race.hpp"
#include "kernel/start_on_cpu.hpp"

namespace kiln::kinds {
namespace {

/// What a kernel is called with, in the caller's frame: no allocation on the way of a call.
class LaunchFrame {
 public:
  explicit LaunchFrame(const ElementwiseLaunch& launch) {
    const std::size_t extents = launch.shape.size();
    const std::size_t rank = std::max(extents, static_cast<std::size_t>(launch.rank));
    const std::size_t added = rank - extents;
    if (added > 0) {
      std::fill_n(shape_.data(), added, 1);
      std::copy_n(launch.shape.data(), extents, shape_.data() + added);
    }
    std::int64_t* stride = strides_.data();
    for (std::size_t i = 0; i < launch.operands.size(); ++i) {
      const LaunchOperand& operand = launch.operands[i];
      data_[i] = operand.data;
      for (std::size_t d = 0; d < added; ++d) *stride++ = 0;
      for (std::size_t d = 0; d < extents; ++d) *stride++ = operand.strides == nullptr ? 0 : operand.strides[d];
    }
    call_ = {.data = data_.data(),
             .shape = added > 0 ? shape_.data() : launch.shape.data(),
             .strides = strides_.data(),
             .rank = static_cast<std::int64_t>(rank),
             .drive = drive_cpu_kernel,
             .past_cache = launch.past_cache};
  }
  LaunchFrame(const LaunchFrame&) = delete;
  LaunchFrame& operator=(const LaunchFrame&) = delete;

  [[nodiscard]] const CpuLaunch& call() const { return call_; }

 private:
  std::array<void*, kMaxOperands> data_;  // left unset beyond what is used: clearing them would be most of a small call
  std::array<std::int64_t, std::size_t{kMaxOperands} * kMaxKernelRank> strides_;
  std::array<std::int64_t, kMaxKernelRank> shape_;  // where dimensions are added
  CpuLaunch call_;
};

void run(const cpu::CpuModule& module, const ElementwiseLaunch& launch, const cpu::LaunchThreads& threads) {
  const LaunchFrame frame(launch);
  if (module.races() != nullptr) [[unlikely]]
    return run_race(module, launch, frame.call(), threads.stop());
  const auto kernel = module.kernel<CpuKernel>();
  // One block cannot be divided.
  if (launch.size <= kCpuBlock) return kernel(&frame.call(), 0, launch.size);
  threads.parallel_for(module, {.size = launch.size, .grain = kCpuBlock},
                       [&](std::int64_t begin, std::int64_t end) { kernel(&frame.call(), begin, end); });
}

}  // namespace

void launch_on_cpu(Backend& backend, const Module& module, const ElementwiseLaunch& launch, const LaunchContext& context) {
  start_on_cpu<QueuedElementwise>(backend, module, launch, context, run);
}

}  // namespace kiln::kinds
