// A launch shape that is free to choose, since results are the same with each: which there are to try.
#pragma once

#include <vector>

namespace kiln::autotune {

struct Choice {
  int block = 0;     ///< threads of a block
  int accesses = 1;  ///< that a thread has in flight; another number is another kernel
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// What limits the choice for a kernel on a device.
struct Freedom {
  std::vector<int> accesses = {1};  ///< that it can be compiled for
  int warp_size = 32;
  int max_threads = 256;  ///< of a block of this kernel
};

[[nodiscard]] bool is_free(const Choice& choice, const Freedom& freedom) noexcept;

/// The cost model's, then all others, each once.
[[nodiscard]] std::vector<Choice> candidates(const Choice& model, const Freedom& freedom);

}  // namespace kiln::autotune
