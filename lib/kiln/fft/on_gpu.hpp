// How an execution of a GPU's library and arrays of any strides come together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/fft.hpp"
#include "fft/transform.hpp"
#include "kiln/array.hpp"

namespace kiln::fft {

/// Executions of one layout: one for each index of the loops.
struct GpuExecutions {
  struct Loop {
    std::int64_t count;
    std::int64_t in;   ///< bytes
    std::int64_t out;  ///< bytes
  };
  backend::FftLayout layout;
  std::vector<Loop> loops;
};

/// Those that transform `from` into `to` along up to three axes; none where the library cannot express the strides: they run
/// backwards, or the axes do not lie within one another. Pure.
[[nodiscard]] std::optional<GpuExecutions> executions(FftKind kind, std::span<const Axis> axes, const Array& from,
                                                      const Array& to);

}  // namespace kiln::fft
