// Runs the blocks and threads of a launch, one at a time, in an order that a seed shuffles.
#pragma once

#include <cstdint>
#include <string>

#include "abi.hpp"

namespace kiln_emulated {

struct GridLaunch {
  const Module& module;
  Call kernel;
  void** parameters;
  Position grid, block;
  unsigned dynamic_shared_bytes;
  std::uint64_t seed;  ///< 0: in order
};

struct Outcome {
  int status = 0;       ///< CUDA's
  std::string message;  ///< what went wrong, and where
};

/// Threads change places where they wait for one another; a launch that cannot go on, that touches memory which is not there or
/// not aligned, or that takes longer than KILN_EMULATED_SECONDS (30) ends there. One at a time.
Outcome run_grid(const GridLaunch& launch);

}  // namespace kiln_emulated
