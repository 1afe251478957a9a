// The dtypes inside a fused ufunc.
#include <doctest/doctest.h>

#include "traced.hpp"

using namespace kiln;
using fusion::type_graph;
using fusion::Typing;
using test::Traced;
using DTypes = std::vector<DType>;

namespace {

Typing typed(const fusion::Graph& graph, const std::vector<ufunc::Argument>& arguments) {
  return type_graph(graph, "traced", arguments, Casting::same_kind);
}

}  // namespace

TEST_CASE("each step chooses by what comes to it") {
  const Traced t(2);
  const fusion::Graph graph = t.graph({math::sqrt(t.x[0] * t.x[1]) + t.x[1]});
  const Typing typing = typed(graph, {{DType::int16, false}, {DType::float16, false}});
  CHECK(typing.loops[0].inputs == DTypes{DType::float32, DType::float32});
  CHECK(typing.loops[1].outputs == DTypes{DType::float32});
  CHECK(typing.parameters == DTypes{DType::int16, DType::float16});
  CHECK(typing.outputs == DTypes{DType::float32});
  CHECK(typing.narrowed.empty());
}

TEST_CASE("a constant is weak beside arrays, and what becomes of it is strong") {
  const Traced t(1);
  const Typing weak = typed(t.graph({t.x[0] * 2.5}), {{DType::float16, false}});
  CHECK(weak.outputs == DTypes{DType::float16});
  const Typing strong = typed(t.graph({t.x[0] * (Expr(2.5) * 1)}), {{DType::float16, false}});
  CHECK(strong.outputs == DTypes{DType::float64});
}

TEST_CASE("a weak parameter comes in the one dtype that it is used in, else in its own") {
  const Traced t(3);
  const fusion::Graph one = t.graph({t.x[0] * t.x[1] + t.x[1]});
  CHECK(typed(one, {{DType::float16, false}, {DType::int32, true}, {DType::bool_, false}}).parameters ==
        DTypes{DType::float16, DType::float16, DType::bool_});
  const fusion::Graph two = t.graph({t.x[0] * t.x[1] + t.x[2] * t.x[1]});
  const Typing typing = typed(two, {{DType::int8, false}, {DType::int32, true}, {DType::float32, false}});
  CHECK(typing.parameters == DTypes{DType::int8, DType::int32, DType::float32});
  CHECK(typing.narrowed == std::vector<std::pair<std::size_t, DType>>{{1, DType::int8}, {1, DType::float32}});
}

TEST_CASE("a parameter that is a result keeps its dtype") {
  const Traced t(1);
  CHECK(typed(t.graph({t.x[0]}), {{DType::bfloat16, false}}).outputs == DTypes{DType::bfloat16});
  // Alone it is what it is in C++; beside the array of bools that isnan gives it is a weak float.
  const Typing weak = typed(t.graph({t.x[0], t.x[0] + math::isnan(t.x[0])}), {{DType::float32, true}});
  CHECK(weak.outputs == DTypes{DType::float32, DType::float64});
  CHECK(weak.parameters == DTypes{DType::float32});
}
