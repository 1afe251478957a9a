// What a traced function leaves: the steps that the results need, each once, in an order in which they can be done.
#include <doctest/doctest.h>

#include "kiln/error.hpp"
#include "traced.hpp"

using namespace kiln;
using test::names_of;
using test::Traced;
using Names = std::vector<std::string>;

TEST_CASE("steps stand behind what they need") {
  const Traced t(3);
  const fusion::Graph graph = t.graph({math::sqrt(t.x[1] * t.x[1] - 4 * t.x[0] * t.x[2])});
  CHECK(names_of(graph) == Names{"multiply", "multiply", "multiply", "subtract", "sqrt"});
  CHECK(graph.parameters == 3);
  CHECK(graph.constants.size() == 1);
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    for (const fusion::Graph::Operand& input : graph.steps[i].inputs) {
      CHECK((input.kind != fusion::Graph::Operand::Kind::step || input.index < i));
    }
  }
  CHECK(graph.outputs == std::vector<fusion::Graph::Operand>{{fusion::Graph::Operand::Kind::step, 4, 0}});
}

TEST_CASE("equal steps are one, whether written once or twice") {
  const Traced t(2);
  const Expr product = t.x[0] * t.x[1];
  CHECK(t.graph({product + product}).steps.size() == 2);
  CHECK(t.graph({t.x[0] * t.x[1] + t.x[0] * t.x[1]}).steps.size() == 2);
  CHECK(t.graph({product, t.x[0] * t.x[1]}).outputs[0] == t.graph({product, t.x[0] * t.x[1]}).outputs[1]);
  // The other way round is another step: results may differ in the sign of a NaN.
  CHECK(t.graph({t.x[0] * t.x[1] + t.x[1] * t.x[0]}).steps.size() == 3);
  CHECK(t.graph({t.x[0] * 2 + t.x[0] * 2}).steps.size() == 2);
  // Constants of other types are other constants: they choose other loops.
  CHECK(t.graph({t.x[0] * 2 + t.x[0] * 2.0}).steps.size() == 3);
  CHECK(t.graph({t.x[0] * 0.0 + t.x[0] * -0.0}).constants.size() == 2);
  // The same text is not the same ufunc.
  const auto make = [] { return vectorize({.name = "f", .signatures = {"T(T x)"}, .body = "return x;"}); };
  CHECK(t.graph({make()(t.x[0]) + make()(t.x[0])}).steps.size() == 3);
}

TEST_CASE("the two outputs of a step are one step") {
  const Traced t(2);
  const auto [quotient, rest] = math::divmod.outputs<2>(t.x[0], t.x[1]);
  const fusion::Graph graph = t.graph({rest - quotient});
  CHECK(names_of(graph) == Names{"divmod", "subtract"});
  CHECK(graph.steps[1].inputs[0].output == 1);
  CHECK(graph.steps[1].inputs[1].output == 0);
}

TEST_CASE("what no result needs is not there") {
  const Traced t(2);
  static_cast<void>(math::exp(t.x[0]));
  CHECK(t.graph({t.x[1]}).steps.empty());
}

TEST_CASE("a fused ufunc is replaced by its steps, which are shared with others") {
  const Traced t(2);
  const Ufunc norm = fuse("norm", [](Expr a, Expr b) { return math::sqrt(a * a + b * b); });
  const fusion::Graph graph = t.graph({norm(t.x[0], t.x[1]) + t.x[0] * t.x[0]});
  CHECK(names_of(graph) == Names{"multiply", "multiply", "add", "sqrt", "add"});
}

TEST_CASE("a long chain is let go without trouble") {
  const Traced t(1);
  Expr sum = t.x[0];
  for (int i = 0; i < fusion::kMaxDepth; ++i) sum += t.x[0];
  CHECK(t.graph({sum}).steps.size() == fusion::kMaxDepth);
  CHECK_THROWS_AS(sum + 1, TypeError);
}
