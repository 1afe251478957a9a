// What all rendered kernels have in common. How one is called is its kind's: kernels-src/<kind>/abi.hpp.
#pragma once

#include <cstdint>

namespace kiln::backend {

inline constexpr const char* kKernelSymbol = "kiln_kernel";
inline constexpr const char* kFaultsSymbol = "kiln_faults";    ///< kernels-src/core/faults.hpp, where a kernel has checks
inline constexpr const char* kCrashedSymbol = "kiln_crashed";  ///< kernels-src/core/checks_cpu.hpp, in debug mode
inline constexpr const char* kRacesSymbol = "kiln_race";       ///< kernels-src/raw/race.hpp, where a CPU's kernel finds races
inline constexpr std::int64_t kCpuBlock = 64;                  ///< elements that a CPU's kernel computes at least
inline constexpr int kGpuBlock = 256;                          ///< threads of a GPU's block, at most

inline constexpr int kMaxOperands = 32;   ///< inputs and outputs of one kernel
inline constexpr int kMaxKernelRank = 8;  ///< merged dimensions that one launch handles; the caller loops over more

}  // namespace kiln::backend

namespace kiln::kinds {

// The integers of kernels-src/<kind>/abi.hpp, which kernels have of their own.
using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using float64 = double;

}  // namespace kiln::kinds
