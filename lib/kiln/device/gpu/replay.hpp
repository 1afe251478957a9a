// Recorded launches as a graph of the driver's.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "device/capture.hpp"
#include "device/gpu/core.hpp"

namespace kiln::backend::gpu {

class GpuBackend;

class GpuReplay final : public Replay {
 public:
  /// Null where the driver has no graphs, or makes none of these. Throws what launching them throws. The device is current.
  [[nodiscard]] static std::shared_ptr<GpuReplay> make(GpuBackend& backend, const Core& core, const RecordedLaunches& launches);
  GpuReplay(GpuBackend& backend, const Core& core) : backend_(backend), core_(core) {}
  ~GpuReplay() override;
  GpuReplay(const GpuReplay&) = delete;
  GpuReplay& operator=(const GpuReplay&) = delete;

  void start(Queue* queue, const std::shared_ptr<const void>& keep) override;

 private:
  GpuBackend& backend_;
  const Core& core_;
  abi::Handle executable_ = nullptr;
  std::vector<std::pair<void*, std::size_t>> scratch_;  // what its kernels use among themselves
};

}  // namespace kiln::backend::gpu
