// How the threads of a GPU share the lines of a scan (kernels-src/scan/team_gpu.hpp). It decides the grouping, and so follows
// from shapes, strides and dtypes alone, never from the device. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/scan/launch.hpp"
#include "kernel/scan/spec.hpp"

namespace kiln::kinds {

/// What the kernel of that spec takes in one tile: `packs` packs of `width` elements for each lane.
[[nodiscard]] ScanTile scan_tile(const ScanSpec& spec) noexcept;

/// The layout, and those whose kernels give the same bits for it.
[[nodiscard]] std::vector<ScanLayout> stand_ins(const ScanLayout& layout, const ScanSpec& spec);

struct ScanPlan {
  int lane_bits = 0;        ///< 2^lane_bits lanes of a warp share a line
  int warp_bits = 0;        ///< 2^warp_bits warps are a team
  std::int64_t tiles = 0;   ///< of a whole chunk
  std::int64_t chunk = 0;   ///< elements of a line that a team takes: all, or as many as `tiles` have
  std::int64_t chunks = 1;  ///< of each line
  std::int64_t blocks = 1;  ///< for one chunk of each line
};

/// Of a reorderable function.
[[nodiscard]] ScanPlan scan_plan(const ScanLaunch& launch) noexcept;

/// Whether the launch is one for a kernel whose chunks look back.
[[nodiscard]] bool may_look_back(const ScanLaunch& launch) noexcept;

}  // namespace kiln::kinds
