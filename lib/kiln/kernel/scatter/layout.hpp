// Which kernel a launch of Ufunc::at runs on a GPU. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/scatter/launch.hpp"
#include "kernel/scatter/spec.hpp"

namespace kiln::kinds {

/// The memory of a target from its lowest address to the end of its highest element.
struct ScatterWindow {
  std::int64_t origin = 0;  ///< bytes from the lowest address to ScatterLaunch::target
  std::int64_t bytes = 0;
};
[[nodiscard]] ScatterWindow window_of(const ScatterLaunch& launch);

/// Elements that the launch changes, each for every position that leads to it.
[[nodiscard]] std::int64_t changes_of(const ScatterLaunch& launch);

/// What fits a block's shared memory on every device. Bins are chosen by shape alone, so that a manifest knows them, too.
inline constexpr std::int64_t kMostBinBytes = 49152;
/// Changes of a bin, on average: `kChangesOfCopy` for each multiprocessor of a large device.
inline constexpr std::int64_t kChangesOfBin = 512;
/// Changes of each bin of a block, on average, so that few are those that add it to the target.
inline constexpr std::int64_t kChangesOfCopy = 4;

/// `spec` says what the function allows; its layout is not looked at.
[[nodiscard]] ScatterLayout layout_of(const ScatterLaunch& launch, const ScatterSpec& spec);

/// The layout itself, then others whose kernels are right for a launch of it, the nearest first.
[[nodiscard]] std::vector<ScatterLayout> stand_ins(const ScatterLayout& layout);

/// The layout of the kernel for any call, then those of calls with one packed array of indices of the usual dtypes.
[[nodiscard]] std::vector<ScatterLayout> usual_layouts(const ScatterSpec& spec);

}  // namespace kiln::kinds
