#include "kinds/reduction/segment_plan.hpp"

#include <algorithm>

#include "kinds/reduction/launch.hpp"
#include "kinds/space.hpp"

namespace kiln::kinds {
namespace {

// All numbers here are estimates for an H200; bench/gpu_timer.cpp times what they decide.

// A block alone should read some 15 GB/s, and a launch take some 4 microseconds: by then it has read this many float32.
constexpr std::int64_t kElementsOfALaunch = 16384;
// One launch has to bring the beginnings there as well.
constexpr std::int64_t kFewSegments = 3;

// Threads that a GPU has at work at once, for all of them: the H200 has 132 times 2048.
constexpr double kThreadsAtOnce = 1 << 18;

/// How a mapping takes an output.
struct Cost {
  Mapping mapping;
  double threads;   ///< that share it
  double read;      ///< of an element: more where the threads of a warp read different lines
  double overhead;  ///< of an output, as elements of one thread: what its threads join, and their idle time
};
constexpr Cost kRows[] = {{Mapping::thread, 1, 4, 1}, {Mapping::warp, 32, 1, 4}, {Mapping::block, 256, 1, 16}};
constexpr Cost kSideBySide[] = {{Mapping::thread, 1, 1, 1}, {Mapping::columns, 8, 1, 8}};

/// Elements that threads go through one after the other until the last output is there.
double steps(const Cost& cost, double outputs, double mean, double longest) noexcept {
  const double waves = outputs * cost.threads / kThreadsAtOnce;
  const double all = waves * (cost.read * mean / cost.threads + cost.overhead);
  return std::max(all, cost.read * longest / cost.threads + cost.overhead);
}

Mapping mapping_of(const layout::Reduction& layout, const SegmentLengths& lengths) noexcept {
  const bool side_by_side = layout.columns_inside() && !layout.kept().empty() && layout.kept().back() >= kSideBySideOutputs;
  const std::span<const Cost> costs = side_by_side ? std::span<const Cost>(kSideBySide) : std::span<const Cost>(kRows);
  const auto outputs = static_cast<double>(layout.outputs());
  const double mean = static_cast<double>(lengths.elements) / static_cast<double>(lengths.segments);
  const auto longest = static_cast<double>(lengths.longest);
  return std::min_element(
             costs.begin(), costs.end(),
             [&](const Cost& a, const Cost& b) { return steps(a, outputs, mean, longest) < steps(b, outputs, mean, longest); })
      ->mapping;
}

}  // namespace

SegmentLengths lengths_of(const ReductionSegments& segments) noexcept {
  SegmentLengths lengths{.segments = static_cast<std::int64_t>(segments.begins.size())};
  for (std::size_t i = 0; i < segments.begins.size(); ++i) {
    const std::int64_t count = segments.count(i);
    lengths.elements += count;
    lengths.longest = std::max(lengths.longest, count);
  }
  return lengths;
}

bool share_a_launch(const SegmentLengths& lengths) noexcept {
  return lengths.segments >= kFewSegments && lengths.longest / kElementsOfALaunch <= lengths.segments;
}

ReductionClass classify(const layout::Reduction& layout, const SegmentLengths& lengths, bool ordered) {
  return {.mapping = ordered ? Mapping::thread : mapping_of(layout, lengths),
          .kept_rank = static_cast<std::uint8_t>(std::max<std::size_t>(layout.kept().size(), 1)),
          .reduced_rank = static_cast<std::uint8_t>(std::max<std::size_t>(layout.reduced().size(), 1)),
          .wide_index = layout.outputs() > kMaxNarrowIndex || layout.count() > kMaxNarrowIndex,
          .segmented = true};
}

}  // namespace kiln::kinds
