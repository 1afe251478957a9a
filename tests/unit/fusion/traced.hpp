// A function on expressions, with what becomes of it in sight.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fusion/fused_loops.hpp"
#include "fusion/graph.hpp"
#include "fusion/options.hpp"
#include "fusion/typing.hpp"
#include "kiln/kiln.hpp"

namespace kiln::test {

/// Parameters of a scope of their own; `graph` of results in them.
struct Traced {
  explicit Traced(std::size_t count) : scope(std::make_shared<const fusion::Scope>(fusion::Scope{"traced"})) {
    for (std::size_t i = 0; i < count; ++i) {
      x.emplace_back(std::make_shared<const detail::ExprNode>(detail::ExprNode{fusion::Parameter{scope, i}, 0}));
    }
  }
  [[nodiscard]] fusion::Graph graph(const std::vector<Expr>& results) const {
    return fusion::make_graph(scope, x.size(), results);
  }
  /// The loop for arrays of these dtypes.
  [[nodiscard]] ufunc::Loop loop(const std::vector<Expr>& results, const std::vector<DType>& dtypes) const {
    std::vector<ufunc::Argument> arguments;
    for (const DType dtype : dtypes) arguments.push_back({dtype, false});
    fusion::Graph traced = graph(results);
    UfuncDefinition options = fusion::options_of(traced, {.name = "traced"});
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < x.size(); ++i) inputs.push_back("x" + std::to_string(i));
    for (std::size_t i = 0; i < results.size(); ++i) outputs.push_back("y" + std::to_string(i));
    return fusion::FusedLoops(std::move(traced), std::move(options), inputs, outputs).choose({.arguments = arguments});
  }
  std::shared_ptr<const fusion::Scope> scope;
  std::vector<Expr> x;
};

inline std::vector<std::string> names_of(const fusion::Graph& graph) {
  std::vector<std::string> names;
  for (const fusion::Graph::Step& step : graph.steps) names.push_back(step.ufunc->name());
  return names;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace kiln::test
