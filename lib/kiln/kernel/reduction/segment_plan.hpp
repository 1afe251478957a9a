// How a GPU reduces the segments of an axis by one launch, and a second one where some are very long: the kernel, and what its
// blocks take of long segments. Pure; a segment is cut by its length alone, so that a result is the same on every run and
// whatever the other segments are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/kernel_abi.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernel/reduction/plan.hpp"
#include "kernels-src/reduction/abi.hpp"
#include "layout/reduction.hpp"

namespace kiln::kinds {

using layout::SegmentLengths;

[[nodiscard]] SegmentLengths lengths_of(const ReductionSegments& segments) noexcept;

/// The class of the launch. In the layout the segments are a kept axis, and what is reduced is all of theirs; `itemsize` is the
/// input's, the first operand.
[[nodiscard]] ReductionClass classify_segments(const layout::Reduction& layout, std::int64_t itemsize, bool ordered);

/// What a kernel reads beside the operands.
struct SegmentTables {
  std::vector<std::byte> begins;      ///< numbers of the kernel's index, and the extent behind them
  std::vector<SegmentPart> parts;     ///< of long segments
  std::vector<SegmentPart> joined;    ///< for the second launch: the states of each segment of several parts
  std::int64_t states = 0;            ///< of an output of all segments
  std::int32_t outputs_of_warp = 32;  ///< fewer where the other segments are not short
};
[[nodiscard]] SegmentTables tables_of(const ReductionSegments& segments, ReductionMapping mapping, bool wide_index);

/// Outputs from one to that of the next segment.
[[nodiscard]] std::int64_t inner_outputs(const ReductionLaunch& launch) noexcept;

}  // namespace kiln::kinds
