// One launch of a kernel of Ufunc::at, for any device. Owns its numbers: it may be queued as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/launch.hpp"
#include "kernel/scatter/spec.hpp"
#include "kiln/dtype.hpp"

namespace kiln::kinds {

/// An array of indices along one axis of the target.
struct ScatterIndex {
  const void* data = nullptr;              ///< device address
  DType dtype = DType::int64;              ///< an integer's
  std::int64_t extent = 0;                 ///< of the axis; every index is in [-extent, extent). 0: they are offsets
  std::int64_t stride = 0;                 ///< bytes of the target from one index to the next
  std::vector<std::int64_t> strides = {};  ///< bytes of the array, over ScatterLaunch::shape
};

/// For each position in C order over `shape`, the function is applied to every element of `row_shape` of the target at the
/// position's indices. No extent is 0; neither shape is empty, and all of it is on one device.
struct ScatterLaunch {
  std::vector<ScatterIndex> indices = {};
  std::vector<std::int64_t> shape = {1};  ///< of the indices, broadcast together
  void* target = nullptr;
  std::int64_t itemsize = 0;                       ///< of the target's elements
  std::vector<std::int64_t> row_shape = {1};       ///< the axes of the target that are not indexed
  std::vector<std::int64_t> target_strides = {0};  ///< bytes, over row_shape
  const void* value = nullptr;                     ///< null of a function of one input
  std::vector<std::int64_t> value_strides = {};    ///< bytes, over shape, then row_shape

  // Of a GPU's kernels that keep the order: positions, those that meet in one target together and in order, and where each of
  // the `targets` begins among them, and the end. Device addresses.
  const std::int64_t* order = nullptr;
  const std::int64_t* starts = nullptr;
  std::int64_t targets = 0;

  ScatterLayout layout = {};  ///< GPU: the kernel's
  /// GPU: where it is given, the indices are looked at. It is set, and nothing is applied, if one is out of range.
  bool* out_of_range = nullptr;
};

void launch_on_cpu(Backend& backend, const Module& module, const ScatterLaunch& launch, const LaunchContext& context);
void launch_on_gpu(Backend& backend, const Module& module, const ScatterLaunch& launch, const LaunchContext& context);
/// As it is in a capture (kernel/record.hpp).
[[nodiscard]] std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const ScatterLaunch& launch);

}  // namespace kiln::kinds
