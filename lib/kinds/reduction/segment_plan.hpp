// How a GPU reduces the segments of an axis: all by one launch, and the kernel of that. Pure; from the segments alone, so that
// a result is the same on every run, and a manifest's kernels are those that calls run.
#pragma once

#include <cstdint>
#include <span>

#include "kinds/reduction/plan.hpp"
#include "layout/reduction.hpp"

namespace kiln::kinds {

struct ReductionSegments;

using layout::SegmentLengths;

[[nodiscard]] SegmentLengths lengths_of(const ReductionSegments& segments) noexcept;

/// Whether one launch is quicker than one for each segment. That one cuts what is long into parts, and starts more slowly the
/// more there are.
[[nodiscard]] bool share_a_launch(const SegmentLengths& lengths) noexcept;

/// The class of that launch. In the layout the segments are a kept axis, and what is reduced is all of theirs.
[[nodiscard]] ReductionClass classify(const layout::Reduction& layout, const SegmentLengths& lengths, bool ordered);

}  // namespace kiln::kinds
