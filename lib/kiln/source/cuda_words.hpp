// What of CUDA's language a kernel's texts use, as far as their names tell. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kiln::codegen {

struct CudaWords {
  bool any = false;     ///< some word at all
  bool shares = false;  ///< threads of a block share memory or wait for one another
  bool votes = false;   ///< of these some ask what others say
  bool warps = false;   ///< those of a warp exchange values
  bool groups = false;  ///< cooperative groups
  bool source = false;  ///< whole kernels: __global__
};

/// What elements say of threads.
inline constexpr std::string_view kNoThreads =
    "elements know no threads, and share nothing; a kernel of threads is one of kiln::kernel() or kiln::cupy::raw_kernel()";
/// Whether only a kernel of threads has that word of CUDA's: "threadIdx", "__shared__", "__shfl_sync".
[[nodiscard]] bool is_word_of_threads(std::string_view name);

[[nodiscard]] CudaWords cuda_words_of(std::span<const std::string_view> texts);

/// The text with other words of as many characters, which are macros of kernels-src/raw: __extern_shared__ for "extern
/// __shared__", since a CPU's C++ has no such variables.
[[nodiscard]] std::string with_dynamic_memory(std::string text);
/// Likewise __kernel__ for __global__ and __kernel_bounds__ for __launch_bounds__: kernels become functions that kiln's calls.
/// And __exported__ for __constant__ of a variable whose value the host gives.
[[nodiscard]] std::string with_kernels_as_functions(std::string text);
/// A line of such a text with the user's words again: for messages.
[[nodiscard]] std::string with_words_of_cuda(std::string line);

}  // namespace kiln::codegen
