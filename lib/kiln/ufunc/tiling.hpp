// Which calls a GPU computes by tiles (kernels-src/elementwise/gpu_tiles.hpp): those with operands whose neighbours in memory
// are neighbours along another axis than the loop's innermost one. Pure.
#pragma once

#include "ufunc/layout_class.hpp"

namespace kiln::ufunc {

/// Decided by strides and extents alone.
[[nodiscard]] Tiling tiling_of(const Placement& placement, kinds::Masking masking) noexcept;

}  // namespace kiln::ufunc
