#include "gufunc/core_shape.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "kiln/error.hpp"
#include "support/golden_texts.hpp"

using kiln::Dims;
using kiln::Shape;
using kiln::gufunc::core_shape;
using kiln::gufunc::CoreRequest;
using kiln::gufunc::CoreShape;
using kiln::signature::Layout;
using kiln::signature::parse_layout;
using kiln::signature::parse_size_rules;
using kiln::signature::SizeRules;

namespace {

using Shapes = std::vector<std::optional<Shape>>;

/// A call of "f" with parameters a, b, …, in the words of a test.
struct Call {
  std::string_view layout;
  Shapes inputs;
  Shapes outputs = {};
  std::vector<std::vector<int>> axes = {};
  std::optional<int> axis = std::nullopt;
  bool keepdims = false;
  std::string_view sizes = {};
  std::optional<Shape> where = std::nullopt;
};

std::vector<const Shape*> pointers(const Shapes& shapes) {
  std::vector<const Shape*> list;
  list.reserve(shapes.size());
  for (const auto& shape : shapes) list.push_back(shape ? &*shape : nullptr);
  return list;
}

CoreShape shape_of(const Call& call) {
  const Layout layout = parse_layout(call.layout);
  const SizeRules rules = parse_size_rules(call.sizes, layout);
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  const auto inputs = pointers(call.inputs);
  const auto outputs = pointers(call.outputs);
  return core_shape({.name = "f", .parameters = names, .layout = layout, .rules = rules},
                    {.inputs = inputs,
                     .outputs = outputs,
                     .axes = call.axes,
                     .axis = call.axis,
                     .keepdims = call.keepdims,
                     .where = call.where ? &*call.where : nullptr});
}

std::string shape_error(const Call& call) {
  try {
    (void)shape_of(call);
  } catch (const kiln::ShapeError& error) {
    return error.what();
  }
  return "no ShapeError";
}

std::string type_error(const Call& call) {
  try {
    (void)shape_of(call);
  } catch (const kiln::TypeError& error) {
    return error.what();
  }
  return "no TypeError";
}

/// That every axis of every operand has one role, with the extent that belongs to it.
void check_consistent(const Call& call, const CoreShape& shape) {
  const Layout layout = parse_layout(call.layout);
  REQUIRE(shape.operands.size() == layout.operands());
  REQUIRE(shape.output_shapes.size() == layout.outputs.size());
  for (std::size_t i = 0; i < layout.operands(); ++i) {
    const Shape& own = i < layout.inputs.size() ? *call.inputs[i] : shape.output_shapes[i - layout.inputs.size()];
    const auto& axes = shape.operands[i];
    std::vector<int> uses(own.size(), 0);
    REQUIRE(axes.loop.size() == shape.loop.size());
    std::int64_t previous = -1;
    for (std::size_t k = 0; k < axes.loop.size(); ++k) {
      if (axes.loop[k] < 0) continue;
      CHECK(axes.loop[k] > previous);  // loop axes stay in their order
      previous = axes.loop[k];
      ++uses.at(static_cast<std::size_t>(axes.loop[k]));
      CHECK(own[static_cast<std::size_t>(axes.loop[k])] == shape.loop[k]);
    }
    REQUIRE(axes.core.size() == layout.of(i).size());
    for (std::size_t k = 0; k < axes.core.size(); ++k) {
      if (axes.core[k] < 0) continue;
      ++uses.at(static_cast<std::size_t>(axes.core[k]));
      CHECK(own[static_cast<std::size_t>(axes.core[k])] == shape.sizes[layout.of(i)[k]]);
    }
    for (std::size_t axis = 0; axis < own.size(); ++axis) CHECK((uses[axis] == 1 || (uses[axis] == 0 && own[axis] == 1)));
  }
}

}  // namespace

TEST_CASE("a matrix product: loop dimensions broadcast, core dimensions match") {
  const Call call{.layout = "(m,n),(n,p)->(m,p)", .inputs = {Shape{5, 1, 2, 3}, Shape{4, 3, 7}}};
  const CoreShape shape = shape_of(call);
  CHECK(shape.loop == Shape{5, 4});
  CHECK(shape.sizes == Dims{2, 3, 7});
  CHECK(shape.output_shapes == std::vector<Shape>{Shape{5, 4, 2, 7}});
  CHECK(shape.operands[0].loop == Dims{0, -1});
  CHECK(shape.operands[0].core == Dims{2, 3});
  CHECK(shape.operands[1].loop == Dims{-1, 0});
  CHECK(shape.operands[1].core == Dims{1, 2});
  CHECK(shape.operands[2].loop == Dims{0, 1});
  CHECK(shape.operands[2].core == Dims{2, 3});
  check_consistent(call, shape);
}

TEST_CASE("scalars, operands without core dimensions, a dimension twice") {
  const CoreShape moving = shape_of({.layout = "(n),()->(n)", .inputs = {Shape{2, 9}, Shape{}}});
  CHECK(moving.output_shapes[0] == Shape{2, 9});
  CHECK(moving.operands[1].loop == Dims{-1});
  CHECK(moving.operands[1].core.empty());

  const CoreShape det = shape_of({.layout = "(m,m)->()", .inputs = {Shape{6, 3, 3}}});
  CHECK(det.output_shapes[0] == Shape{6});
  CHECK(det.sizes == Dims{3});
  CHECK(det.operands[0].core == Dims{1, 2});
  CHECK(shape_error({.layout = "(m,m)->()", .inputs = {Shape{6, 3, 4}}}) ==
        "f: input 0 (a) of shape (6, 3, 4) has 4 along core dimension m, input 0 (a) of shape (6, 3, 4) has 3");
}

TEST_CASE("dimensions that may be left out count as 1 and leave every operand") {
  constexpr std::string_view kMatmul = "(n?,k),(k,m?)->(n?,m?)";
  const CoreShape row = shape_of({.layout = kMatmul, .inputs = {Shape{3}, Shape{5, 3, 4}}});
  CHECK(row.sizes == Dims{1, 3, 4});
  CHECK(row.output_shapes[0] == Shape{5, 4});
  CHECK(row.operands[0].core == Dims{-1, 0});
  CHECK(row.operands[0].loop == Dims{-1});
  CHECK(row.operands[2].core == Dims{-1, 1});

  const CoreShape both = shape_of({.layout = kMatmul, .inputs = {Shape{3}, Shape{3}}});
  CHECK(both.output_shapes[0] == Shape{});
  // The output of too few dimensions leaves it out, too.
  const CoreShape out = shape_of({.layout = "(n)->(p?)", .inputs = {Shape{3}}, .outputs = {Shape{}}});
  CHECK(out.output_shapes[0] == Shape{});
  CHECK(out.sizes == Dims{3, 1});
  CHECK(shape_error({.layout = kMatmul, .inputs = {Shape{2, 3}, Shape{}}}) ==
        "f: input 1 (b) of shape () has 0 dimensions, its core (k,m?) needs 1");
  // A fixed size of 1 is what a missing dimension counts as; another one is not there.
  CHECK(shape_of({.layout = "(1?)->(1?)", .inputs = {Shape{}}}).output_shapes[0] == Shape{});
  CHECK(shape_of({.layout = "(3?)->(3?)", .inputs = {Shape{3}}}).output_shapes[0] == Shape{3});
  CHECK(shape_error({.layout = "(3?)->(3?)", .inputs = {Shape{}}}) ==
        "f: input 0 (a) of shape () has 0 dimensions, its core (3?) needs 1: a missing dimension counts as 1, the layout "
        "(3?)->(3?) fixes it at 3");
  CHECK(shape_error({.layout = "(3?),(3?)->()", .inputs = {Shape{3}, Shape{}}}) ==
        "f: input 1 (b) of shape () has 0 dimensions, its core (3?) needs 1: a missing dimension counts as 1, the layout "
        "(3?),(3?)->() fixes it at 3");
  CHECK(shape_error({.layout = "(n)->(3?)", .inputs = {Shape{2}}, .outputs = {Shape{}}}) ==
        "f: output 0 (b) of shape () has 0 dimensions, its core (3?) needs 1: a missing dimension counts as 1, the layout "
        "(n)->(3?) fixes it at 3");
  // No more than must be: the first is left out, the second is not.
  CHECK(shape_of({.layout = "(m?,n?,k)->(m?,n?)", .inputs = {Shape{4, 5}}}).output_shapes[0] == Shape{4});
}

TEST_CASE("dimensions that stretch") {
  constexpr std::string_view kEqual = "(n|1),(n|1)->()";
  const CoreShape first = shape_of({.layout = kEqual, .inputs = {Shape{2, 1}, Shape{5}}});
  CHECK(first.sizes == Dims{5});
  CHECK(first.operands[0].core == Dims{-1});
  CHECK(first.operands[1].core == Dims{0});
  CHECK(first.output_shapes[0] == Shape{2});
  CHECK(shape_of({.layout = kEqual, .inputs = {Shape{5}, Shape{1}}}).operands[1].core == Dims{-1});
  CHECK(shape_of({.layout = kEqual, .inputs = {Shape{1}, Shape{1}}}).operands[0].core == Dims{0});
  CHECK(shape_of({.layout = kEqual, .inputs = {Shape{1}, Shape{0}}}).sizes == Dims{0});
  CHECK(shape_of({.layout = "(n|1,n|1)->(n)", .inputs = {Shape{1, 4}}}).output_shapes[0] == Shape{4});
  CHECK(shape_of({.layout = "(3|1)->(3)", .inputs = {Shape{1}}}).output_shapes[0] == Shape{3});
  CHECK(shape_of({.layout = "(n?|1),(n?|1)->(n?)", .inputs = {Shape{}, Shape{4}}}).output_shapes[0] == Shape{4});
  CHECK(shape_error({.layout = kEqual, .inputs = {Shape{2}, Shape{3}}}) ==
        "f: input 1 (b) of shape (3,) has 3 along core dimension n, input 0 (a) of shape (2,) has 2; they must be equal or 1");
  CHECK(shape_error({.layout = "(3|1)->(3)", .inputs = {Shape{2}}}) ==
        "f: input 0 (a) of shape (2,) has 2 along core dimension 3, the layout (3|1)->(3) fixes it at 3; they must be equal or "
        "1");
  CHECK(shape_error({.layout = "(1|1)->()", .inputs = {Shape{2}}}).find("fixes it at 1") != std::string::npos);
  // An output has the whole dimension.
  CHECK(shape_error({.layout = "(n|1),(n|1)->(n)", .inputs = {Shape{1}, Shape{3}}, .outputs = {Shape{1}}}) ==
        "f: output 0 (c) of shape (1,) has 1 along core dimension n, input 1 (b) of shape (3,) has 3");
}

TEST_CASE("a dimension that stretches in one input and not in another") {
  // The layout of CuPy's own test.
  constexpr std::string_view kMixed = "(i|1,j|1),(i|1,j)->(i,j)";
  const CoreShape wide = shape_of({.layout = kMixed, .inputs = {Shape{2, 1}, Shape{2, 3}}});
  CHECK(wide.output_shapes[0] == Shape{2, 3});
  CHECK(wide.operands[0].core == Dims{0, -1});
  CHECK(wide.operands[1].core == Dims{0, 1});
  CHECK(shape_of({.layout = kMixed, .inputs = {Shape{1, 1}, Shape{2, 1}}}).output_shapes[0] == Shape{2, 1});
  CHECK(shape_of({.layout = kMixed, .inputs = {Shape{2, 3}, Shape{1, 3}}}).output_shapes[0] == Shape{2, 3});
  CHECK(shape_of({.layout = kMixed, .inputs = {Shape{1, 1}, Shape{1, 1}}}).output_shapes[0] == Shape{1, 1});
  CHECK(shape_error({.layout = kMixed, .inputs = {Shape{2, 3}, Shape{2, 1}}}) ==
        "f: input 1 (b) of shape (2, 1) has 1 along core dimension j, input 0 (a) of shape (2, 3) has 3; only where the layout "
        "has \"j|1\" does 1 broadcast, and input 1 (b) has it not");

  // An extent of 1 without the mark is the size, wherever it stands.
  CHECK(shape_error({.layout = "(n),(n|1)->()", .inputs = {Shape{1}, Shape{3}}}) ==
        "f: input 1 (b) of shape (3,) has 3 along core dimension n, input 0 (a) of shape (1,) has 1; only where the layout has "
        "\"n|1\" does 1 broadcast, and input 0 (a) has it not");
  CHECK(shape_error({.layout = "(n|1),(n),(n|1)->()", .inputs = {Shape{1}, Shape{1}, Shape{3}}}) ==
        "f: input 2 (c) of shape (3,) has 3 along core dimension n, input 1 (b) of shape (1,) has 1; only where the layout has "
        "\"n|1\" does 1 broadcast, and input 1 (b) has it not");
  CHECK(shape_error({.layout = "(n|1),(n)->()", .inputs = {Shape{3}, Shape{2}}}) ==
        "f: input 1 (b) of shape (2,) has 2 along core dimension n, input 0 (a) of shape (3,) has 3");
  CHECK(shape_error({.layout = "(n),(n|1)->()", .inputs = {Shape{3}, Shape{2}}}) ==
        "f: input 1 (b) of shape (2,) has 2 along core dimension n, input 0 (a) of shape (3,) has 3; they must be equal or 1");
  CHECK(shape_of({.layout = "(n|1),(n)->(n)", .inputs = {Shape{1}, Shape{0}}}).output_shapes[0] == Shape{0});
  CHECK(shape_of({.layout = "(n|1,n)->(n)", .inputs = {Shape{1, 4}}}).output_shapes[0] == Shape{4});
  CHECK(shape_of({.layout = "(3|1),(3)->(3)", .inputs = {Shape{1}, Shape{3}}}).output_shapes[0] == Shape{3});
  CHECK(shape_error({.layout = "(3|1),(3)->(3)", .inputs = {Shape{3}, Shape{1}}}).find("input 1 (b) has it not") !=
        std::string::npos);
  // All extents are 1: the size is, and an output has no say.
  CHECK(shape_error({.layout = "(n|1)->(n)", .inputs = {Shape{1}}, .outputs = {Shape{5}}}) ==
        "f: output 0 (b) of shape (5,) has 5 along core dimension n, input 0 (a) of shape (1,) has 1");
}

TEST_CASE("core dimensions of outputs alone: out, a fixed size or a size rule decides them") {
  CHECK(shape_of({.layout = "(n,d)->(p)", .inputs = {Shape{4, 3, 2}}, .outputs = {Shape{4, 9}}}).sizes == Dims{3, 2, 9});
  CHECK(shape_of({.layout = "(n)->(4)", .inputs = {Shape{2, 3}}}).output_shapes[0] == Shape{2, 4});
  const Call rule{.layout = "(m),(n)->(p)", .inputs = {Shape{2, 5}, Shape{4}}, .sizes = "p = m + n - 1"};
  CHECK(shape_of(rule).output_shapes[0] == Shape{2, 8});
  // One output tells the other's.
  CHECK(shape_of({.layout = "(n)->(p),(p)", .inputs = {Shape{3}}, .outputs = {std::nullopt, Shape{7}}}).output_shapes[0] ==
        Shape{7});

  CHECK(shape_error({.layout = "(n,d)->(p)", .inputs = {Shape{3, 2}}}) ==
        "f: nothing decides core dimension p of output 0 (b): give .out, or a size rule in the definition: .sizes = \"p = …\"");
  CHECK(shape_error(
            {.layout = "(m),(n)->(p)", .inputs = {Shape{5}, Shape{4}}, .outputs = {Shape{9}}, .sizes = "p = m + n - 1"}) ==
        "f: output 0 (c) of shape (9,) has 9 along core dimension p, the size rule \"p = m + n - 1\" gives 8");
  CHECK(shape_error({.layout = "(m),(n)->(p)", .inputs = {Shape{2}, Shape{5}}, .sizes = "p = m - n + 1"}) ==
        "f: the size rule \"p = m - n + 1\" gives -2 with m = 2, n = 5; a size is 0 or more");
  CHECK(shape_error({.layout = "(n)->(4)", .inputs = {Shape{3}}, .outputs = {Shape{3}}}) ==
        "f: output 0 (b) of shape (3,) has 3 along core dimension 4, the layout (n)->(4) fixes it at 4");
  CHECK(shape_of({.layout = "(m),(n)->(p)", .inputs = {Shape{2}, Shape{3}}, .sizes = "p = m - n + 1"}).output_shapes[0] ==
        Shape{0});
}

TEST_CASE("errors of the number of dimensions and of core sizes") {
  constexpr std::string_view kMatmul = "(m,n),(n,p)->(m,p)";
  CHECK(shape_error({.layout = kMatmul, .inputs = {Shape{2, 3}, Shape{3}}}) ==
        "f: input 1 (b) of shape (3,) has 1 dimension, its core (n,p) needs 2");
  CHECK(shape_error({.layout = kMatmul, .inputs = {Shape{2, 3}, Shape{4, 5}}}) ==
        "f: input 1 (b) of shape (4, 5) has 4 along core dimension n, input 0 (a) of shape (2, 3) has 3");
  // 1 does not broadcast along a core dimension.
  CHECK(shape_error({.layout = kMatmul, .inputs = {Shape{2, 3}, Shape{1, 5}}}) ==
        "f: input 1 (b) of shape (1, 5) has 1 along core dimension n, input 0 (a) of shape (2, 3) has 3");
  CHECK(shape_error({.layout = kMatmul, .inputs = {Shape{2, 3}, Shape{3, 5}}, .outputs = {Shape{5}}}) ==
        "f: output 0 (c) of shape (5,) has 1 dimension, its core (m,p) needs 2");
  CHECK(shape_error({.layout = kMatmul, .inputs = {Shape{2, 3}, Shape{3, 5}}, .outputs = {Shape{2, 4}}}) ==
        "f: output 0 (c) of shape (2, 4) has 4 along core dimension p, input 1 (b) of shape (3, 5) has 5");
  CHECK(shape_error({.layout = "(3),(3)->(3)", .inputs = {Shape{3}, Shape{5, 2}}}) ==
        "f: input 1 (b) of shape (5, 2) has 2 along core dimension 3, the layout (3),(3)->(3) fixes it at 3");
  // Too few dimensions of the second come before the sizes of the first.
  CHECK(shape_error({.layout = "(3),(3)->(3)", .inputs = {Shape{2}, Shape{}}}).find("has 0 dimensions") != std::string::npos);
  // And sizes before loop dimensions.
  CHECK(shape_error({.layout = kMatmul, .inputs = {Shape{2, 2, 3}, Shape{3, 4, 5}}}).find("core dimension n") !=
        std::string::npos);
}

TEST_CASE("errors of loop dimensions and of out") {
  constexpr std::string_view kInner = "(n),(n)->()";
  CHECK(shape_error({.layout = kInner, .inputs = {Shape{2, 3}, Shape{4, 3}}}) ==
        "f: loop dimensions do not broadcast: input 0 (a) (2,) of (2, 3), input 1 (b) (4,) of (4, 3); "
        "extents must be equal or 1, counted from the last loop dimension");
  CHECK(shape_error({.layout = "(n),()->(n)", .inputs = {Shape{2, 3}, Shape{4}}}) ==
        "f: loop dimensions do not broadcast: input 0 (a) (2,) of (2, 3), input 1 (b) (4,); "
        "extents must be equal or 1, counted from the last loop dimension");
  // out enlarges the loop, and is never broadcast.
  CHECK(shape_of({.layout = kInner, .inputs = {Shape{3}, Shape{3}}, .outputs = {Shape{5, 2}}}).loop == Shape{5, 2});
  CHECK(shape_error({.layout = kInner, .inputs = {Shape{2, 3}, Shape{2, 3}}, .outputs = {Shape{1}}}) ==
        "f: output 0 (c) has shape (1,), the result has shape (2,); .out is never broadcast");
  CHECK(shape_error({.layout = kInner, .inputs = {Shape{2, 3}, Shape{4, 1, 3}}, .outputs = {Shape{2}}}) ==
        "f: output 0 (c) has shape (2,), the result has 2 dimensions; .out is never broadcast");
  CHECK(shape_error({.layout = kInner, .inputs = {Shape{2, 3}, Shape{2, 3}}, .outputs = {Shape{3}}}) ==
        "f: loop dimensions do not broadcast: input 0 (a) (2,) of (2, 3), input 1 (b) (2,) of (2, 3), output 0 (c) (3,); "
        "extents must be equal or 1, counted from the last loop dimension");
  CHECK(shape_error({.layout = "(n)->(),()", .inputs = {Shape{3}}, .outputs = {Shape{2}, Shape{}}}) ==
        "f: output 1 (c) has shape (), the result has 1 dimension; .out is never broadcast");
}

TEST_CASE("where takes part in the loop, and enlarges an allocated result alone") {
  const CoreShape shape = shape_of({.layout = "(n)->()", .inputs = {Shape{2, 9}}, .where = Shape{4, 1}});
  CHECK(shape.loop == Shape{4, 2});
  CHECK(shape.output_shapes[0] == Shape{4, 2});
  CHECK(shape.where.loop == Dims{0, -1});
  CHECK(shape_of({.layout = "(n)->()", .inputs = {Shape{2, 9}}, .where = Shape{}}).where.loop == Dims{-1});
  CHECK(shape_error({.layout = "(n)->()", .inputs = {Shape{2, 9}}, .outputs = {Shape{2}}, .where = Shape{4, 1}}) ==
        "f: output 0 (b) has shape (2,), the result has 2 dimensions; .out is never broadcast");
  CHECK(shape_error({.layout = "(n)->()", .inputs = {Shape{2, 9}}, .where = Shape{9}}) ==
        "f: loop dimensions do not broadcast: input 0 (a) (2,) of (2, 9), .where (9,); "
        "extents must be equal or 1, counted from the last loop dimension");
}

TEST_CASE("axes: where the core dimensions stand, in outputs as well") {
  constexpr std::string_view kMatmul = "(m,n),(n,p)->(m,p)";
  const Call call{.layout = kMatmul, .inputs = {Shape{2, 5, 3}, Shape{3, 7, 5}}, .axes = {{0, 2}, {-3, 1}, {-1, 0}}};
  const CoreShape shape = shape_of(call);
  CHECK(shape.loop == Shape{5});
  CHECK(shape.sizes == Dims{2, 3, 7});
  CHECK(shape.output_shapes[0] == Shape{7, 5, 2});
  CHECK(shape.operands[0].loop == Dims{1});
  CHECK(shape.operands[0].core == Dims{0, 2});
  CHECK(shape.operands[1].core == Dims{0, 1});
  CHECK(shape.operands[2].core == Dims{2, 0});
  check_consistent(call, shape);
  // Left out for outputs that have none.
  CHECK(shape_of({.layout = "(n),(n)->()", .inputs = {Shape{3, 4}, Shape{4, 3}}, .axes = {{0}, {1}}}).output_shapes[0] ==
        Shape{4});
}

TEST_CASE("errors of axes") {
  constexpr std::string_view kMatmul = "(m,n),(n,p)->(m,p)";
  const Shapes squares = {Shape{2, 3, 3}, Shape{2, 3, 3}};
  CHECK(shape_error({.layout = kMatmul, .inputs = squares, .axes = {{0, 1}, {0, 1}}}) ==
        "f: .axes has 2 entries; give one for each of the 3 inputs and outputs");
  CHECK(shape_error({.layout = "(n),(n)->()", .inputs = squares, .axes = {{0}}}) ==
        "f: .axes has 1 entry; give one for each of the 3 inputs and outputs, or of the 2 inputs alone");
  CHECK(shape_error({.layout = kMatmul, .inputs = squares, .axes = {{0, 1}, {0}, {0, 1}}}) ==
        "f: entry 1 of .axes has 1 axis; give 2 for input 1 (b) of shape (2, 3, 3), whose core is (n,p)");
  CHECK(shape_error({.layout = kMatmul, .inputs = squares, .axes = {{0, 1}, {0, 3}, {0, 1}}}) ==
        "f: .axes: axis 3 does not exist in input 1 (b) of shape (2, 3, 3); give -3 to 2");
  CHECK(shape_error({.layout = kMatmul, .inputs = squares, .axes = {{1, 2}, {1, 2}, {-4, 1}}}) ==
        "f: .axes: axis -4 does not exist in output 0 (c) of 3 dimensions; give -3 to 2");
  CHECK(shape_error({.layout = kMatmul, .inputs = squares, .axes = {{1, -2}, {1, 2}, {0, 1}}}) ==
        "f: entry 0 of .axes names axis 1 of input 0 (a) of shape (2, 3, 3) twice");
  CHECK(shape_error({.layout = "(n)->()", .inputs = {Shape{3}}, .axes = {{0}, {0}}}) ==
        "f: entry 1 of .axes has 1 axis; give 0 for output 0 (b), whose core is ()");
}

TEST_CASE("axis: one core dimension that the operands share") {
  CHECK(shape_of({.layout = "(n)->(n)", .inputs = {Shape{2, 3, 4}}, .axis = 0}).output_shapes[0] == Shape{2, 3, 4});
  const CoreShape inner = shape_of({.layout = "(n),(n)->()", .inputs = {Shape{2, 3, 4}, Shape{2}}, .axis = 0});
  CHECK(inner.output_shapes[0] == Shape{3, 4});
  CHECK(inner.operands[0].core == Dims{0});
  CHECK(inner.operands[0].loop == Dims{1, 2});
  CHECK(inner.operands[1].loop == Dims{-1, -1});
  CHECK(shape_error({.layout = "(n),(n)->()", .inputs = {Shape{2, 3}, Shape{2}}, .axis = 1}) ==
        "f: .axis 1 does not exist in input 1 (b) of shape (2,); give -1 to 0");
  CHECK(type_error({.layout = "(m,n)->()", .inputs = {Shape{2, 3}}, .axis = 1}) ==
        "f: .axis wants one core dimension that the operands share; (m,n)->() has others: give .axes");
  CHECK(type_error({.layout = "(n,n)->()", .inputs = {Shape{2, 2}}, .axis = 1}).find("wants one core dimension") !=
        std::string::npos);
  CHECK(type_error({.layout = "()->()", .inputs = {Shape{2}}, .axis = 0}).find("wants one core dimension") !=
        std::string::npos);
  CHECK(type_error({.layout = "(n)->()", .inputs = {Shape{2}}, .axes = {{0}}, .axis = 0}) ==
        "f: .axis and .axes are both given; give .axes alone, it says the same and more");
}

TEST_CASE("keepdims leaves the core dimensions of the inputs, with extent 1") {
  const Call call{.layout = "(n),(n)->()", .inputs = {Shape{2, 3, 4}, Shape{4}}, .keepdims = true};
  const CoreShape shape = shape_of(call);
  CHECK(shape.output_shapes[0] == Shape{2, 3, 1});
  CHECK(shape.operands[2].core.empty());
  CHECK(shape.operands[2].loop == Dims{0, 1});
  check_consistent(call, shape);
  CHECK(shape_of({.layout = "(m,m)->(),()", .inputs = {Shape{5, 3, 3}}, .keepdims = true}).output_shapes ==
        std::vector<Shape>{Shape{5, 1, 1}, Shape{5, 1, 1}});
  CHECK(shape_of({.layout = "(n),(n)->()", .inputs = {Shape{2, 3, 4}, Shape{2, 3, 4}}, .axis = 0, .keepdims = true})
            .output_shapes[0] == Shape{1, 3, 4});
  const Shapes two = {Shape{2, 3, 4}, Shape{2, 3, 4}};
  CHECK(shape_of({.layout = "(n),(n)->()", .inputs = two, .axes = {{0}, {0}, {1}}, .keepdims = true}).output_shapes[0] ==
        Shape{3, 1, 4});
  CHECK(shape_of({.layout = "(n),(n)->()", .inputs = two, .axes = {{0}, {0}}, .keepdims = true}).output_shapes[0] ==
        Shape{3, 4, 1});
  // What a '?' leaves out is not there to be kept.
  CHECK(shape_of({.layout = "(n?)->()", .inputs = {Shape{}}, .keepdims = true}).output_shapes[0] == Shape{});
  CHECK(shape_of({.layout = "(n?)->()", .inputs = {Shape{4}}, .keepdims = true}).output_shapes[0] == Shape{1});

  CHECK(shape_error({.layout = "(n),(n)->()", .inputs = two, .outputs = {Shape{2, 3, 2}}, .keepdims = true}) ==
        "f: output 0 (c) of shape (2, 3, 2) has 2 along axis 2, where keepdims leaves 1");
  CHECK(shape_error({.layout = "(n)->()", .inputs = {Shape{3}}, .outputs = {Shape{}}, .keepdims = true}) ==
        "f: output 0 (b) of shape () has 0 dimensions, keepdims leaves 1");
  CHECK(shape_error({.layout = "(n)->()", .inputs = {Shape{3}}, .axes = {{0}, {}}, .keepdims = true}) ==
        "f: entry 1 of .axes has 0 axes; give 1 for output 0 (b) with .keepdims");
  CHECK(type_error({.layout = "(m,n),(n,p)->(m,p)", .inputs = two, .keepdims = true}) ==
        "f: .keepdims wants equally many core dimensions on all inputs and none on the outputs; in (m,n),(n,p)->(m,p) "
        "output 0 (c) has 2 instead of 0");
  CHECK(type_error({.layout = "(m,n),(n)->()", .inputs = two, .keepdims = true}) ==
        "f: .keepdims wants equally many core dimensions on all inputs and none on the outputs; in (m,n),(n)->() "
        "input 1 (b) has 1 instead of 2");
}

TEST_CASE("extents of 0 broadcast with 1 only, and are sizes like any other") {
  CHECK(shape_of({.layout = "(n),(n)->()", .inputs = {Shape{0, 3}, Shape{1, 3}}}).loop == Shape{0});
  CHECK(shape_of({.layout = "(n),(n)->()", .inputs = {Shape{2, 0}, Shape{0}}}).output_shapes[0] == Shape{2});
  CHECK(shape_error({.layout = "(n),(n)->()", .inputs = {Shape{0, 3}, Shape{2, 3}}}).find("do not broadcast") !=
        std::string::npos);
}

namespace {

std::vector<std::string> split(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find(between, begin)) != std::string::npos; begin = end + between.size()) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<Shape> read_shape(const std::string& text) {
  if (text == "_") return std::nullopt;
  Shape shape;
  if (text == ".") return shape;
  for (const std::string& extent : split(text, "x")) shape.push_back(std::stoll(extent));
  return shape;
}

/// What is known of the error from its words.
std::string kind_of(const std::string& message) {
  const auto has = [&](const char* text) { return message.find(text) != std::string::npos; };
  if (has("has 0 dimensions,") || has("dimensions, its core") || has("dimension, its core") || has("keepdims leaves ")) {
    return has("where keepdims leaves") ? "loop" : "dimensions";
  }
  if (has(".axes") || has(".axis")) return "axes";
  if (has("along core dimension")) return "core";
  if (has("nothing decides")) return "unresolved";
  if (has("never broadcast") || has("do not broadcast")) return "loop";
  return "of no known kind: " + message;
}

}  // namespace

TEST_CASE("shapes are those of NumPy's own gufuncs, and so is the check that fails first") {
  std::ifstream file(kiln::test::golden_text("core_shapes.txt"));
  REQUIRE(file);
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    CAPTURE(line);
    const std::vector<std::string> fields = split(line, " | ");
    REQUIRE(fields.size() == 7);
    Call call{.layout = fields[0], .inputs = {}};
    for (const auto& text : split(fields[1], " ")) call.inputs.push_back(read_shape(text));
    for (const auto& text : split(fields[2], " ")) call.outputs.push_back(read_shape(text));
    if (fields[3] != "_") {
      for (const std::string& entry : split(fields[3], " ")) {
        call.axes.emplace_back();
        if (entry == ".") continue;
        for (const std::string& axis : split(entry, ",")) call.axes.back().push_back(std::stoi(axis));
      }
    }
    if (fields[4] != "_") call.axis = std::stoi(fields[4]);
    call.keepdims = fields[5] == "1";

    std::string got;
    try {
      const CoreShape shape = shape_of(call);
      check_consistent(call, shape);
      for (const Shape& output : shape.output_shapes) {
        std::string text;
        for (const std::int64_t extent : output) text += (text.empty() ? "" : "x") + std::to_string(extent);
        got += (got.empty() ? "" : " ") + (text.empty() ? "." : text);
      }
    } catch (const kiln::TypeError&) {
      got = "error option";
    } catch (const kiln::ShapeError& error) {
      got = "error " + kind_of(error.what());
    }
    CHECK(got == fields[6]);
    ++cases;
  }
  CHECK(cases >= 1500);
}
