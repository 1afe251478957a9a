// What a resolution says of a ufunc's kernel, on every device.
#include <doctest/doctest.h>

#include "kiln/array.hpp"
#include "kiln/ufunc.hpp"

using kiln::Array;
using kiln::DType;

TEST_CASE("resolve: packed operands with casts and a mask are contiguous") {
  const kiln::Ufunc sum = kiln::vectorize({.name = "sum", .signatures = {"T(T a, T b)"}, .body = "return a + b;"});
  for (const kiln::Device& device : kiln::Device::all()) {
    INFO(kiln::to_string(device));
    const auto resolved = sum.resolve(
        {Array::zeros({3}, DType::int32), Array::zeros({3}, DType::float64)},
        {.out = Array::zeros({3}, DType::float32), .where = Array::zeros({3}, DType::bool_), .stream = kiln::Stream(device)});
    CHECK(resolved.variant == "contiguous");
  }
}
