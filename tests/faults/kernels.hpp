// Kernels that are cheap to compile, as many as a test wants, and that can be told right from wrong.
#pragma once

#include <kiln/ufunc.hpp>

#include <string>
#include <vector>

namespace kiln::test {

/// Number i: a loop over float64 that gives 3 a + i.
inline Ufunc numbered_kernel(int i, const Cache& cache) {
  return vectorize({.name = "kernel_" + std::to_string(i),
                    .signatures = {"float64(float64 a)"},
                    .body = "return 3 * a + " + std::to_string(i) + ";",
                    .compile = {.cache = cache}});
}

/// Whether a fresh definition of kernel i, called on the CPU, gives what it must.
inline bool right(int i, const Cache& cache) {
  const Array a = to_device(Array::full({7}, 2.0), Device::cpu());
  const std::vector<double> values = numbered_kernel(i, cache)(a).to_vector<double>();
  return values == std::vector<double>(7, 6.0 + i);
}

/// Opens the compiler in this process, so that children forked later need not.
inline void open_compiler() {
  (void)right(1'000'000, Cache(CacheOptions{}));
}

}  // namespace kiln::test
