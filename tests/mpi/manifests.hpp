// Manifests and kernels that the tests of ranks share.
#pragma once

#include <string>

#include "kiln/cache.hpp"
#include "kiln/device_array.hpp"
#include "kiln/manifest.hpp"
#include "kiln/ufunc.hpp"

namespace kiln::test {

/// Kernel i, which gives 3 a + i, of one loop.
inline std::string text_of_kernel(int i) {
  return "float64 of_ranks_" + std::to_string(i) + "(float64 a) = 3 * a + " + std::to_string(i);
}

inline Manifest manifest_of_kernels(int count) {
  std::string text = R"({"kiln_manifest": 2, "kernels": [)";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + (R"({"kernel": ")" + text_of_kernel(i)) + R"("})";
  return Manifest::parse(text + "]}");
}

/// Whether all kernels give what they must on the CPU, without a compile.
inline bool all_are_there(int count, const Cache& cache) {
  for (int i = 0; i < count; ++i) {
    const Ufunc kernel = vectorize({.name = "of_ranks_" + std::to_string(i),
                                    .signatures = {"float64(float64 a)"},
                                    .expression = "3 * a + " + std::to_string(i),
                                    .compile = {.cache = cache}});
    const Array a = to_device(Array::full({7}, 2.0), Device::cpu());
    if (kernel(a).to_vector<double>() != std::vector<double>(7, 6.0 + i)) return false;
  }
  return cache.stats().compiles == 0 &&
         cache.stats().disk_hits + cache.stats().memory_hits >= static_cast<std::uint64_t>(count);
}

}  // namespace kiln::test
