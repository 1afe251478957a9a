// Ufunc::outer: every pair, against index arithmetic; scalars, options, errors.
#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "model.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Ufunc;

TEST_CASE("outer: random shapes and layouts against index arithmetic") {
  std::uint64_t stream = 700;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    for (int i = 0; i < 60; ++i) {
      const Extents first = random_loop_shape(static_cast<int>(source() % 4), 60, source);
      const Extents second = random_loop_shape(static_cast<int>(source() % 4), 60, source);
      const Operand a = random_operand(target, {.shape = first, .dtype = DType::int16}, source);
      const Operand b = random_operand(target, {.shape = second, .dtype = DType::int32}, source);
      const std::string what = "outer of " + text_of(first) + " strides " + to_string(a.view.strides()) + " and " +
                               text_of(second) + " strides " + to_string(b.view.strides()) + ", seed " + std::to_string(seed());
      INFO(what);
      const Array result = combine().outer(a.view, b.view, target.options());
      Extents shape = first;
      shape.insert(shape.end(), second.begin(), second.end());
      CHECK(result.shape() == shape_of(shape));
      CHECK(result.dtype() == DType::int32);
      std::vector<Exact> expected;
      for_each_index(shape, [&](const Extents& index) {
        const auto middle = index.begin() + static_cast<std::ptrdiff_t>(first.size());
        expected.push_back(3.0L * a.model.at({index.begin(), middle}) + b.model.at({middle, index.end()}));
      });
      CHECK(difference(read(target.fetch(result)), expected) == "");
    }
  });
}

TEST_CASE("outer: scalars, out in place of what it reads, forced loops") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::int32, {1, 2, 3}));
    CHECK(difference(read(target.fetch(combine().outer(a, 1, target.options()))), {4, 7, 10}) == "");
    CHECK(difference(read(target.fetch(combine().outer(2, a, target.options()))), {7, 8, 9}) == "");
    const Array both = target.place(make(DType::int32, {1, 2, 3, 4, 5, 6, 7, 8, 9}, kiln::Shape{3, 3}));
    kiln::CallOptions options = target.options({.out = both});
    const Array row = both[{0}];
    const Array result = kiln::math::subtract.outer(both[{kiln::all, 1}], row, options);
    CHECK(result.data() == both.data());
    CHECK(difference(read(target.fetch(both)), {1, 0, -1, 4, 3, 2, 7, 6, 5}) == "");
    options = target.options({.dtype = DType::float64});
    const Array forced = combine().outer(a, a, options);
    CHECK(forced.dtype() == DType::float64);
    CHECK(forced.shape() == kiln::Shape{3, 3});
  });
}

TEST_CASE("outer: what cannot be") {
  const Array a = Array::zeros({2}, DType::int32);
  CHECK(message_of<kiln::TypeError>([&] { kiln::math::negative.outer(a, a); }) ==
        "negative.outer: only a ufunc of two inputs and one output has outer; this one has 1 and 1");
  CHECK(message_of<kiln::TypeError>([&] { kiln::math::divmod.outer(a, a); }) ==
        "divmod.outer: only a ufunc of two inputs and one output has outer; this one has 2 and 2");
  CHECK(message_of<kiln::TypeError>([&] { kiln::math::add.outer(a, Array()); }) ==
        "add: input 1 (x2) is an empty Array handle, not an array");
  CHECK(message_of<kiln::ShapeError>([&] { kiln::math::add.outer(a, a, {.out = a}); }) ==
        "add: output 0 has shape (2,), the result has shape (2, 2); .out is never broadcast");
}
