// The index space of a kernel as the bytes of its parameter: space<Index, D, N> of kernels-src/elementwise/gpu_nd.hpp. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kiln::kinds {

/// Magic-number division of the GPU kernels is exact below this.
inline constexpr std::int64_t kMaxNarrowIndex = (std::int64_t{1} << 31) - 1;

struct SpaceRequest {
  std::span<const std::int64_t> extents;  ///< outermost first; at most `rank`, or as many as the kernel has
  std::size_t operands = 0;
  bool wide_index = false;
  int rank = 1;   ///< of the kernel: dimensions of one element are added in front where there are fewer extents
  int width = 1;  ///< elements in a pack, along the innermost dimension
  std::function<std::int64_t(std::size_t operand, std::size_t dimension)> stride;  ///< bytes
};

[[nodiscard]] std::vector<std::byte> space_of(const SpaceRequest& request);

}  // namespace kiln::kinds
