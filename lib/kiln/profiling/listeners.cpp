// Who hears the calls of a process.
#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/fork.hpp"
#include "profiling/collector.hpp"

namespace kiln::profiling {
namespace {

using List = std::vector<std::shared_ptr<Collector>>;

constinit std::mutex mutex;
constinit std::once_flag asked;
constinit Collector* of_process = nullptr;  // as the list has it

/// Never destroyed: calls may be made while the program exits.
List& list() {
  static List& made = *new List;
  return made;
}

void before_fork() {
  mutex.lock();
  for (const auto& each : list()) each->before_fork();
}
void after_fork(bool child) {
  for (const auto& each : list()) child ? each->after_fork_in_child(each.get() == of_process) : each->after_fork_in_parent();
  mutex.unlock();
}

}  // namespace

void listen(const std::shared_ptr<Collector>& collector) {
  base::watch_forks();  // first: events of a child know by it that their device is the parent's
  [[maybe_unused]] static const int registered =
      pthread_atfork(before_fork, [] { after_fork(false); }, [] { after_fork(true); });
  const std::lock_guard lock(mutex);
  list().push_back(collector);
  listeners.fetch_add(1, std::memory_order_relaxed);
}

void remove(const Collector& collector) noexcept {
  std::shared_ptr<Collector> removed;  // ends after the lock
  const std::lock_guard lock(mutex);
  const auto found = std::find_if(list().begin(), list().end(), [&](const auto& each) { return each.get() == &collector; });
  if (found == list().end()) return;
  removed = std::move(*found);
  list().erase(found);
  listeners.fetch_sub(1, std::memory_order_relaxed);
}

std::vector<std::shared_ptr<Collector>> hearing(std::thread::id thread) {
  std::call_once(asked, [] {
    if (const std::shared_ptr<Collector> process = open_process_trace()) {
      listen(process);
      const std::lock_guard lock(mutex);
      of_process = process.get();
    }
    listeners.fetch_sub(1, std::memory_order_relaxed);
  });
  List heard;
  const std::lock_guard lock(mutex);
  for (const auto& each : list()) {
    if (each->hears(thread)) heard.push_back(each);
  }
  return heard;
}

void settle_all() noexcept {
  List all;
  try {
    const std::lock_guard lock(mutex);
    all = list();
  } catch (const std::exception&) {
    return;  // of memory
  }
  for (const auto& each : all) each->settle();
}

}  // namespace kiln::profiling
