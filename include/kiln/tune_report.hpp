// The report of kiln::tune(): the launch shapes tried, and the choice.
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
  int elements_per_thread = 0;  ///< elements that a thread loads before it computes
  double milliseconds = 0;      ///< time of the kernel, the median of several runs; 0 if there is none
  std::string why_not = {};     ///< reason for which there is no time
};

/// Result of tune().
struct TuneReport {
  std::string why_not = {};                    ///< reason for which nothing was tried; empty otherwise
  std::string id = {};                         ///< id of the kernel in the cache
  std::string device = {};                     ///< "NVIDIA H200, 132 multiprocessors"
  std::string driver = {};                     ///< "CUDA 13.0"
  std::int64_t elements = 0;                   ///< elements of the call
  std::vector<TuneCandidate> candidates = {};  ///< the cost model's shape first
  /// Index of the shape that calls use from now on. It is the first one unless another is faster by a margin (docs/tuning.md).
  std::size_t best = 0;
  bool kept = false;  ///< true: the shape is in the cache's directory, for other programs
};

}  // namespace kiln
