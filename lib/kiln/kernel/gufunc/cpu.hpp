// Runs a launch of a generalized ufunc on the CPU: what each thread takes of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/cpu/module.hpp"
#include "device/cpu/threads.hpp"
#include "kernel/gufunc/launch.hpp"

namespace kiln::kinds {

/// How an item's spread dimensions are cut into units of work.
struct Tiling {
  std::array<std::int64_t, kMaxKernelRank> tile;   ///< extent of a unit along each
  std::array<std::int64_t, kMaxKernelRank> tiles;  ///< how many there are along each
  std::int64_t per_item = 1;
};

/// Pure. Tiles of at most kTile × kTile of the two innermost dimensions, so that what they share of the inputs stays in the
/// cache; an item that is smaller is one unit.
[[nodiscard]] Tiling tiling_of(const std::vector<std::int64_t>& each);

inline constexpr std::int64_t kTile = 64;  // text_cpu.cpp counts on it

void run_gufunc(const cpu::CpuModule& module, const GufuncLaunch& launch, const cpu::LaunchThreads& threads);

}  // namespace kiln::kinds
