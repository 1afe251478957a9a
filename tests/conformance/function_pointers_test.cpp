// Calls through pointers that differ between neighbouring items: of functions, lambdas, tables, members, virtual functions.
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;

namespace {

constexpr std::int64_t kItems = 1000;

constexpr const char* kFunctions = R"(
int32 inc(int32 x) { return x + 1; }
int32 dbl(int32 x) { return 2 * x; }
using function = int32 (*)(int32);
struct shape { virtual int32 of(int32 x) const = 0; };
struct longer : shape { int32 by; longer(int32 k) : by(k) {} int32 of(int32 x) const override { return x + by; } };
struct larger : shape { int32 of(int32 x) const override { return 2 * x; } };
struct number { int32 k; int32 more(int32 x) const { return x + k; } int32 twice(int32 x) const { return 2 * x; } };
)";

// Each takes one step: x is 1 more where it is odd, else twice as much.
constexpr const char* kSteps[] = {
    "x = (x & 1 ? inc : dbl)(x);",
    R"(function f = x & 1 ? function([](int32 v) -> int32 { return v + 1; }) : function([](int32 v) -> int32 { return 2 * v; });
       x = f(x);)",
    "const function all[2] = {dbl, inc}; x = all[x & 1](x);",
    "static const function all[4] = {dbl, inc, dbl, inc}; x = all[x & 3](x);",
    "const number one{1}; auto member = x & 1 ? &number::more : &number::twice; x = (one.*member)(x);",
    "const longer p(1); const larger q; const shape* s = x & 1 ? static_cast<const shape*>(&p) : &q; x = s->of(x);",
};

struct Numbers {
  std::vector<std::int32_t> a, b, results;
  Numbers() {
    for (std::int64_t i = 0; i < kItems; ++i) {
      a.push_back(static_cast<std::int32_t>(i * 7 % 23));
      b.push_back(static_cast<std::int32_t>(i * 5 % 101));
      std::int32_t x = b.back();
      for (std::int32_t k = 0; k < (a.back() & 7); ++k) x = (x % 2 != 0 ? x + 1 : 2 * x) % 4096;
      results.push_back(x);
    }
  }
};

std::string body(const char* step, const std::string& result) {
  return "int32 x = b; for (int32 k = 0; k < (a & 7); ++k) { " + std::string(step) + " x &= 4095; } " + result;
}

kiln::Gufunc cores(const char* each, const std::string& text) {
  return kiln::guvectorize({.name = "cores",
                            .layout = "(n),(n)->(n)",
                            .signatures = {"void(int32[:] A, int32[:] B, int32[:] y)"},
                            .each = each,
                            .body = text,
                            .compile = {.functions = kFunctions}});
}

}  // namespace

TEST_CASE("function pointers: one for each item of a ufunc, under a mask, too") {
  if (!kiln::Device::best().is_cpu()) return;
  const Numbers numbers;
  const Array a = Array::from(numbers.a);
  const Array b = Array::from(numbers.b);
  std::vector<std::uint8_t> on;
  std::vector<std::int32_t> some;
  for (std::size_t i = 0; i < numbers.results.size(); ++i) {
    on.push_back(i % 3 != 1 ? 1 : 0);
    some.push_back(on.back() != 0 ? numbers.results[i] : 77);
  }
  const Array where = Array::from(on).astype(DType::bool_);
  for (const char* const step : kSteps) {
    CAPTURE(std::string(step));
    const kiln::Ufunc f = kiln::vectorize({.name = "f",
                                           .signatures = {"int32(int32 a, int32 b)"},
                                           .body = body(step, "return x;"),
                                           .compile = {.functions = kFunctions}});
    CHECK(f(a, b).to_vector<std::int32_t>() == numbers.results);
    const Array out = Array::full({kItems}, 77).astype(DType::int32);
    f({a, b}, {.out = out, .where = where});
    CHECK(out.to_vector<std::int32_t>() == some);
  }
}

TEST_CASE("function pointers: one for each element of a generalized ufunc's cores") {
  if (!kiln::Device::best().is_cpu()) return;
  const Numbers numbers;
  for (const char* const step : kSteps) {
    CAPTURE(std::string(step));
    const std::string element = "const int32 a = A(j), b = B(j); " + body(step, "y(j) = x;");
    const kiln::Gufunc loop = cores("", "for (index j = 0; j < n; ++j) { " + element + " }");
    const kiln::Gufunc each = cores("j:n", element);
    for (const std::int64_t n : {4, 100}) {
      const Array a = Array::from(numbers.a).reshape({kItems / n, n});
      const Array b = Array::from(numbers.b).reshape({kItems / n, n});
      CHECK(loop(a, b).to_vector<std::int32_t>() == numbers.results);
      CHECK(each(a, b).to_vector<std::int32_t>() == numbers.results);
    }
  }
}

TEST_CASE("function pointers: one for each item, and thread of a block, of a raw kernel") {
  if (!kiln::Device::best().is_cpu()) return;
  const Numbers numbers;
  const Array a = Array::from(numbers.a);
  const Array b = Array::from(numbers.b);
  for (const char* const step : kSteps) {
    CAPTURE(std::string(step));
    const kiln::RawKernel items = kiln::kernel({.name = "items",
                                                .signature = "void(const int32* A, const int32* B, int32* y)",
                                                .body = "const int32 a = A[item], b = B[item]; " + body(step, "y[item] = x;"),
                                                .compile = {.functions = kFunctions}});
    const Array y = Array::zeros({kItems}, DType::int32);
    items({.size = kItems}, a, b, y);
    CHECK(y.to_vector<std::int32_t>() == numbers.results);
    const kiln::RawKernel threads = kiln::kernel(
        {.name = "threads",
         .signature = "void(const int32* A, const int32* B, int32* y, int64 n)",
         .body = "KILN_SHARED int32 t[64]; const int64 at = block.x * 64 + thread.x; t[thread.x] = at < n ? A[at] : 0; "
                 "barrier(); if (at >= n) return; const int32 a = t[thread.x], b = B[at]; " +
                 body(step, "y[at] = x;"),
         .compile = {.functions = kFunctions}});
    const Array z = Array::zeros({kItems}, DType::int32);
    threads({.grid = {16}, .block = {64}}, a, b, z, kItems);
    CHECK(z.to_vector<std::int32_t>() == numbers.results);
  }
}

TEST_CASE("function pointers: one for each item of a reduction's map") {
  if (!kiln::Device::best().is_cpu()) return;
  const Numbers numbers;
  std::int64_t sum = 0;
  for (const std::int32_t each : numbers.results) sum += each;
  for (const char* const step : kSteps) {
    CAPTURE(std::string(step));
    const kiln::Reduction total = kiln::reduction({.name = "total",
                                                   .signatures = {"int64(int32 a, int32 b)"},
                                                   .map = body(step, "return x;"),
                                                   .reduce = "return a + b;",
                                                   .compile = {.functions = kFunctions}});
    CHECK(total(Array::from(numbers.a), Array::from(numbers.b)).item<std::int64_t>() == sum);
  }
}
