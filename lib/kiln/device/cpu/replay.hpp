// Recorded launches on the CPU: a queue gets all of them as one task.
#pragma once

#include "device/capture.hpp"
#include "device/cpu/queue.hpp"

namespace kiln::backend::cpu {

class CpuReplay final : public Replay {
 public:
  explicit CpuReplay(const RecordedLaunches& launches) : launches_(launches) {}

  void start(Queue* queue, const std::shared_ptr<const void>& keep) override {
    if (queue == nullptr) return run();
    static_cast<CpuQueue*>(queue)->post([this, keep] { run(); });
  }

 private:
  void run() const {
    for (const auto& launch : launches_) launch->run(nullptr, nullptr);
  }

  RecordedLaunches launches_;
};

}  // namespace kiln::backend::cpu
