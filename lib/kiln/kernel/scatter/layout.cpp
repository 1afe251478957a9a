#include "kernel/scatter/layout.hpp"

#include <algorithm>
#include <cstdlib>

#include "device/kernel_abi.hpp"
#include "kernel/counter.hpp"
#include "kernel/space.hpp"

namespace kiln::kinds {
namespace {

bool has_32_bits(Numbers numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return std::abs(number) <= kMaxNarrowIndex; });
}

bool is_narrow(const ScatterLaunch& launch) {
  // Of indices without an extent nothing is known.
  const bool indices = std::all_of(launch.indices.begin(), launch.indices.end(), [](const ScatterIndex& index) {
    return index.extent > 0 && index.extent <= kMaxNarrowIndex && std::abs(index.stride) <= kMaxNarrowIndex &&
           has_32_bits(index.strides);
  });
  return indices && changes_of(launch) <= kMaxNarrowIndex && has_32_bits(launch.target_strides) &&
         has_32_bits(launch.value_strides) && window_of(launch).bytes <= kMaxNarrowIndex;
}

bool deserves_bins(const ScatterLaunch& launch, const ScatterSpec& spec) {
  if (spec.ordered || spec.atomic == Atomic::none) return false;
  const auto size = static_cast<std::int64_t>(itemsize(spec.target.storage));
  const auto whole = [size](std::int64_t stride) { return stride % size == 0; };
  if (!std::all_of(launch.indices.begin(), launch.indices.end(),
                   [&](const ScatterIndex& index) { return whole(index.stride); }) ||
      !std::all_of(launch.target_strides.begin(), launch.target_strides.end(), whole)) {
    return false;
  }
  const std::int64_t bytes = window_of(launch).bytes;
  return bytes + size <= kMostBinBytes && changes_of(launch) / (bytes / size) >= kChangesOfBin;
}

}  // namespace

ScatterWindow window_of(const ScatterLaunch& launch) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  const auto reach = [&](std::int64_t extent, std::int64_t stride) {
    (stride < 0 ? lowest : highest) += (extent - 1) * stride;
  };
  for (const ScatterIndex& index : launch.indices) reach(index.extent, index.stride);
  for (std::size_t d = 0; d < launch.row_shape.size(); ++d) reach(launch.row_shape[d], launch.target_strides[d]);
  return {-lowest, highest - lowest + launch.itemsize};
}

std::int64_t changes_of(const ScatterLaunch& launch) {
  return product(launch.shape) * product(launch.row_shape);
}

ScatterLayout layout_of(const ScatterLaunch& launch, const ScatterSpec& spec) {
  const std::size_t rank = launch.shape.size();
  const std::size_t row_rank = product(launch.row_shape) == 1 ? 0 : launch.row_shape.size();
  if (launch.indices.size() > kMaxScatterIndices || rank + row_rank > std::size_t{kMaxKernelRank}) return {};
  ScatterLayout layout;
  for (const ScatterIndex& index : launch.indices) layout.indices[layout.arrays++] = index.dtype;
  layout.rank = static_cast<std::uint8_t>(rank);
  layout.row_rank = static_cast<std::uint8_t>(row_rank);
  layout.wide_index = !is_narrow(launch);
  layout.bins = !layout.wide_index && deserves_bins(launch, spec);
  return layout;
}

std::vector<ScatterLayout> stand_ins(const ScatterLayout& layout) {
  std::vector<ScatterLayout> all{layout};
  if (layout.bins) {
    all.push_back(layout);
    all.back().bins = false;
  }
  if (!layout.any()) all.emplace_back();
  return all;
}

std::vector<ScatterLayout> usual_layouts(const ScatterSpec& spec) {
  std::vector<ScatterLayout> all(1);
  for (const DType dtype : {DType::int64, DType::int32}) {
    ScatterLayout usual{.arrays = 1, .rank = 1};
    usual.indices[0] = dtype;
    all.push_back(usual);
    all.push_back(usual);
    all.back().row_rank = 1;
    if (spec.ordered || spec.atomic == Atomic::none) continue;
    all.push_back(usual);
    all.back().bins = true;
  }
  return all;
}

}  // namespace kiln::kinds
