#include "device/cpu/threads.hpp"
#include "base/fork.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <latch>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "base/ceil_div.hpp"
#include "device/cpu/guarded_launch.hpp"
#include "shared/float_environment.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr int kChunksPerThread = 4;
/// A stretch shorter than this says more about the caches than about the kernel.
constexpr double kTrustedNs = 2'000;
/// After so many short calls in a row helpers are called for the next ones.
constexpr int kRow = 4;
constexpr int kRowBeforeStart = 64;    // oneTBB's takes a millisecond
constexpr double kWorthCalling = 1.5;  // arrivals: calling takes the caller a third of one
constexpr double kGapNs = 40'000;
/// Of a call that may be stopped, what a part takes, and elements of one at the most.
constexpr double kStopNs = 2'000'000;
constexpr double kStopElements = 65536;
constexpr double kEndless = std::numeric_limits<double>::infinity();
/// From a start that failed to the next try.
constexpr double kRetryNs = 1e9;

/// Whether the system has so many more threads to give. oneTBB lets its workers make one another, where a refusal ends the
/// process.
bool can_make_threads(int count) {
  using oneapi::tbb::global_control;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, global_control::active_value(global_control::thread_stack_size));
  std::vector<pthread_t> made;
  made.reserve(static_cast<std::size_t>(count));
  std::latch all_made(1);
  const auto wait = [](void* latch) -> void* {
    static_cast<std::latch*>(latch)->wait();
    return nullptr;
  };
  pthread_t thread{};
  while (static_cast<int>(made.size()) < count && pthread_create(&thread, &attributes, wait, &all_made) == 0)
    made.push_back(thread);
  all_made.count_down();
  for (const pthread_t each : made) pthread_join(each, nullptr);
  pthread_attr_destroy(&attributes);
  return static_cast<int>(made.size()) == count;
}

/// Twice as large a chunk of `size` elements, which may be as many as there are numbers.
std::int64_t doubled(std::int64_t chunk, std::int64_t size) noexcept {
  return chunk > size / 2 ? size : 2 * chunk;
}

/// Runs [begin, end) and notes how long an element took.
double timed(const CpuModule& module, double weight, base::FunctionRef<void(std::int64_t, std::int64_t)> work,
             std::int64_t begin, std::int64_t end) {
  const double start = now_ns();
  work(begin, end);
  const double taken = now_ns() - start;
  module.set_element_ns(taken / (static_cast<double>(end - begin) * weight));
  return taken;
}

}  // namespace

double now_ns() noexcept {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Chunks cut(std::int64_t size, double element_ns, int threads, std::int64_t grain, double serial_ns) {
  const double work = element_ns * static_cast<double>(size);
  if (threads <= 1 || size <= grain || work < serial_ns) return {.elements = size, .count = 1};
  const double wanted = std::clamp(work / (serial_ns / 2), 2.0, static_cast<double>(threads) * kChunksPerThread);
  // Rounded up to whole grains: the last chunk may be shorter, never one more.
  const std::int64_t elements = base::ceil_div(base::ceil_div(size, static_cast<std::int64_t>(wanted)), grain) * grain;
  return {.elements = elements, .count = base::ceil_div(size, elements)};
}

void Threads::parallel_for(const CpuModule& module, const Range& range, Work work, const StopRequest* stop) {
  if (const GuardedLaunch* const launch = GuardedLaunch::current()) [[unlikely]] {
    const GuardedLaunch::Suspended host;
    return parallel_for(
        module, range, [&](std::int64_t begin, std::int64_t end) { launch->run([&] { work(begin, end); }); }, stop);
  }
  if (stop != nullptr) [[unlikely]]
    return run_stoppable(module, range, work, *stop);
  const std::int64_t size = range.size;
  if (count_ == 1 || size <= range.grain) return work(0, size);
  double element_ns = static_cast<double>(module.element_ns()) * range.weight;
  std::int64_t begin = 0;
  // The first block waits for the kernel's pages, 20 µs and more: taken for its speed, it would open oneTBB for a thousand
  // additions, which takes a millisecond.
  if (element_ns <= 0) {
    work(0, range.grain);
    begin = range.grain;
  }
  // Never measured: do it on the way, on growing chunks until one is long enough to be trusted.
  for (std::int64_t chunk = range.grain; element_ns <= 0 && begin < size; chunk = doubled(chunk, size)) {
    const std::int64_t end = begin + std::min(chunk, size - begin);
    const bool trusted = timed(module, range.weight, work, begin, end) >= kTrustedNs;
    begin = end;
    if (trusted)
      element_ns = static_cast<double>(module.element_ns()) * range.weight;
    else if (begin < size)
      module.set_element_ns(0);
  }
  if (begin == size) return;

  const double rest_ns = element_ns * static_cast<double>(size - begin);
  const Chunks chunks = base::forked() ? Chunks{} : cut(size - begin, element_ns, count_, range.grain, serial_ns(rest_ns));
  if (chunks.count > 1) {
    run_chunks(module, begin, range, chunks, work);
  } else if (module.time_for_a_look()) {
    timed(module, range.weight, work, begin, size);
  } else {
    work(begin, size);
  }
}

void Threads::parallel_for(std::int64_t count, base::FunctionRef<void(std::int64_t)> work, const StopRequest* stop) {
  if (const GuardedLaunch* const launch = GuardedLaunch::current()) [[unlikely]] {
    const GuardedLaunch::Suspended host;
    return parallel_for(count, [&](std::int64_t index) { launch->run([&] { work(index); }); }, stop);
  }
  if (stop == nullptr) [[likely]]
    return run_each(count, work);
  run_each(count, [&](std::int64_t index) {
    stop->require_not_due(kPartlyWritten);
    work(index);
  });
}

// Elements may take other times than those of the last call: the first ones of each are measured.
void Threads::run_stoppable(const CpuModule& module, const Range& range, Work work, const StopRequest& stop) {
  const auto before = module.element_ns();
  std::int64_t begin = 0;
  for (std::int64_t chunk = range.grain; begin < range.size; chunk = doubled(chunk, range.size)) {
    stop.require_not_due(kPartlyWritten);
    const std::int64_t end = begin + std::min(chunk, range.size - begin);
    const bool trusted = timed(module, range.weight, work, begin, end) >= kTrustedNs;
    begin = end;
    if (trusted) break;
    module.set_element_ns(before);
  }
  if (begin >= range.size) return;
  const double element_ns = std::max(static_cast<double>(module.element_ns()) * range.weight, kStopNs / kStopElements);
  const std::int64_t grains = std::max<std::int64_t>(static_cast<std::int64_t>(kStopNs / element_ns) / range.grain, 1);
  const std::int64_t each = grains * range.grain;
  parallel_for(
      base::ceil_div(range.size - begin, each),
      [&](std::int64_t index) {
        const std::int64_t first = begin + index * each;
        work(first, first + std::min(each, range.size - first));
      },
      &stop);
}

void Threads::run_each(std::int64_t count, base::FunctionRef<void(std::int64_t)> work) {
  if (count <= 1 || count_ == 1 || base::forked()) {
    for (std::int64_t i = 0; i < count; ++i) work(i);
  } else {
    share(count, work);
  }
}

void Threads::run_chunks(const CpuModule& module, std::int64_t begin, const Range& range, Chunks chunks, Work work) {
  share(chunks.count, [&](std::int64_t index) {
    const std::int64_t first = begin + index * chunks.elements;
    const std::int64_t last = first + std::min(chunks.elements, range.size - first);
    // One of them keeps the measure fresh: data and caches differ from call to call.
    if (index == 0)
      timed(module, range.weight, work, first, last);
    else
      work(first, last);
  });
}

void Threads::share(std::int64_t count, base::FunctionRef<void(std::int64_t)> call) {
  namespace tbb = oneapi::tbb;
  using tbb::global_control;
  // Workers have the environment of the thread that started oneTBB.
  const auto in_default = [&](std::int64_t index) {
    const base::DefaultFloatEnvironment floats;
    call(index);
  };
  const base::FunctionRef<void(std::int64_t)> work = in_default;
  const std::size_t allowed = global_control::active_value(global_control::max_allowed_parallelism);
  if (allowed <= 1 || !start(allowed)) {
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
  const WorkerPool::Task chunk = [](const void* all, std::int64_t index) {
    (*static_cast<const base::FunctionRef<void(std::int64_t)>*>(all))(index);
  };
  if (pool_->run(count, &work, chunk, allowed)) return;
  // The caller must not be one of another's helpers while it waits for its last task.
  arena_->execute([&] {
    tbb::this_task_arena::isolate([&] {
      // A group of its own: a call inside a task of the host program must not be cancelled with that one's group.
      tbb::task_group_context context(tbb::task_group_context::isolated);
      tbb::parallel_for(std::int64_t{0}, count, work, tbb::simple_partitioner(), context);
    });
  });
}

// False where the system has no memory or no threads for it: a later call tries again.
bool Threads::start(std::size_t allowed) {
  if (known_.load(std::memory_order_acquire) != nullptr) return true;
  const std::lock_guard guard(start_mutex_);
  if (pool_ != nullptr) return true;
  if (now_ns() < next_start_) return false;
  // oneTBB prints a warning where an arena asks for more threads than it may have: more than the hardware's would only wait for
  // one another.
  const int threads = static_cast<int>(std::min(allowed, static_cast<std::size_t>(count_)));
  try {
    if (!can_make_threads(threads - 1)) throw std::bad_alloc();
    auto arena = std::make_unique<oneapi::tbb::task_arena>(threads);
    // oneTBB waits for ever for an arena whose first use threw, so that one is never used again.
    arena->initialize();
    pool_ = std::make_shared<WorkerPool>(*arena, threads - 1);
    arena_ = std::move(arena);
  } catch (const std::exception&) {
    next_start_ = now_ns() + kRetryNs;
    return false;
  }
  known_.store(pool_.get(), std::memory_order_release);
  return true;
}

// From where on work is divided. Helpers that spin-wait are there at once. Who has to be called is worth it where the work
// takes longer than he does, or in a row of calls, for the next ones.
double Threads::serial_ns(double work_ns) noexcept {
  if (work_ns < kSerialBesideHelpersNs) return kEndless;
  const WorkerPool* const workers = known_.load(std::memory_order_acquire);
  if (workers != nullptr && workers->has_helpers()) return kSerialBesideHelpersNs;
  if (work_ns >= kSerialNs && (workers == nullptr || work_ns >= kWorthCalling * workers->arrival_ns())) return kSerialNs;
  const double now = now_ns();
  const bool in_a_row = now < last_short_end_.exchange(now + work_ns, std::memory_order_relaxed) + kGapNs;
  const int calls = in_a_row ? short_calls_.load(std::memory_order_relaxed) + 1 : 0;
  short_calls_.store(calls, std::memory_order_relaxed);
  return calls >= (workers == nullptr ? kRowBeforeStart : kRow) ? kSerialBesideHelpersNs : kEndless;
}

}  // namespace kiln::backend::cpu
