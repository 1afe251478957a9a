#include "kernel/raw/race.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/cpu/fiber.hpp"
#include "device/cpu/guarded_launch.hpp"
#include "device/cpu/signal_guard.hpp"
#include "device/stop_request.hpp"
#include "kernels-src/raw/abi.hpp"
#include "kiln/error.hpp"

namespace kiln::kinds {
namespace {

using backend::cpu::Fiber;

constexpr std::int64_t kLook = 1024;  // blocks between two looks at whether the call is to end

/// Threads go on from barrier to barrier, each on a fiber where it waits at one. A fiber that ends a thread takes the next.
class RaceScheduler {
 public:
  RaceScheduler(const backend::cpu::CpuModule& module, const RawLaunch& launch, void* const* arguments, void* shared,
                const backend::StopRequest* stop)
      : launch_(launch),
        stop_(stop),
        table_(*static_cast<RaceTable*>(module.races())),
        kernel_(module),
        checker_(raced(launch), table_, *static_cast<FaultBuffer*>(module.faults()), shared),
        items_{.arguments = arguments, .size = launch.size},
        blocks_{.arguments = arguments, .grid = {}, .block = {}, .shared = shared} {
    std::copy(launch.grid.begin(), launch.grid.end(), blocks_.grid);
    std::copy(launch.block.begin(), launch.block.end(), blocks_.block);
    blocks_.shared_bytes = launch.shared_bytes;
    table_.checker = this;
    table_.access = [](void* self, void* address, int64 bytes, const void* value, int32 use, int32 place) {
      static_cast<RaceScheduler*>(self)->access(address, bytes, value, use, place);
    };
    table_.barrier = [](void* self, int32 line, int32 column, const char* file) {
      static_cast<RaceScheduler*>(self)->wait({.file = file, .line = line, .column = column});
    };
  }

  void run() {
    while (true) {
      if (next_ < checker_.threads()) {
        step(free_fiber());
      } else if (!waiting_.empty()) {
        pass();
      } else {
        if (error_) std::rethrow_exception(error_);
        if (block_ + 1 >= checker_.blocks()) return;
        if (stop_ != nullptr) stop_->require_not_due(backend::kPartlyWritten);
        until_look_ = kLook;
        begin_next_block();
      }
    }
  }

 private:
  struct Waiting {
    Fiber* fiber;
    std::int64_t thread;
    RacePlace barrier;
  };

  void begin_next_block() {
    ++block_;
    next_ = 0;
    checker_.pass_barrier();
  }

  /// On a fiber: whether there is a thread to run, which is thread_ then.
  bool take() {
    if (next_ == checker_.threads()) {
      if (open_ > 0 || error_ || block_ + 1 == checker_.blocks() || --until_look_ == 0) return false;
      begin_next_block();
    }
    thread_ = next_++;
    return true;
  }

  void run_threads() {
    while (take()) {
      checker_.enter(block_, thread_);
      run_thread();
    }
  }

  void run_thread() {
    if (launch_.size >= 0) {
      kernel_.kernel<CpuRawItemsKernel>()(&items_, block_, block_ + 1);
    } else {
      kernel_.kernel<CpuRawKernel>()(&blocks_, block_, thread_);
    }
  }

  Fiber& free_fiber() {
    if (free_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>([this] { run_threads(); }));
      free_.push_back(fibers_.back().get());
    }
    Fiber* const free = free_.back();
    free_.pop_back();
    return *free;
  }

  void step(Fiber& fiber) {
    current_ = &fiber;
    bool waits = false;
    const auto resume = [&] { waits = fiber.resume(); };
    if (guard_ == nullptr) {
      resume();
    } else if (guard_->run(fiber, resume)) {  // the thread has ended
      std::erase_if(fibers_, [&](const auto& each) { return each.get() == &fiber; });
      return;
    }
    if (waits) {
      waiting_.push_back({&fiber, thread_, barrier_});
    } else {
      free_.push_back(&fiber);
    }
  }

  /// Every thread of the block waits at a barrier or has ended.
  void pass() {
    if (static_cast<std::int64_t>(waiting_.size()) < checker_.threads()) {
      std::int64_t missing = 0;
      while (std::ranges::find(waiting_, missing, &Waiting::thread) != waiting_.end()) ++missing;
      checker_.report_missing(waiting_.front().thread, missing, waiting_.front().barrier);
    }
    checker_.pass_barrier();
    for (const Waiting& each : std::exchange(waiting_, {})) {
      --open_;
      thread_ = each.thread;
      checker_.enter(block_, thread_);
      step(*each.fiber);
    }
  }

  /// Called by the kernel: nothing may be thrown through it.
  void wait(const RacePlace& barrier) noexcept {
    if (open_ == kMostTogether) {
      if (!error_) {
        error_ = std::make_exception_ptr(
            DeviceError((kernel_.fault_texts != nullptr ? kernel_.fault_texts->kernel + ": " : std::string()) + ".block has " +
                        std::to_string(checker_.threads()) + " threads, of which at most " + std::to_string(kMostTogether) +
                        " wait at a barrier() on the CPU; give a smaller .block"));
      }
      return;
    }
    ++open_;
    barrier_ = barrier;
    current_->suspend();
  }

  void access(void* address, std::int64_t bytes, const void* value, std::int32_t use, std::int32_t place) noexcept {
    if (error_ || current_->holds(address)) return;
    try {
      checker_.access(address, bytes, value, use, place);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  const backend::cpu::GuardedLaunch* guard_ = backend::cpu::GuardedLaunch::current();
  const backend::cpu::GuardedLaunch::Suspended host_;  // a crash ends a thread, not the launch
  const RawLaunch& launch_;
  const backend::StopRequest* stop_;
  RaceTable& table_;
  const backend::cpu::CpuModule& kernel_;
  RaceChecker checker_;
  CpuRawItems items_;
  CpuRawLaunch blocks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;
  std::vector<Waiting> waiting_;
  Fiber* current_ = nullptr;
  RacePlace barrier_{};
  std::int64_t block_ = 0;
  std::int64_t thread_ = 0;  // that runs
  std::int64_t next_ = 0;    // thread of the block to begin
  std::int64_t open_ = 0;    // threads that are suspended
  std::int64_t until_look_ = kLook;
  std::exception_ptr error_;
};

}  // namespace

RacedLaunch raced(const RawLaunch& launch) {
  RacedLaunch made{
      .size = launch.size, .grid = launch.grid, .block = launch.block, .shared_bytes = launch.shared_bytes, .arrays = {}};
  const std::int64_t* axes = launch.axes.data();
  for (std::size_t i = 0; i < launch.count; ++i) {
    const RawLaunch::Argument& argument = launch.arguments[i];
    const std::size_t rank = argument.dimensions;
    if (argument.array) {
      RacedArray& array = made.arrays.emplace_back();
      array.argument = static_cast<std::int32_t>(i);
      std::memcpy(&array.data, argument.value.data(), sizeof array.data);
      array.size = argument.size;
      array.item_bytes = argument.item_bytes;
      array.by_axes = rank > 0;
      array.extents.assign(axes, axes + rank);
      array.strides.assign(axes + rank, axes + 2 * rank);
    }
    axes += 2 * rank;
  }
  return made;
}

void run_race(const backend::cpu::CpuModule& module, const RawLaunch& launch, void* const* arguments, void* shared,
              const backend::StopRequest* stop) {
  RaceScheduler(module, launch, arguments, shared, stop).run();
}

}  // namespace kiln::kinds
