// Launches of elementwise kernels on the CPU.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "kinds/elementwise/driver.hpp"
#include "kinds/elementwise/launch.hpp"
#include "kinds/start_on_cpu.hpp"

namespace kiln::kinds {
namespace {

constexpr std::size_t kScalarBytes = 16;

/// What a kernel is called with, in the caller's frame: no allocation on the way of a call.
class LaunchFrame {
 public:
  explicit LaunchFrame(const ElementwiseLaunch& launch) {
    const std::size_t rank = launch.shape.size();
    std::int64_t* stride = strides_.data();
    for (std::size_t i = 0; i < launch.operands.size(); ++i) {
      const LaunchOperand& operand = launch.operands[i];
      data_[i] = operand.data;
      for (std::size_t d = 0; d < rank; ++d) *stride++ = operand.strides == nullptr ? 0 : operand.strides[d];
    }
    call_ = {.data = data_.data(),
             .shape = launch.shape.data(),
             .strides = strides_.data(),
             .rank = static_cast<std::int64_t>(rank),
             .drive = drive_cpu_kernel};
  }
  LaunchFrame(const LaunchFrame&) = delete;
  LaunchFrame& operator=(const LaunchFrame&) = delete;

  [[nodiscard]] const CpuLaunch& call() const { return call_; }

 private:
  std::array<void*, kMaxOperands> data_;  // left unset beyond what is used: clearing them would be most of a small call
  std::array<std::int64_t, std::size_t{kMaxOperands} * kMaxKernelRank> strides_;
  CpuLaunch call_;
};

/// A launch that outlives the caller's: everything that it refers to is copied, scalars' values too.
struct QueuedLaunch {
  struct alignas(kScalarBytes) Scalar {
    std::array<std::byte, kScalarBytes> bytes;
  };
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> shape;
  std::vector<Scalar> scalars;
  ElementwiseLaunch launch;

  explicit QueuedLaunch(const ElementwiseLaunch& from)
      : operands(from.operands.begin(), from.operands.end()), shape(from.shape.begin(), from.shape.end()), launch(from) {
    scalars.resize(operands.size());
    strides.reserve(operands.size() * shape.size());  // no growth below: addresses are taken
    for (std::size_t i = 0; i < operands.size(); ++i) {
      LaunchOperand& operand = operands[i];
      if (operand.scalar) {
        std::memcpy(&scalars[i], operand.data, std::min<std::size_t>(operand.itemsize, kScalarBytes));
        operand.data = &scalars[i];
      }
      if (operand.strides == nullptr) continue;
      const std::size_t first = strides.size();
      strides.insert(strides.end(), operand.strides, operand.strides + shape.size());
      operand.strides = strides.data() + first;
    }
    launch.operands = operands;
    launch.shape = shape;
  }
  QueuedLaunch(const QueuedLaunch&) = delete;
  QueuedLaunch& operator=(const QueuedLaunch&) = delete;
};

void run(const cpu::CpuModule& module, const ElementwiseLaunch& launch, cpu::Threads& threads) {
  const LaunchFrame frame(launch);
  const auto kernel = module.kernel<CpuKernel>();
  // One block cannot be divided.
  if (launch.size <= kCpuBlock) return kernel(&frame.call(), 0, launch.size);
  threads.parallel_for(module, {.size = launch.size, .grain = kCpuBlock},
                       [&](std::int64_t begin, std::int64_t end) { kernel(&frame.call(), begin, end); });
}

}  // namespace

void launch_on_cpu(Backend& backend, const Module& module, const ElementwiseLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  start_on_cpu<QueuedLaunch>(backend, module, launch, queue, keep, run);
}

}  // namespace kiln::kinds
