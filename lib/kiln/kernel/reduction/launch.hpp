// One launch of a reduction, for any device. Refers to the caller's numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernel/launch.hpp"
#include "kernel/operand.hpp"
#include "kernel/reduction/mapping.hpp"

namespace kiln::kinds {

using ReductionMapping = Mapping;

/// Stretches along the one reduced dimension, each reduced for itself: from each beginning to the next, the last one to the
/// end; where the next is no larger, one element. Beginnings are in range.
struct ReductionSegments {
  std::span<const std::int64_t> begins;
  std::int64_t extent = 0;  ///< of the dimension
  std::int64_t step = 0;    ///< of the output from segment to segment, in bytes

  [[nodiscard]] std::int64_t count(std::size_t segment) const noexcept {
    const std::int64_t next = segment + 1 < begins.size() ? begins[segment + 1] : extent;
    return next > begins[segment] ? next - begins[segment] : 1;
  }
};

/// Where the index of a reduction lies: an operand like any other, whose elements are not in memory but are their addresses, so
/// that it goes through every change of the layout. Its first element is `data` - kIndexOrigin; strides are in elements.
inline constexpr std::uintptr_t kIndexOrigin = std::uintptr_t{1} << 62;

/// One reduction. The kernel was rendered from a ReductionSpec with the same operands.
struct ReductionLaunch {
  /// Inputs, the mask if there is one, the index if there is one, outputs. Strides are those of the kept dimensions, then those
  /// of the reduced ones. On the CPU an array of one element for all is a scalar, too, that has strides.
  std::span<const LaunchOperand> operands;
  int index = -1;                         ///< the operand that is the index
  std::span<const std::int64_t> kept;     ///< merged extents of the result, outermost first; may be empty
  std::span<const std::int64_t> reduced;  ///< merged extents that are reduced; may be empty
  std::int64_t outputs = 1;               ///< product of kept, > 0
  std::int64_t count = 1;                 ///< elements of an output: product of reduced, of a part less; 0: nothing to reduce
  std::int64_t from = 0;                  ///< of a part: the number of its first element, in C order of `reduced`
  const void* initial = nullptr;          ///< an accumulator on the host, kAccumulatorBytes at most; null: none given
  /// CPU: instead of reduced extents and count. GPU: they are a kept dimension, the reduced one has its full extent, and one
  /// more operand follows the outputs, that says where they begin: its stride along that dimension is 1 and all others are 0,
  /// and its data the backend's to find. Not needed once the launch is queued.
  const ReductionSegments* segments = nullptr;
  bool columns_inside = false;  ///< the innermost kept dimension is nearer in memory than the innermost reduced one
  // Of its spec, for GPUs:
  ReductionMapping mapping = ReductionMapping::warp;
  int kept_rank = 1;     ///< at least as many as `kept`
  int reduced_rank = 1;  ///< likewise
  int width = 1;         ///< divides the innermost reduced extent, or by columns the innermost kept one
  bool wide_index = false;
  bool part = false;             ///< ReductionSpec::part
  std::int64_t state_bytes = 0;  ///< of what is kept of a part

  /// Elements of an output in an access.
  [[nodiscard]] int pack() const noexcept { return mapping == ReductionMapping::columns ? 1 : width; }
};

void launch_on_cpu(Backend& backend, const Module& module, const ReductionLaunch& launch, const LaunchContext& context);
void launch_on_gpu(Backend& backend, const Module& module, const ReductionLaunch& launch, const LaunchContext& context);
/// As it is in a capture (kernel/record.hpp).
[[nodiscard]] std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module,
                                                           const ReductionLaunch& launch);

}  // namespace kiln::kinds
