// A driver's event, with timing.
#pragma once

#include <chrono>
#include "device/backend.hpp"
#include "device/gpu/core.hpp"

namespace kiln::backend::gpu {

class GpuEvent final : public Event {
 public:
  /// DeviceError where the driver refuses one.
  explicit GpuEvent(const Core& core);
  ~GpuEvent() override;
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;

  void record(Queue* queue) override;
  void wait(Queue* queue) override;
  [[nodiscard]] bool done() const override;
  void synchronize() const override;
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point end) const override;
  [[nodiscard]] double milliseconds_since(const Event& start) const override;

 private:
  const Core& core_;
  abi::Handle event_ = nullptr;
};

}  // namespace kiln::backend::gpu
