#include "device/cpu/worker_pool.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace kiln::backend::cpu {
namespace {

constexpr std::chrono::microseconds kLookout{50};
constexpr std::chrono::milliseconds kStay{1};      // at a time: oneTBB can give its workers to others only between tasks
constexpr std::chrono::microseconds kLatest{100};  // who comes later was busy, or made first
constexpr unsigned kGlances = 64;                  // between two looks at the clock

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

bool WorkerPool::run(std::int64_t count, const void* work, Task task, std::size_t most) {
  if (taken_.exchange(true, std::memory_order_acquire)) return false;
  const auto tasks = static_cast<std::size_t>(count);
  parties_ = std::min({shares_.size(), tasks, most, (std::size_t{1} << kPartiesBits) - 1});
  for (std::size_t k = 0; k < parties_; ++k) {
    shares_[k].next.store(static_cast<std::int64_t>(tasks * k / parties_), std::memory_order_relaxed);
    shares_[k].end = static_cast<std::int64_t>(tasks * (k + 1) / parties_);
  }
  work_ = work;
  task_ = task;
  failed_.store(false, std::memory_order_relaxed);

  const std::uint64_t closed = ((list_.load(std::memory_order_relaxed) >> kPartiesBits) + 1) << kPartiesBits;
  list_.store(closed + parties_, std::memory_order_seq_cst);
  call_helpers(parties_);
  take_tasks(0);
  // Either a helper sees that the list is closed, or it is seen inside.
  list_.store(closed, std::memory_order_seq_cst);
  for (unsigned turns = 0; inside_.load(std::memory_order_seq_cst) != 0; ++turns) {
    relax();
    if (turns % kGlances == kGlances - 1) std::this_thread::yield();
  }
  const std::exception_ptr error = std::exchange(error_, nullptr);
  taken_.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
  return true;
}

bool WorkerPool::has_helpers() const noexcept {
  return std::any_of(shares_.begin(), shares_.end(),
                     [](const Share& share) { return share.has_helper.load(std::memory_order_relaxed); });
}

void WorkerPool::call_helpers(std::size_t parties) noexcept {
  for (std::size_t k = 1; k < parties; ++k) {
    if (shares_[k].has_helper.exchange(true, std::memory_order_seq_cst)) continue;
    try {
      arena_.enqueue([workers = shared_from_this(), k, called = Clock::now()] { workers->help(k, called); });
    } catch (...) {
      shares_[k].has_helper.store(false, std::memory_order_relaxed);
      return;  // the caller does it all
    }
  }
}

void WorkerPool::help(std::size_t self, Clock::time_point called) noexcept {
  const Clock::time_point came = Clock::now();
  const double taken = std::chrono::duration<double, std::nano>(std::min<Clock::duration>(came - called, kLatest)).count();
  arrival_ns_.store(arrival_ns() + (taken - arrival_ns()) / 8, std::memory_order_relaxed);
  std::uint64_t last = 0;
  Clock::time_point until = came + kLookout;
  for (unsigned glances = 1;; ++glances) {
    const bool helped = look(self, last);
    relax();
    if (!helped && glances % kGlances != 0) continue;
    const Clock::time_point now = Clock::now();
    if (helped) until = now + kLookout;
    if (now > until || now - came > kStay) {
      if (leave(self, last)) return;
    } else if (!helped) {
      std::this_thread::yield();
    }
  }
}

// False where a list was opened meanwhile, in which it took part.
bool WorkerPool::leave(std::size_t self, std::uint64_t& last) noexcept {
  do {
    // Either the caller of a list sees that nobody is here, or the list is seen.
    shares_[self].has_helper.store(false, std::memory_order_seq_cst);
    if (list_.load(std::memory_order_seq_cst) == last) return true;
    if (shares_[self].has_helper.exchange(true, std::memory_order_seq_cst)) return true;  // another is called
  } while (!look(self, last));
  return false;
}

// Takes part in a list that it has not seen, if there is one for as many.
bool WorkerPool::look(std::size_t self, std::uint64_t& last) noexcept {
  const std::uint64_t list = list_.load(std::memory_order_seq_cst);
  if (list == last) return false;
  last = list;
  if (self >= list % (std::uint64_t{1} << kPartiesBits)) return false;
  inside_.fetch_add(1, std::memory_order_seq_cst);
  const bool open = list_.load(std::memory_order_seq_cst) == list;
  if (open) take_tasks(self);
  inside_.fetch_sub(1, std::memory_order_release);
  return open;
}

// Its own share, then what is left of the others'.
void WorkerPool::take_tasks(std::size_t self) noexcept {
  for (std::size_t k = 0; k < parties_; ++k) {
    Share& share = shares_[(self + k) % parties_];
    for (std::int64_t i = 0; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) {
      if (failed_.load(std::memory_order_relaxed)) return;
      try {
        task_(work_, i);
      } catch (...) {
        if (!failed_.exchange(true)) error_ = std::current_exception();
      }
    }
  }
}

}  // namespace kiln::backend::cpu
