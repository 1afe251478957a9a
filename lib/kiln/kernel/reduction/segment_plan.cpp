#include "kernel/reduction/segment_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/ceil_div.hpp"
#include "kernel/space.hpp"

namespace kiln::kinds {
namespace {

using base::ceil_div;

/// How long segments are cut: up to `whole` elements a block takes one, as so many steps of its threads are as quick as a
/// second launch. Parts of others have at least `part` elements, a few batches of loads of each thread, and more where there
/// would be more than `most` parts, whose states a block joins.
struct Cut {
  std::int64_t longest;  ///< that blocks do not take
  std::int64_t whole;
  std::int64_t part;
  std::int64_t most;
};
constexpr Cut kRows{.longest = kLongSegment, .whole = 16384, .part = 8192, .most = 32768};
constexpr Cut kColumns{.longest = kLongColumn, .whole = 2048, .part = 512, .most = 1024};

// Elements that a warp takes together: enough to read for a while, and as few as leave other warps something.
constexpr std::int64_t kElementsOfWarp = 1024;

std::int64_t part_of(const Cut& cut, std::int64_t length) noexcept {
  if (length <= cut.whole) return length;
  const std::int64_t times = ceil_div(length, cut.part * cut.most);
  return cut.part * static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(times)));
}

void add_parts(SegmentTables& tables, const Cut& cut, std::size_t segment, std::int64_t begin, std::int64_t length) {
  const std::int64_t part = part_of(cut, length);
  const auto first = static_cast<std::uint64_t>(tables.states);
  for (std::int64_t at = 0; at < length; at += part) {
    tables.parts.push_back({.segment = segment,
                            .from = static_cast<std::uint64_t>(begin + at),
                            .count = static_cast<std::uint64_t>(std::min(part, length - at)),
                            .state = part == length ? kSegmentResult : static_cast<std::uint64_t>(tables.states++)});
  }
  if (part == length) return;
  tables.joined.push_back(
      {.segment = segment, .from = first, .count = static_cast<std::uint64_t>(tables.states) - first, .state = kSegmentResult});
}

template <class Index>
void fill(SegmentTables& tables, const ReductionSegments& segments, ReductionMapping mapping) {
  const std::size_t count = segments.begins.size();
  tables.begins.resize((count + 1) * sizeof(Index));
  std::byte* to = tables.begins.data();
  const auto put = [&to](std::int64_t value) {
    const auto number = static_cast<Index>(value);
    std::memcpy(to, &number, sizeof(number));
    to += sizeof(number);
  };
  const bool in_order = mapping == ReductionMapping::thread;
  const Cut& cut = mapping == ReductionMapping::columns ? kColumns : kRows;
  std::int64_t elements = 0;  // of segments that warps take
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    put(segments.begins[i]);
    const std::int64_t length = segments.count(i);
    if (in_order) continue;
    if (length > cut.longest) {
      add_parts(tables, cut, i, segments.begins[i], length);
    } else {
      elements += length;
      ++taken;
    }
  }
  put(segments.extent);
  if (mapping != ReductionMapping::warp || taken == 0) return;
  const std::int64_t outputs = std::max<std::int64_t>(kElementsOfWarp * taken / elements, 1);
  tables.outputs_of_warp =
      static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(std::min<std::int64_t>(outputs, 32))));
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

ReductionClass classify_segments(const layout::Reduction& layout, std::int64_t itemsize, bool ordered) {
  const std::size_t kept = layout.kept().size();
  const bool side_by_side = kept > 0 && layout.columns_inside() && layout.kept().back() >= kSideBySideOutputs;
  ReductionClass how{.mapping = ordered        ? Mapping::thread
                                : side_by_side ? Mapping::columns
                                               : Mapping::warp,
                     .kept_rank = static_cast<std::uint8_t>(std::max<std::size_t>(kept, 1)),
                     .reduced_rank = static_cast<std::uint8_t>(std::max<std::size_t>(layout.reduced().size(), 1)),
                     .wide_index = layout.outputs() > kMaxNarrowIndex || layout.count() > kMaxNarrowIndex,
                     .segmented = true};
  // An axis of one element is left out.
  const bool contiguous = layout.reduced().empty() || layout.strides(0)[kept] == itemsize;
  how.set_access(0, contiguous ? Access::contiguous : Access::strided);
  return how;
}

SegmentTables tables_of(const ReductionSegments& segments, ReductionMapping mapping, bool wide_index) {
  SegmentTables tables;
  if (wide_index) {
    fill<std::uint64_t>(tables, segments, mapping);
  } else {
    fill<std::uint32_t>(tables, segments, mapping);
  }
  return tables;
}

std::int64_t inner_outputs(const ReductionLaunch& launch) noexcept {
  const std::int64_t* const strides = launch.operands.back().strides;
  std::int64_t inner = 1;
  for (std::size_t d = launch.kept.size(); d-- > 0 && strides[d] == 0;) inner *= launch.kept[d];
  return inner;
}

}  // namespace kiln::kinds
