// Which texts are operations that GPUs do in memory.
#include <doctest/doctest.h>

#include "kernel/kernel_text.hpp"
#include "kernel/scatter/text.hpp"

using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::kinds;

namespace {

Atomic of(const std::string& body, DType dtype) {
  const ScatterSpec spec{.target = {dtype, dtype}, .result = dtype, .value = OperandSpec{dtype, dtype}};
  return atomic_of({.name = "f", .body = body, .input_names = {"x", "y"}}, spec);
}

}  // namespace

TEST_CASE("atomic: bodies that are one operation") {
  CHECK(of("return x + y;", DType::float32) == Atomic::add);
  CHECK(of("return\n  y+x ;", DType::int64) == Atomic::add);
  CHECK(of("return wrapping_add(x, y);", DType::uint32) == Atomic::add);
  CHECK(of("return maximum(x, y);", DType::int32) == Atomic::maximum);
  CHECK(of("return min(y, x);", DType::uint64) == Atomic::minimum);
  CHECK(of("return x & y;", DType::int32) == Atomic::bit_and);
  CHECK(of("return x | y;", DType::int64) == Atomic::bit_or);
  CHECK(of("return x ^ y;", DType::uint32) == Atomic::bit_xor);
}

TEST_CASE("atomic: all else compares and swaps") {
  CHECK(of("return x - y;", DType::int32) == Atomic::none);
  CHECK(of("return x + x;", DType::int32) == Atomic::none);
  CHECK(of("return x + y + 1;", DType::int32) == Atomic::none);
  CHECK(of("return x + y", DType::int32) == Atomic::none);
  CHECK(of("return maximum(x, y);", DType::float32) == Atomic::none);  // NaN
  CHECK(of("return x + y;", DType::int16) == Atomic::none);
  CHECK(of("return x + y;", DType::complex64) == Atomic::none);
  CHECK(of("return x + y;", DType::bool_) == Atomic::none);
  CHECK(of("return max(x, y);", DType::int64) == Atomic::none);  // not in hipRTC 5.2
  // A text of its own may give the names another meaning.
  const ScatterSpec spec{
      .target = {DType::int32, DType::int32}, .result = DType::int32, .value = OperandSpec{DType::int32, DType::int32}};
  CHECK(atomic_of({.name = "f",
                   .body = "return max(x, y);",
                   .functions = "int max(int a, int) { return a; }",
                   .input_names = {"x", "y"}},
                  spec) == Atomic::none);
  ScatterSpec cast = spec;
  cast.value->storage = DType::int8;
  CHECK(atomic_of({.name = "f", .body = "return x + y;", .input_names = {"x", "y"}}, cast) == Atomic::none);
}
