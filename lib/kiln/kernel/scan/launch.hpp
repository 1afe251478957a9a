// One launch of a kernel of Ufunc::accumulate, for any device. Owns its numbers: it may be queued as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/launch.hpp"

namespace kiln::kinds {

/// GPU: what the kernel takes at a time.
struct ScanTile {
  int width = 1;  ///< elements of a pack
  int packs = 1;  ///< of a lane
};

/// For every index of `shape`, the running results of `extent` elements. Nothing is 0, and the output overlaps the input only
/// where they are the same. Strides are bytes of any sign.
struct ScanLaunch {
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t extent = 1;                ///< along the axis
  std::int64_t input_stride = 0;          ///< along the axis
  std::int64_t output_stride = 0;         ///< along the axis
  std::vector<std::int64_t> shape = {1};  ///< the other axes, merged, sorted by stride; never empty
  std::vector<std::int64_t> input_strides = {0};
  std::vector<std::int64_t> output_strides = {0};
  bool reorderable = false;
  bool looks_back = false;    ///< the kernel's chunks do
  std::int64_t itemsize = 1;  ///< of the input
  ScanTile tile = {};         ///< of the kernel, for a GPU
};

void launch_on_cpu(Backend& backend, const Module& module, const ScanLaunch& launch, const LaunchContext& context);
void launch_on_gpu(Backend& backend, const Module& module, const ScanLaunch& launch, const LaunchContext& context);
/// As it is in a capture (kernel/record.hpp).
[[nodiscard]] std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const ScanLaunch& launch);

}  // namespace kiln::kinds
