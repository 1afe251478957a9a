// Kernels compiled into a cache of their own, as the tests of the inspector look at them.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "../base/temporary_directory.hpp"
#include "../device/gpu_compilers.hpp"
#include "kiln/cache.hpp"
#include "kiln/ufunc.hpp"

namespace kiln::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The one kernel of a definition for a target.
inline cache::Contents compiled(UfuncDefinition definition, const std::string& target) {
  const TemporaryDirectory directory;
  const Cache cache(CacheOptions{.directory = directory / "cache"});
  definition.compile.cache = cache;
  REQUIRE(vectorize(definition).compile(target) == 1);
  const auto entries = cache.list();
  REQUIRE(entries.size() == 1);
  const auto found = cache.find(entries[0].id);
  REQUIRE(found.has_value());
  return *found;
}

inline UfuncDefinition saxpy() {
  return {.name = "saxpy", .signatures = {"float32(float32 a, float32 x, float32 y)"}, .body = "return a * x + y;"};
}

/// `count` values that all live at once, and of which none can be had from another: more than there are registers are kept in
/// memory.
inline UfuncDefinition crowded(int count) {
  return {.name = "crowded",
          .signatures = {"float64(float64 x)"},
          .body =
              "double t[COUNT]; t[0] = x;\n"
              "#pragma unroll\n"
              "for (int i = 1; i < COUNT; ++i) t[i] = t[i - 1] * 1.01 + x;\n"
              "double s = t[COUNT - 1];\n"
              "#pragma unroll\n"
              "for (int i = COUNT - 1; i >= 0; --i) s = s * t[i] + 1.0;\n"
              "return s;",
          .compile = {.defines = {"COUNT=" + std::to_string(count)}}};
}

/// A case that needs something else than a compiler: reported as scripts/run-tests.sh wants it.
inline void not_run(const char* what) {
  std::printf("KILN-NOT-RUN %s 1\n", what);
}

}  // namespace kiln::test
