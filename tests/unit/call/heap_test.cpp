// A repeated call takes nothing from the heap.
#include <doctest/doctest.h>

#include <cstddef>

#include "base/have_cpu.hpp"
#include "base/sanitizer.hpp"
#include "kiln/c/kiln.h"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "kiln/reduction.hpp"

// Sanitizers have their own operator new.
#if KILN_HAVE_CPU && !defined(KILN_SANITIZED)

#include "support/own_new.hpp"

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

void kiln::test::before_allocation() {
  ++allocations;
}

namespace {

using namespace kiln;

template <class Call>
std::size_t allocations_of(const Call& call) {
  call();
  call();
  const std::size_t before = allocations;
  call();
  return allocations - before;
}

Array on_cpu(const Shape& shape) {
  return to_device(Array::full(shape, 1.0F), Device::cpu());
}

}  // namespace

TEST_CASE("call: a repeated call with .out takes nothing from the heap, whatever its kind") {
  const Array row = on_cpu({7});
  const Array columns = on_cpu({5, 7}).transpose();
  const Array one = on_cpu({});
  const Array mask = to_device(Array::full({7}, true), Device::cpu());
  const CallOptions to_row{.out = row};
  CHECK(allocations_of([&] { math::add(row, row, to_row); }) == 0);
  const Array line = on_cpu({7, 5});
  const CallOptions to_line{.out = line};
  CHECK(allocations_of([&] { math::add(columns, 2.0F, to_line); }) == 0);
  const CallOptions where{.out = row, .where = mask};
  CHECK(allocations_of([&] { math::add(row, row, where); }) == 0);

  const ReduceOptions to_one{.out = one};
  CHECK(allocations_of([&] { static_cast<void>(math::add.reduce(row, to_one)); }) == 0);
  const Reduction sum =
      reduction({.name = "sum", .signatures = {"float32(float32 x)"}, .reduce = "return a + b;", .identity = "0"});
  const ReductionOptions into{.out = one};
  CHECK(allocations_of([&] { sum(row, into); }) == 0);

  const Gufunc dot = guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 r)",
                                 "float32 s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); r = s;");
  const GufuncOptions result{.out = one};
  CHECK(allocations_of([&] { dot(row, row, result); }) == 0);
  const GufuncOptions rows{.out = row};
  CHECK(allocations_of([&] { dot(columns, columns, rows); }) == 0);

  // Nor does a call on memory of the caller's, which is described anew each time.
  float x[6] = {1, 2, 3, 4, 5, 6};
  const std::int64_t shape[] = {2, 3};
  CHECK(allocations_of([&] {
          const ArrayRef of_x{.data = x, .dtype = DType::float32, .shape = shape};
          const Arg both[] = {of_x, of_x};
          const CallOptions in_place{.out = of_x};
          math::add.ufunc().call(both, &in_place, {});
        }) == 0);

  // Nor does a call of C.
  kiln_function* add = nullptr;
  REQUIRE(kiln_function_math(&add, "add", KILN_NUL, nullptr) == KILN_OK);
  CHECK(allocations_of([&] {
          const kiln_array_info of_x = kiln_memory(x, KILN_FLOAT, 32, 2, shape);
          const kiln_arg inputs[] = {kiln_memory_arg(&of_x), kiln_f64(1)};
          kiln_arg output = kiln_memory_arg(&of_x);
          if (kiln_call(add, &output, 1, inputs, 2, nullptr, nullptr) != KILN_OK) ++allocations;
        }) == 0);
  kiln_function_release(add);

  const RawKernel fill = kernel({.name = "fill", .signature = "void(T[:] y)", .body = "y[item] = 1;"});
  CHECK(allocations_of([&] { fill({.size = 7}, row); }) == 0);
}

#endif
