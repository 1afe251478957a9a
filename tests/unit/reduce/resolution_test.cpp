// How a reduction would walk its inputs.
#include <doctest/doctest.h>

#include "base/have_cpu.hpp"
#include "kiln/reduction.hpp"

#if KILN_HAVE_CPU

TEST_CASE("reductions: resolve tells how inputs lie along what is reduced") {
  using kiln::Array;
  using kiln::DType;
  const kiln::Reduction sum =
      kiln::reduction({.name = "sum", .signatures = {"T(T x)"}, .reduce = "return a + b;", .identity = "0"});
  const Array x = to_device(Array::zeros({4, 5}, DType::float32), kiln::Device::cpu());
  const auto variant = [&](const Array& array, int axis) { return sum.resolve({array}, {.axis = axis}).variant; };
  CHECK(variant(x, 1) == "contiguous");
  CHECK(variant(x, 0) == "columns");
  CHECK(variant(x.transpose(), 1) == "columns");
  CHECK(variant(x[{kiln::all, kiln::Slice{.step = 2}}], 1) == "strided");
  CHECK(variant(Array::zeros({0, 5}, DType::float32), 0) == "empty");
  CHECK(variant(Array::full({1}, 2.0F).broadcast_to({4, 5}), 1) == "contiguous");
}

#endif
