// How a kernel of Ufunc::accumulate is called. kernels-src/scan_*.hpp is the other side; change both together.
#pragma once

#include <cstdint>

#include "backend/kernel_abi.hpp"

namespace kiln::kinds {

// A kernel of Ufunc::accumulate on the CPU: extern "C" void kiln_kernel(const CpuScanParts**) gives its loops, which
// kernels-src/scan_cpu.hpp has; cpu.cpp calls them. "in", "out" and "t" are elements one behind the other: of the input,
// of the output, and of the type that is combined. A lane is one running result. Counts are in whole blocks of kCpuBlock lanes
// but for fold and chain.
struct CpuScanParts {
  void (*first)(const void* in, void* t, std::int64_t lanes);                        // t = in
  void (*next)(const void* before, const void* in, void* t, std::int64_t lanes);     // t = f(before, in)
  void (*rows)(const void* in, void* t, std::int64_t rows, std::int64_t lanes);      // t[r] = f(t[r - 1], in[r]), r = 0 …
  void (*join)(const void* before, void* t, std::int64_t rows, std::int64_t lanes);  // t[r] = f(before, t[r])
  void (*last)(const void* t, void* out, std::int64_t lanes);                        // out = t; null: they are the same
  // t[i] = f(t[i - 1], in[i]) one after the other, from t[-1] on.
  void (*fold)(const void* in, void* t, std::int64_t count);
  // before[i] = *carry, *carry = f(*carry, t[i]) one after the other.
  void (*chain)(const void* t, void* before, void* carry, std::int64_t count);
  std::int64_t in_size;
  std::int64_t t_size;
  std::int64_t out_size;
  std::int64_t in_is_t;  // they are one type: "in" and "t" may be the same elements
};

}  // namespace kiln::kinds
