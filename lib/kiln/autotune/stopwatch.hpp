// The times of several kinds of work of a device, by its own clock.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "device/backend.hpp"

namespace kiln::autotune {

/// How often, and how long, work is run.
struct Budget {
  double enough_ms = 50;  ///< of all measured work together, after the least number of rounds
  double most_ms = 500;   ///< of all work together, warm-up included
  int least_rounds = 3;
  int most_rounds = 15;
};

struct Timed {
  double milliseconds = 0;  ///< median; 0 where there is none
  std::string why_not = {};
};

/// Runs work 0 to `count` in turn, round by round, so that a clock that changes does so for all. The first round warms up. What
/// throws a DeviceError is not run again, but for the first, whose error is the caller's; what there is no time left for is not
/// run at all. Waits for the work.
[[nodiscard]] std::vector<Timed> time_in_turn(backend::Backend& backend, backend::Queue* queue, std::size_t count,
                                              base::FunctionRef<void()> prepare, base::FunctionRef<void(std::size_t)> run,
                                              const Budget& budget = {});

}  // namespace kiln::autotune
