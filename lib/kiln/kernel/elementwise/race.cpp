#include "kernel/elementwise/race.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>

#include "device/cpu/guarded_launch.hpp"
#include "kernel/race_checker.hpp"
#include "kernels-src/raw/race.hpp"

namespace kiln::kinds {
namespace {

constexpr std::int64_t kLook = 1024;  // elements between two looks at whether the call is to end

RacedLaunch raced(const ElementwiseLaunch& launch) {
  RacedLaunch made{.size = launch.size, .arrays = {}};
  const auto* axes = static_cast<const std::int64_t*>(launch.operands.back().data);
  for (const RawOperand& raw : launch.raw) {
    const LaunchOperand& operand = launch.operands[raw.operand];
    const std::size_t rank = std::max<std::size_t>(raw.rank, 1);
    RacedArray& array = made.arrays.emplace_back();
    array.argument = raw.argument;
    array.data = operand.data;
    array.item_bytes = operand.itemsize;
    array.by_axes = true;
    array.extents.assign(axes, axes + rank);
    array.strides.assign(axes + rank, axes + 2 * rank);
    array.size = 1;
    for (const std::int64_t extent : array.extents) array.size *= extent;
    axes += 2 * rank;
  }
  return made;
}

/// What the kernel calls while it runs one element.
class Accesses {
 public:
  Accesses(const backend::cpu::CpuModule& module, const ElementwiseLaunch& launch)
      : table_(*static_cast<RaceTable*>(module.races())),
        checker_(raced(launch), table_, *static_cast<FaultBuffer*>(module.faults()), nullptr) {
    table_.checker = this;
    table_.access = [](void* self, void* address, int64 bytes, const void* value, int32 use, int32 place) {
      static_cast<Accesses*>(self)->access(address, bytes, value, use, place);
    };
  }

  /// What is accessed from here on is by this element, whose frames are below.
  void enter(std::int64_t element, const void* frame) noexcept {
    checker_.enter(element, 0);
    frame_ = reinterpret_cast<std::uintptr_t>(frame);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Nothing may be thrown through the kernel.
  void access(void* address, std::int64_t bytes, const void* value, std::int32_t use, std::int32_t place) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const bool is_own = at < frame_ && at >= reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (error_ || is_own) return;
    try {
      checker_.access(address, bytes, value, use, place);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  RaceTable& table_;
  RaceChecker checker_;
  std::uintptr_t frame_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void run_race(const backend::cpu::CpuModule& module, const ElementwiseLaunch& launch, const CpuLaunch& call,
              const backend::StopRequest* stop) {
  Accesses accesses(module, launch);
  const auto kernel = module.kernel<CpuKernel>();
  for (std::int64_t element = 0; element < launch.size; ++element) {
    if (stop != nullptr && element % kLook == 0) stop->require_not_due(backend::kPartlyWritten);
    backend::cpu::call_guarded(module, [&] {
      accesses.enter(element, __builtin_frame_address(0));
      kernel(&call, element, element + 1);
    });
    accesses.rethrow();
  }
}

}  // namespace kiln::kinds
