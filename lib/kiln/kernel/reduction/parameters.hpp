// A reduction as the parameters of its kernel. kernels-src/reduction/gpu.hpp is the other side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/kernel_abi.hpp"
#include "kernel/reduction/grid.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernels-src/reduction/abi.hpp"

namespace kiln::kinds {

/// reduction_call of reduce_gpu.hpp.
struct ReductionCall {
  std::uint64_t outputs = 0;
  std::uint64_t count = 0;
  std::uint64_t chunk = 0;
  std::uint64_t parts = 0;
  void* scratch = nullptr;
  std::int32_t combining = 0;
  std::int32_t has_initial = 0;
  std::int32_t lane_bits = 0;
  std::uint64_t first = 0;
  const void* states = nullptr;
  alignas(kAccumulatorBytes) std::array<std::byte, kAccumulatorBytes> initial{};
};
static_assert(sizeof(ReductionCall) == 96);

class ReductionParameters {
 public:
  /// DeviceError for a launch that no kernel takes.
  ReductionParameters(const ReductionLaunch& launch, const ReductionParts& parts);
  /// The same of a launch that has segments.
  ReductionParameters(const ReductionLaunch& launch, const SegmentCall& call);
  ReductionParameters(const ReductionParameters&) = delete;
  ReductionParameters& operator=(const ReductionParameters&) = delete;

  [[nodiscard]] ReductionCall& call() noexcept { return call_; }
  [[nodiscard]] SegmentCall& segment_call() noexcept { return segment_call_; }
  /// Where the beginnings of segments lie on the device.
  void set_begins(void* address) noexcept { addresses_[operands_ - 1] = address; }
  /// What the driver's launch takes; refers to this object.
  [[nodiscard]] void** data() noexcept { return pointers_.data(); }
  [[nodiscard]] const std::vector<std::byte>& kept_space() const noexcept { return kept_; }
  [[nodiscard]] const std::vector<std::byte>& reduced_space() const noexcept { return reduced_; }

 private:
  ReductionParameters(const ReductionLaunch& launch, void* call);

  std::vector<std::byte> kept_;
  std::vector<std::byte> reduced_;
  ReductionCall call_;
  SegmentCall segment_call_{};
  std::size_t operands_;
  std::array<void*, kMaxOperands> addresses_{};
  std::array<void*, kMaxOperands + 3> pointers_{};
};

}  // namespace kiln::kinds
