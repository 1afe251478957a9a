// What all rendered kernels have in common. How one is called is its kind's: lib/kinds/<kind>/abi.hpp.
#pragma once

#include <cstdint>

namespace kiln::backend {

inline constexpr const char* kKernelSymbol = "kiln_kernel";
inline constexpr std::int64_t kCpuBlock = 64;  ///< elements that a CPU's kernel computes at least
inline constexpr int kGpuBlock = 256;          ///< threads of a GPU's block, at most

inline constexpr int kMaxOperands = 32;   ///< inputs and outputs of one kernel
inline constexpr int kMaxKernelRank = 8;  ///< merged dimensions that one launch handles; the caller loops over more

}  // namespace kiln::backend
