// How many blocks of how many threads run a kernel. A pure function of the work and the limits of device and kernel.
#pragma once

#include <cstdint>

#include "kernel/launch.hpp"

namespace kiln::kinds {

struct GridRequest {
  std::int64_t packs = 1;  ///< accesses to do
  int unroll = 1;          ///< accesses of a thread per tile
  int threads = 0;         ///< of a block, where that was measured; 0: by the cost model
  int multiprocessors = 1;
  int blocks_per_multiprocessor = 1;  ///< that fit at once, with kGpuBlock threads each
  int warp_size = 32;
  std::int64_t max_blocks = 0;   ///< of the device
  std::int64_t max_threads = 0;  ///< of one launch; 0: no such limit
};

struct Grid {
  unsigned blocks = 1;
  unsigned threads = 1;
};

/// A block is a tile of threads * unroll packs. Large arrays get a block a tile, up to kMaxWaves times what the device holds at
/// once; beyond that every block loops over the same number of tiles. Arrays too small to give every multiprocessor a block of
/// kGpuBlock threads get smaller blocks, unless the number of threads is given. docs/tuning.md has it at length.
[[nodiscard]] Grid grid_for(const GridRequest& request) noexcept;

/// A request with the limits of a GPU and of a kernel that is loaded there.
[[nodiscard]] GridRequest limits_of(const Backend& backend, const Module& module);

[[nodiscard]] LaunchShape shape_of(const Grid& grid) noexcept;

/// The shape for `threads` threads in blocks of `block`, each of which strides over the work: any number of blocks is right,
/// and those beyond what the device holds some times over only wait for one another.
[[nodiscard]] LaunchShape strided_shape(const Backend& backend, const Module& module, std::int64_t threads,
                                        int block = kGpuBlock);

inline constexpr std::int64_t kMaxWaves = 64;

}  // namespace kiln::kinds
