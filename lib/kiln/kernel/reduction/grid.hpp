// How a reduction is shared between the blocks of a GPU. Pure. Parts follow from the work alone, not from the device, so that
// a result is the same on every run; the number of blocks only says who computes which.
#pragma once

#include <cstdint>

#include "kernel/grid.hpp"
#include "kernel/reduction/launch.hpp"

namespace kiln::kinds {

struct ReductionWork {
  std::int64_t outputs = 1;
  std::int64_t packs = 1;  ///< of elements, of each output
  ReductionMapping mapping = ReductionMapping::warp;
  std::int64_t columns = 1;  ///< outputs that lie together
  int width = 1;             ///< elements of an access
  std::int64_t state_bytes = 0;
};

/// Packs of a part, and the parts of each output; more than one need a second launch.
struct ReductionParts {
  std::int64_t chunk = 1;
  std::int64_t count = 1;
  int lane_bits = 0;  ///< by columns: 2 to the power of it threads of a block are adjacent
};
[[nodiscard]] ReductionParts parts_of(const ReductionWork& work) noexcept;

/// Elements, a power of two, of a state of so many bytes that a thread of a balanced reduction takes.
[[nodiscard]] int balanced_elements(std::int64_t state_bytes) noexcept;

/// How the blocks of a GPU share a launch of a balanced reduction. Of any shape the tree is the same.
struct BalancedParts {
  std::int64_t count = 1;   ///< of each output; more than one are the elements of another launch
  std::int64_t groups = 1;  ///< of outputs
  int lane_bits = 0;        ///< 2 to the power of it threads of a block are adjacent outputs
};
/// `columns`: outputs that lie together, 1 where elements do.
[[nodiscard]] BalancedParts balanced_parts(std::int64_t outputs, std::int64_t columns, std::int64_t elements,
                                           std::int64_t state_bytes) noexcept;

/// Blocks of kGpuBlock threads that walk over all units of the mapping. `request` gives the device's limits.
[[nodiscard]] Grid grid_for(const ReductionWork& work, const ReductionParts& parts, const GridRequest& request) noexcept;
/// The same for so many units, one for a block.
[[nodiscard]] Grid grid_of_units(std::int64_t units, const GridRequest& request) noexcept;

}  // namespace kiln::kinds
