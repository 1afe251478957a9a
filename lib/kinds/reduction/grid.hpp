// How a reduction is shared between the blocks of a GPU. Pure. Parts follow from the work alone, not from the device, so that
// a result is the same on every run; the number of blocks only says who computes which.
#pragma once

#include <cstdint>

#include "kinds/grid.hpp"
#include "kinds/reduction/launch.hpp"

namespace kiln::kinds {

struct ReductionWork {
  std::int64_t outputs = 1;
  std::int64_t packs = 1;  ///< of elements, of each output
  ReductionMapping mapping = ReductionMapping::warp;
  bool segmented = false;  ///< each output has a number of elements of its own
};

/// Packs of a part, and the parts of each output; more than one need a second launch.
struct ReductionParts {
  std::int64_t chunk = 1;
  std::int64_t count = 1;
};
[[nodiscard]] ReductionParts parts_of(const ReductionWork& work) noexcept;

/// Blocks of kGpuBlock threads that walk over all units of the mapping. `request` gives the device's limits.
[[nodiscard]] Grid grid_for(const ReductionWork& work, std::int64_t parts, const GridRequest& request) noexcept;

}  // namespace kiln::kinds
