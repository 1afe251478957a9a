// The loops of a fused ufunc: made from its graph for the dtypes of a call, each as a ufunc's definition with that one loop.
#pragma once

#include <string>
#include <vector>

#include "fusion/graph.hpp"
#include "ufunc/loop_source.hpp"

namespace kiln::fusion {

class FusedLoops : public ufunc::LoopSource {
 public:
  /// `options`: the definition of each loop, but for signature and texts. `inputs` and `outputs` are the operands' names;
  /// `constants` says which inputs are qualified so, none where it is empty.
  FusedLoops(Graph graph, UfuncDefinition options, std::vector<std::string> inputs, std::vector<std::string> outputs,
             std::vector<bool> constants = {});

  [[nodiscard]] ufunc::Loop choose(const ufunc::LoopRequest& request) const override;
  [[nodiscard]] bool arithmetic_bound() const noexcept override;
  [[nodiscard]] const Graph& graph() const noexcept { return graph_; }

 private:
  Graph graph_;
  UfuncDefinition options_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<bool> constants_;
};

}  // namespace kiln::fusion
