// What kiln::tune() tried for a kernel, and what it chose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kiln/export.hpp"

namespace kiln {

/// A launch shape that was tried.
struct TuneCandidate {
  int block = 0;                ///< threads of a block
  int elements_per_thread = 0;  ///< that a thread loads before it computes
  double milliseconds = 0;      ///< the kernel's, the median of several runs; 0 where it has none
  std::string why_not = {};     ///< why it has none
};

/// What tune() tried, and what it chose.
struct TuneReport {
  std::string why_not = {};  ///< why nothing was tried; empty where something was
  std::string id = {};       ///< of the kernel in the cache
  std::string device = {};   ///< "NVIDIA H200, 132 multiprocessors"
  std::string driver = {};   ///< "CUDA 13.0"
  std::int64_t elements = 0;
  std::vector<TuneCandidate> candidates = {};  ///< the cost model's shape first
  std::size_t best = 0;  ///< the one that calls use from now on; the first unless another is at least 3 % faster
  bool kept = false;     ///< it is in the cache's directory, for other programs
};

}  // namespace kiln
