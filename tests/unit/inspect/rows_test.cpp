// Loops over few elements of a core become vectors (lib/clang/passes/short_rows.cpp): read from the machine code.
#include <doctest/doctest.h>

#include <string>

#include "base/have_cpu.hpp"
#include "kernels.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/inspect.hpp"

#if KILN_HAVE_CPU

using kiln::test::contains;

namespace {

/// The machine code of an item of `n` elements: of several, lanes would take one each.
std::string code_of(const char* body, std::int64_t n, kiln::DType dtype) {
  const kiln::test::TemporaryDirectory directory;
  const kiln::Cache cache(kiln::CacheOptions{.directory = directory / "cache"});
  const auto gufunc = kiln::guvectorize({.name = "row",
                                         .layout = "(n),(n)->(n)",
                                         .signatures = {"void(T[:] a, T[:] b, T[:] y)"},
                                         .body = body,
                                         .compile = {.cache = cache}});
  const kiln::Array a = kiln::to_device(kiln::Array::full({n}, 1).astype(dtype), kiln::Device::cpu());
  gufunc(a, a);
  const auto entries = cache.list();
  REQUIRE(entries.size() == 1);
  return kiln::inspect::text(*cache.find(entries[0].id), kiln::inspect::Form::assembly);
}

}  // namespace

TEST_CASE("rows of 8 and 16 elements are vectors, not one element after the other") {
  for (const std::int64_t n : {8, 16, 24}) {
    CAPTURE(n);
    const std::string code =
        code_of("for (index i = 0; i < n; ++i) y(i) = a(i) > 0 ? sqrt(a(i) / b(i)) : b(i);", n, kiln::DType::float32);
    CHECK(contains(code, "sqrtps"));
    CHECK_FALSE(contains(code, "sqrtss"));
  }
}

#if defined(__x86_64__)
TEST_CASE("rows of any few elements are vectors with a mask where there are mask registers") {
  if (__builtin_cpu_supports("avx512bw") == 0) return;
  for (const std::int64_t n : {5, 7, 12, 13}) {
    CAPTURE(n);
    const std::string code = code_of("for (index i = 0; i < n; ++i) y(i) = sqrt(a(i) / b(i));", n, kiln::DType::float32);
    CHECK(contains(code, "{k"));
    CHECK_FALSE(contains(code, "sqrtss"));
  }
}
#endif

TEST_CASE("divisions of whole numbers are none of vectors: such rows unroll") {
  CHECK_FALSE(contains(code_of("for (index i = 0; i < n; ++i) y(i) = a(i) / b(i);", 5, kiln::DType::int32), "{k"));
}

#endif
