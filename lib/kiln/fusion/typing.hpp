// The loops that a graph's steps run for given arguments: what calls of one ufunc after the other would choose. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fusion/graph.hpp"
#include "ufunc/loops.hpp"

namespace kiln::fusion {

struct Typing {
  std::vector<ufunc::Loop> loops;  ///< of each step
  /// What each parameter comes as: an array's dtype; a weak scalar's one dtype where all its uses agree, else its own.
  std::vector<DType> parameters;
  std::vector<DType> outputs;
  /// Weak integer parameters that are converted further, and what to.
  std::vector<std::pair<std::size_t, DType>> narrowed;
};

/// TypeError where a step has no loop, needs a cast that `casting` forbids, or has a constant that does not fit; it begins with
/// `in fused "NAME": STEP: `.
[[nodiscard]] Typing type_graph(const Graph& graph, const std::string& name, std::span<const ufunc::Argument> arguments,
                                Casting casting);

}  // namespace kiln::fusion
