#include "fusion/graph.hpp"

#include <map>
#include <tuple>
#include <unordered_map>

#include "kiln/error.hpp"

namespace kiln::fusion {
namespace {

using detail::ExprNode;
using Operand = Graph::Operand;

class Builder {
 public:
  Builder(const std::shared_ptr<const Scope>& scope, std::size_t parameters) : scope_(scope) { graph_.parameters = parameters; }

  Operand add(const Expr& expression) {
    const ExprNode* const node = expression.node().get();
    if (const auto* const parameter = std::get_if<Parameter>(&node->what)) return of(*parameter);
    if (const auto* const constant = std::get_if<Constant>(&node->what)) {
      const auto [at, fresh] = constants_.try_emplace(*constant, graph_.constants.size());
      if (fresh) graph_.constants.push_back(*constant);
      return {Operand::Kind::constant, at->second, 0};
    }
    auto seen = steps_of_.find(node);
    if (seen == steps_of_.end()) seen = steps_of_.emplace(node, step(std::get<Application>(node->what))).first;
    return {Operand::Kind::step, seen->second, expression.output()};
  }

  Graph take() && { return std::move(graph_); }
  Graph& graph() { return graph_; }

 private:
  [[nodiscard]] Operand of(const Parameter& parameter) const {
    if (parameter.scope == scope_) return {Operand::Kind::parameter, parameter.index, 0};
    throw TypeError("in fused \"" + scope_->name + "\": an Expr of fused \"" + parameter.scope->name +
                    "\" is used; a parameter is known only inside the function that it was given to");
  }

  std::size_t step(const Application& application) {
    std::vector<Operand> inputs;
    for (const Expr& input : application.inputs) inputs.push_back(add(input));
    const auto key = std::tuple(application.ufunc.get(), inputs, application.arithmetic);
    const auto [at, fresh] = equal_steps_.try_emplace(key, graph_.steps.size());
    if (!fresh) return at->second;
    if (graph_.steps.size() == kMaxSteps) {
      throw TypeError("in fused \"" + scope_->name + "\": more than " + std::to_string(kMaxSteps) +
                      " ufuncs; fuse it in parts");
    }
    graph_.steps.push_back({application.ufunc, std::move(inputs), application.arithmetic});
    return at->second;
  }

  const std::shared_ptr<const Scope>& scope_;
  Graph graph_;
  std::map<Constant, std::size_t> constants_;
  std::unordered_map<const ExprNode*, std::size_t> steps_of_;
  std::map<std::tuple<const detail::UfuncImpl*, std::vector<Operand>, Arithmetic>, std::size_t> equal_steps_;
};

}  // namespace

Graph make_graph(const std::shared_ptr<const Scope>& scope, std::size_t parameters, std::span<const Expr> results) {
  Builder builder(scope, parameters);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto fail = [&](const std::string& why) {
      throw TypeError("in fused \"" + scope->name + "\": output " + std::to_string(i) + " is " + why);
    };
    if (results[i].node() == nullptr) fail("an empty Expr, not an expression of the parameters");
    const Operand output = builder.add(results[i]);
    if (output.kind == Operand::Kind::constant) {
      fail("a constant, which has no dtype of its own; make it an expression of the parameters");
    }
    builder.graph().outputs.push_back(output);
  }
  return std::move(builder).take();
}

}  // namespace kiln::fusion
