// What a resolution says of the kernel of a reduction, on every device.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/reduction.hpp"

using kiln::Array;
using kiln::DType;

TEST_CASE("resolve: the layouts of reductions") {
  const kiln::Reduction mean = kiln::reduction({.name = "mean",
                                                .signatures = {"float64(float64 x)"},
                                                .accumulator = "float64 n, sum;",
                                                .map = "return {1, x};",
                                                .reduce = "return {a.n + b.n, a.sum + b.sum};",
                                                .post = "return a.sum / a.n;",
                                                .identity = "{0, 0}"});
  const kiln::Reduction last = kiln::reduction({.name = "last",
                                                .signatures = {"int64(T x)"},
                                                .accumulator = "T best; int64 at;",
                                                .map = "return {x, i};",
                                                .reduce = "return b.best < a.best || b.at < a.at ? a : b;",
                                                .post = "return a.at;",
                                                .identity = "{0, -1}"});
  const Array x = Array::zeros({4, 5}, DType::float32);
  const Array every_second = x[{kiln::all, kiln::Slice{.step = 2}}];
  const struct {
    const kiln::Reduction& reduction;
    Array array;
    kiln::Axes axis;
    std::string variant;
  } rows[] = {{mean, x, 1, "contiguous"},
              {mean, x, 0, "columns"},
              {last, every_second, 1, "strided"},
              {mean, Array::zeros({0}, DType::float32), kiln::all_axes, "empty"}};
  for (const kiln::Device& device : kiln::Device::all()) {
    INFO(kiln::to_string(device));
    const kiln::Stream stream(device);
    for (const auto& row : rows) {
      CHECK(row.reduction.resolve({row.array}, {.axis = row.axis, .stream = stream}).variant == row.variant);
      const std::vector<kiln::Arg> args{row.array};
      CHECK(row.reduction.resolve(args, {.axis = row.axis, .stream = stream}).variant == row.variant);
    }
  }
}
