// The loops of a reduction that is made of two ufuncs: what the first gives is combined by the second.
#pragma once

#include <memory>
#include <string>

#include "fusion/graph.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/loop_source.hpp"

namespace kiln::reduce {

class ComposedLoops : public ufunc::LoopSource {
 public:
  /// `options`: the definition of each loop, but for signature and texts. TypeError unless map has one output, and combine two
  /// inputs and one.
  ComposedLoops(fusion::Graph graph, UfuncDefinition options);

  /// A loop whose definition has the functions kiln_mapped(x0, …) and kiln_combined(a, b), of accumulators.
  [[nodiscard]] ufunc::Loop choose(const ufunc::LoopRequest& request) const override;
  [[nodiscard]] bool arithmetic_bound() const noexcept override;

 private:
  [[nodiscard]] const detail::UfuncImpl& map() const noexcept { return *graph_.steps[0].ufunc; }
  [[nodiscard]] const detail::UfuncImpl& combine() const noexcept { return *graph_.steps[1].ufunc; }

  fusion::Graph graph_;  // of the two, for what they share
  UfuncDefinition options_;
};

/// "x0, x1": the inputs of kiln_mapped.
[[nodiscard]] std::string mapped_arguments(std::size_t count);

}  // namespace kiln::reduce
