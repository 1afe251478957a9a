// A plan of cuFFT or hipFFT.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "device/fft.hpp"
#include "device/gpu/backend.hpp"
#include "device/gpu/core.hpp"
#include "library/fft_library.hpp"

namespace kiln::backend::gpu {

/// Thread-safe: one execution is queued at a time, as stream and work area are the plan's. The work area is allocated for each
/// execution, in the order of its stream, so that a plan that is kept takes no memory.
class GpuFftPlan final : public FftPlan {
 public:
  /// The device has to be current. `backend` and `core`, which is its own, outlive the plan.
  GpuFftPlan(GpuBackend& backend, const Core& core, const FftLayout& layout);
  ~GpuFftPlan() override;
  GpuFftPlan(const GpuFftPlan&) = delete;
  GpuFftPlan& operator=(const GpuFftPlan&) = delete;

  void execute(void* in, void* out, bool inverse, Queue* queue, const std::shared_ptr<const void>& keep) override;

 private:
  void check(FftTable::Status status, const char* what) const;
  [[nodiscard]] FftTable::Status start(void* in, void* out, bool inverse) const;

  GpuBackend& backend_;
  const Core& core_;
  const FftLibrary& library_;
  FftKind kind_;
  bool single_;
  FftTable::Handle plan_ = 0;
  std::size_t work_bytes_ = 0;
  std::mutex mutex_;
};

}  // namespace kiln::backend::gpu
