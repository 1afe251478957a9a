#include "device/cpu/event.hpp"

#include <chrono>
#include <condition_variable>
#include <optional>

#include "device/cpu/queue.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::cpu {

using Clock = std::chrono::steady_clock;

/// Shared with the queue, whose work may come after the event's end.
struct CpuEvent::Mark {
  std::mutex mutex;
  std::condition_variable reached;
  std::optional<Clock::time_point> time;

  void reach() {
    const std::lock_guard lock(mutex);
    time = Clock::now();
    reached.notify_all();
  }
  [[nodiscard]] std::optional<Clock::time_point> when() {
    const std::lock_guard lock(mutex);
    return time;
  }
  void wait() {
    std::unique_lock lock(mutex);
    reached.wait(lock, [this] { return time.has_value(); });
  }
  [[nodiscard]] bool wait_until(Clock::time_point end) {
    std::unique_lock lock(mutex);
    return reached.wait_until(lock, end, [this] { return time.has_value(); });
  }
};

std::shared_ptr<CpuEvent::Mark> CpuEvent::mark() const {
  const std::lock_guard lock(mutex_);
  return mark_;
}

void CpuEvent::record(Queue* queue) {
  auto made = std::make_shared<Mark>();
  {
    const std::lock_guard lock(mutex_);
    mark_ = made;
  }
  if (queue == nullptr) return made->reach();
  // After a failure, too: who waits must go on.
  static_cast<CpuQueue*>(queue)->post([made] { made->reach(); }, CpuQueue::After::anything);
}

void CpuEvent::wait(Queue* queue) {
  const std::shared_ptr<Mark> wanted = mark();
  if (wanted == nullptr) return;
  if (queue == nullptr) return wanted->wait();
  static_cast<CpuQueue*>(queue)->post([wanted] { wanted->wait(); }, CpuQueue::After::anything);
}

bool CpuEvent::done() const {
  const std::shared_ptr<Mark> asked = mark();
  return asked == nullptr || asked->when().has_value();
}

void CpuEvent::synchronize() const {
  if (const std::shared_ptr<Mark> wanted = mark()) wanted->wait();
}

bool CpuEvent::wait_until(Clock::time_point end) const {
  const std::shared_ptr<Mark> wanted = mark();
  return wanted == nullptr || wanted->wait_until(end);
}

double CpuEvent::milliseconds_since(const Event& start) const {
  const std::shared_ptr<Mark> first = static_cast<const CpuEvent&>(start).mark();
  const std::shared_ptr<Mark> last = mark();
  const auto begin = first != nullptr ? first->when() : std::nullopt;
  const auto end = last != nullptr ? last->when() : std::nullopt;
  if (!begin || !end) {
    throw DeviceError(
        "failed to take the time between events on the CPU: one is not recorded or not reached; "
        "synchronize() both first");
  }
  return std::chrono::duration<double, std::milli>(*end - *begin).count();
}

}  // namespace kiln::backend::cpu
