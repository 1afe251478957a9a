#include "profiling/device_clock.hpp"

#include <map>
#include <mutex>

#include "base/at_exit.hpp"
#include "profiling/collector.hpp"

namespace kiln::profiling {
namespace {

constexpr std::chrono::seconds kOldest{10};

struct Known {
  std::shared_ptr<backend::Queue> queue;  // of a GPU: what waits there waits for nobody else's work
  std::shared_ptr<const DeviceClock> clock;
};

}  // namespace

Clock::time_point DeviceClock::time_of(const backend::Event& reached) const {
  const std::chrono::duration<double, std::milli> since(reached.milliseconds_since(*event));
  return time + std::chrono::duration_cast<Clock::duration>(since);
}

std::shared_ptr<const DeviceClock> clock_of(backend::Backend& backend) {
  static constinit std::mutex mutex;
  // Never destroyed: calls are recorded while the program exits.
  static auto& all = *new std::map<const backend::Backend*, Known>;
  const std::lock_guard lock(mutex);
  Known& known = all[&backend];
  if (known.clock != nullptr && Clock::now() - known.clock->time < kOldest) return known.clock;
  if (known.queue == nullptr && backend.kind() != DeviceKind::cpu) {
    known.queue = backend.make_queue();
    // The driver's own exit handlers, which it has registered by now, run after this one.
    base::at_exit<settle_all>();
  }
  const std::shared_ptr<backend::Event> event = backend.make_event();
  const Clock::time_point before = Clock::now();
  event->record(known.queue.get());
  event->synchronize();
  known.clock = std::make_shared<const DeviceClock>(DeviceClock{event, before + (Clock::now() - before) / 2});
  return known.clock;
}

}  // namespace kiln::profiling
