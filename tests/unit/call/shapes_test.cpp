#include "call/shapes.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "support/message.hpp"

using namespace kiln;

namespace {

using kiln::test::message_of;

const auto name_of = [](std::size_t operand) { return "operand " + std::to_string(operand); };

Shape broadcast(const std::vector<Array>& arrays) {
  Shape shape;
  call::broadcast_all(std::string("f"), arrays.size(), [&](std::size_t i) { return arrays[i].rep().get(); }, name_of, shape);
  return shape;
}

std::string output_error(const Array& out, const Shape& shape) {
  const auto check = [&] { call::check_output([] { return std::string("f.g"); }, *out.rep(), shape, name_of, 2); };
  const std::string type = message_of<TypeError>([&] {
    try {
      check();
    } catch (const ShapeError&) {
    }
  });
  return type != "no error" ? type : message_of<ShapeError>(check);
}

}  // namespace

TEST_CASE("call: arrays broadcast to one shape; operands without one take no part") {
  CHECK(broadcast({Array::zeros({3, 1}, DType::int8), Array(), Array::zeros({4}, DType::int8)}) == Shape{3, 4});
  CHECK(broadcast({}) == Shape{});
  CHECK(broadcast({Array::zeros({0}, DType::int8), Array::zeros({1}, DType::int8)}) == Shape{0});
  CHECK(message_of<ShapeError>([] {
          broadcast(
              {Array::zeros({2, 3}, DType::int8), Array(), Array::zeros({2}, DType::int8), Array::zeros({7}, DType::int8)});
        }) ==
        "f: shapes do not broadcast: operand 0 (2, 3), operand 2 (2,); extents must be equal or 1, counted from the last axis");
}

TEST_CASE("call: an output is writable, of the result's shape, and its elements are distinct") {
  const Array out = Array::zeros({2, 3}, DType::float32);
  CHECK(output_error(out, {2, 3}) == "no error");
  CHECK(output_error(out.transpose(), {3, 2}) == "no error");
  CHECK(output_error(out.as_read_only(), {2, 3}) == "f.g: operand 2 is read-only; give a writable array as .out");
  CHECK(output_error(out, {1, 3}) == "f.g: operand 2 has shape (2, 3), the result has shape (1, 3); .out is never broadcast");
  detail::ArrayRep rep = detail::view_rep(out);
  rep.strides = {0, 4};
  CHECK(output_error(detail::make_array(std::move(rep)), {2, 3}) ==
        "f.g: elements of operand 2 share memory with one another; give an .out whose elements are distinct");
  CHECK(message_of<ShapeError>([] { call::fail_shared_outputs("f", "a", "b"); }) ==
        "f: a and b share memory; give outputs that do not overlap");
}
