// The kernels that are measured on GPUs, by name: what kiln-gpu-timer times, and what a profiler or a sanitizer watches.
#pragma once

#include <cstdint>
#include <functional>
#include <kiln/kiln.hpp>
#include <span>
#include <string_view>

namespace kiln::bench {

/// A call with its arrays, ready to be queued.
struct GpuCall {
  double bytes = 0;  ///< read and written in device memory
  std::function<void()> run;
};

struct GpuKernel {
  const char* name;
  bool profiled;  ///< one of the twelve that a profiler and the sanitizers look at; the others are further dtypes
  GpuCall (*prepare)(const Device& device, std::int64_t bytes);  ///< its arrays are of about that many bytes each
};

[[nodiscard]] std::span<const GpuKernel> gpu_kernels();

/// The elementwise ones of float32: saxpy, discriminant, gaussian, and black_scholes, which is a call option's price for a
/// stock's price s, a strike price k and t years, at 2 % interest and 30 % volatility. std::runtime_error for another name.
[[nodiscard]] UfuncDefinition gpu_ufunc(std::string_view name);

/// A device array whose values have no pattern that hardware could use, between `low` and `low` + 0.9.
[[nodiscard]] Array varied(const Device& device, const Shape& shape, DType dtype, float low = 0.1F);

}  // namespace kiln::bench
