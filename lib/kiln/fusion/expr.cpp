// Expressions: constants, and ufuncs applied to them. A fused ufunc is replaced by what it consists of.
#include "kiln/expr.hpp"
#include "types/reason.hpp"

#include <algorithm>
#include <cstring>

#include "fusion/expr_node.hpp"
#include "fusion/fused_loops.hpp"
#include "kiln/error.hpp"

namespace kiln {
namespace {

using fusion::Application;
using fusion::Graph;

std::string count(std::size_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

void check(const detail::UfuncImpl& ufunc, std::span<const Expr> inputs) {
  if (inputs.size() != ufunc.nin()) {
    throw Because<TypeError>(Reason::arguments, ufunc.name() + " takes " + count(ufunc.nin(), "argument") + ", " +
                                                    std::to_string(inputs.size()) + " given");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].node() != nullptr) continue;
    throw TypeError(ufunc.name() + ": " + ufunc.operand_name(i) + " is an empty Expr, not an expression");
  }
}

std::shared_ptr<const detail::ExprNode> make_node(Application application) {
  auto node = std::make_shared<detail::ExprNode>();
  for (const Expr& input : application.inputs) node->depth = std::max(node->depth, input.node()->depth + 1);
  if (node->depth > fusion::kMaxDepth) {
    throw TypeError(application.ufunc->name() + ": an expression more than " + std::to_string(fusion::kMaxDepth) +
                    " ufuncs deep; fuse it in parts");
  }
  node->what = std::move(application);
  return node;
}

/// The graph of a fused ufunc, on these inputs.
void replay(const Graph& graph, const UfuncDefinition& options, std::span<const Expr> inputs, std::span<Expr> results) {
  std::vector<std::shared_ptr<const detail::ExprNode>> steps;
  steps.reserve(graph.steps.size());
  const auto expression = [&](const Graph::Operand& operand) -> Expr {
    switch (operand.kind) {
      case Graph::Operand::Kind::parameter:
        return inputs[operand.index];
      case Graph::Operand::Kind::constant:
        return Expr(std::make_shared<const detail::ExprNode>(detail::ExprNode{graph.constants[operand.index], 0}));
      case Graph::Operand::Kind::step:
        break;
    }
    return Expr(steps[operand.index], operand.output);
  };
  const Arithmetic wanted = arithmetic_of(options.compile);
  for (const Graph::Step& step : graph.steps) {
    Application application{step.ufunc, {}, step.arithmetic};
    for (const ArithmeticFlag& flag : kArithmeticFlags) application.arithmetic.*flag.member |= wanted.*flag.member;
    for (const Graph::Operand& operand : step.inputs) application.inputs.push_back(expression(operand));
    steps.push_back(make_node(std::move(application)));
  }
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = expression(graph.outputs[i]);
}

}  // namespace

Expr::Expr(DType dtype, const void* value) {
  fusion::Constant constant{dtype, {}};
  std::memcpy(constant.bytes.data(), value, itemsize(dtype));
  node_ = std::make_shared<const detail::ExprNode>(detail::ExprNode{constant, 0});
}

void detail::apply(const std::shared_ptr<const UfuncImpl>& ufunc, std::span<const Expr> inputs, std::span<Expr> results) {
  check(*ufunc, inputs);
  ufunc->check_of_elements(", in kiln::fuse()");
  if (results.size() != ufunc->nout()) {
    throw TypeError(ufunc->name() + " has " + count(ufunc->nout(), "output") + ", not " + std::to_string(results.size()));
  }
  if (const auto* const fused = dynamic_cast<const fusion::FusedLoops*>(ufunc->source())) {
    return replay(fused->graph(), ufunc->definition(), inputs, results);
  }
  const auto node = make_node({ufunc, {inputs.begin(), inputs.end()}, arithmetic_of(ufunc->definition().compile)});
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = Expr(node, i);
}

Expr detail::apply_one(const std::shared_ptr<const UfuncImpl>& ufunc, std::span<const Expr> inputs) {
  if (ufunc->nout() != 1) {
    throw TypeError(ufunc->name() + " has " + std::to_string(ufunc->nout()) + " outputs: call outputs<" +
                    std::to_string(ufunc->nout()) + ">() instead of operator()");
  }
  Expr result;
  apply(ufunc, inputs, {&result, 1});
  return result;
}

std::vector<Expr> Ufunc::outputs(std::span<const Expr> args) const {
  std::vector<Expr> results(impl_->nout());
  detail::apply(impl(), args, results);
  return results;
}

}  // namespace kiln
