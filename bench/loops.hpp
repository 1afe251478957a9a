// The bodies with control flow that are measured: loops whose length differs from element to element, and inner loops.
#pragma once

#include <functional>
#include <kiln/kiln.hpp>
#include <span>
#include <string>
#include <vector>

namespace kiln::bench {

struct Loop {
  std::string name;
  int inputs;  ///< arrays that it takes
  /// Computes into `out`; where that is empty, into arrays that it makes. Returns the results.
  std::function<std::vector<Array>(const std::vector<Arg>& inputs, const Outputs& out)> call;
};

std::span<const Loop> loops();

}  // namespace kiln::bench
