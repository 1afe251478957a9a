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

/// Elements of each operand of an item up to which a CPU computes several items at once. One thread, float32, nanoseconds of an
/// item without and with it: cross product 1.9 and 0.6, inner product of 4 1.4 and 0.6, of 8 2.2 and 1.0, of 16 5.0 and 4.8,
/// matrix product of 2 × 2 2.5 and 1.1, of 3 × 3 7.8 and 23: beyond 8 the compiler gathers elements one by one.
inline constexpr std::int64_t kTinyCore = 8;
/// Of a team whose size kiln chooses: lanes at least, and elements of the largest core for each of them.
inline constexpr int kFewestInTeam = 32;
inline constexpr int kElementsOfLane = 2;
/// That a team shares: what every GPU has without asking for more, less what reductions need.
inline constexpr std::int64_t kTeamBytes = 48 * 1024 - 256;

}  // namespace kiln::gufunc::tuning
