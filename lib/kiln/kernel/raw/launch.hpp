// One launch of a raw kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernel/launch.hpp"

namespace kiln::kinds {

inline constexpr std::size_t kMaxRawArguments = 32;
inline constexpr std::size_t kMaxRawDimensions = 64;  // of all views
/// Threads of a block that share memory or wait for one another, on the CPU: as many as on any GPU.
inline constexpr std::int64_t kMostTogether = 1024;

/// Owns the values of its arguments, so that a copy may outlive the caller's.
struct RawLaunch {
  struct alignas(16) Argument {
    std::array<std::byte, 16> value;  ///< a scalar's; an array's device address
    bool array;
    std::uint8_t dimensions;  ///< of a view; 0: another argument
    std::uint8_t item_bytes;  ///< of an array's element
    std::int64_t size;        ///< of an array: how many elements
  };
  std::array<Argument, kMaxRawArguments> arguments;
  /// Of each view in order its RawAxes (kernels-src/raw/abi.hpp): extents, then strides in bytes.
  std::array<std::int64_t, 2 * kMaxRawDimensions> axes;
  std::size_t count = 0;
  std::int64_t size = -1;                     ///< items, for kernels of that form; negative: blocks
  int item_block = kGpuBlock;                 ///< threads of a block of items (GPU)
  std::array<std::int64_t, 3> grid{1, 1, 1};  ///< blocks along x, y, z; each > 0
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t shared_bytes = 0;  ///< dynamic, of each block
};

void launch_on_cpu(Backend& backend, const Module& module, const RawLaunch& launch, const LaunchContext& context);
void launch_on_gpu(Backend& backend, const Module& module, const RawLaunch& launch, const LaunchContext& context);
/// As it is in a capture (kernel/record.hpp).
[[nodiscard]] std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const RawLaunch& launch);

}  // namespace kiln::kinds
