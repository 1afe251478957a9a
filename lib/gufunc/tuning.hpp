// The numbers that choose a kernel of a generalized ufunc.
#pragma once

#include <cstdint>

namespace kiln::gufunc::tuning {

/// Core dimensions up to this size are constants of the kernel, so that loops over them unroll.
inline constexpr std::int64_t kSmallCore = 32;
/// Kernels of a loop with such constants; calls beyond share one for any sizes.
inline constexpr int kMaxSpecialized = 16;

/// Indices of .each from which on a CPU computes several at once: the smaller of the two numbers of lanes that kernels have.
inline constexpr std::int64_t kFewestLanes = 16;

/// Elements of all operands of an item up to which a CPU computes several items at once.
inline constexpr std::int64_t kTinyCores = 32;
/// Of a team whose size kiln chooses: lanes at least, and elements of the largest core for each of them.
inline constexpr int kFewestInTeam = 32;
inline constexpr int kElementsOfLane = 2;
/// That a team shares: what every GPU has without asking for more, less what reductions need.
inline constexpr std::int64_t kTeamBytes = 48 * 1024 - 256;

}  // namespace kiln::gufunc::tuning
