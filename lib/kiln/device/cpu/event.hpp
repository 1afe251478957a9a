// A point in the work of a CPU's queues, and when it was reached.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "device/backend.hpp"

namespace kiln::backend::cpu {

class CpuEvent final : public Event {
 public:
  void record(Queue* queue) override;
  void wait(Queue* queue) override;
  [[nodiscard]] bool done() const override;
  void synchronize() const override;
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point end) const override;
  [[nodiscard]] double milliseconds_since(const Event& start) const override;

 private:
  struct Mark;
  [[nodiscard]] std::shared_ptr<Mark> mark() const;

  mutable std::mutex mutex_;
  std::shared_ptr<Mark> mark_;  // of the last record(); null before
};

}  // namespace kiln::backend::cpu
