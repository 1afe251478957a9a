#include "fft/on_gpu.hpp"

#include <doctest/doctest.h>

using namespace kiln;
using fft::Axis;
using fft::executions;
using fft::FftKind;

namespace {

// Of host arrays: how they lie is all that is looked at.
Array complex_array(const Shape& shape) {
  return Array::empty(shape, DType::complex64);
}

}  // namespace

TEST_CASE("fft on gpus: the last axis of a packed array is one execution") {
  const Array a = complex_array({4, 5, 8});
  const Axis axes[] = {{2, 8}};
  const auto found = executions(FftKind::complex, axes, a, a);
  REQUIRE(found);
  CHECK(found->loops.empty());
  CHECK(found->layout.batch == 20);
  CHECK(found->layout.in.stride == 1);
  CHECK(found->layout.in.distance == 8);
}

TEST_CASE("fft on gpus: the first axis is one execution of columns") {
  const Array a = complex_array({4, 5, 8});
  const Axis axes[] = {{0, 4}};
  const auto found = executions(FftKind::complex, axes, a, a);
  REQUIRE(found);
  CHECK(found->loops.empty());
  CHECK(found->layout.batch == 40);
  CHECK(found->layout.in.stride == 40);
  CHECK(found->layout.in.distance == 1);
}

TEST_CASE("fft on gpus: an axis in the middle is several, along the shorter of the others") {
  const Array a = complex_array({4, 5, 8});
  const Axis axes[] = {{1, 5}};
  const auto found = executions(FftKind::complex, axes, a, a);
  REQUIRE(found);
  CHECK(found->layout.batch == 8);
  CHECK(found->layout.in.stride == 8);
  REQUIRE(found->loops.size() == 1);
  CHECK(found->loops[0].count == 4);
  CHECK(found->loops[0].in == 40 * 8);
}

TEST_CASE("fft on gpus: rows of a wider array, halved") {
  const Array wide = Array::empty({3, 6, 10}, DType::float64);
  const Array a = wide[{all, all, Slice{0, 8}}];
  const Array to = Array::empty({3, 6, 5}, DType::complex128);
  const Axis axes[] = {{1, 6}, {2, 8}};
  const auto found = executions(FftKind::real_to_complex, axes, a, to);
  REQUIRE(found);
  CHECK_FALSE(found->layout.single);
  CHECK(found->layout.n == std::array<std::int64_t, 3>{6, 8, 1});
  CHECK(found->layout.in.embed[1] == 10);
  CHECK(found->layout.in.distance == 60);
  CHECK(found->layout.out.embed[1] == 5);
  CHECK(found->layout.out.distance == 30);
  CHECK(found->layout.batch == 3);
}

TEST_CASE("fft on gpus: what the libraries cannot express") {
  const Array a = complex_array({4, 6});
  const Axis row[] = {{1, 6}};
  CHECK_FALSE(executions(FftKind::complex, row, a[{all, Slice{.step = -1}}], a));
  const Axis both[] = {{0, 4}, {1, 6}};
  CHECK_FALSE(executions(FftKind::complex, both, a, a.copy(Order::fortran)));  // the axes the other way round
  const Array apart = complex_array({4, 15})[{all, Slice{0, 12, 2}}];
  CHECK_FALSE(executions(FftKind::complex, both, apart, a));  // rows 15 apart, elements 2
  // A batch that runs backwards is one execution for each.
  const auto backwards = executions(FftKind::complex, row, a[{Slice{.step = -1}, all}], a);
  REQUIRE(backwards);
  CHECK(backwards->layout.batch == 1);
  CHECK(backwards->loops.size() == 1);
}
