#include "grid.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <vector>

#include "device.hpp"
#include "faults.hpp"
#include "fiber.hpp"

namespace kiln_emulated {
namespace {

constexpr unsigned kWarp = 32;
constexpr int kGarbage = 0xa5;  // in shared memory at the start of a block
constexpr unsigned kShownBeyond = 1024;
constexpr long kMostYields = 1000000;  // of a block, with nothing else happening

/// Visits 0 … count - 1, each once; a seed of 0 in order.
class Order {
 public:
  Order(std::uint64_t count, std::uint64_t seed) : count_(count) {
    if (seed == 0 || count < 2) return;
    // splitmix64
    std::uint64_t bits = seed * 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    first_ = (bits >> 32) % count;
    for (step_ = 1 + (bits & 0xffffffffU) % (count - 1); std::gcd(step_, count) != 1;) ++step_;
  }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const { return (first_ + i * step_) % count_; }

 private:
  std::uint64_t count_, first_ = 0, step_ = 1;
};

std::string text(Position p) {
  return "(" + std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z) + ")";
}
std::string text(Place place) {
  return std::string(place.file) + ":" + std::to_string(place.line);
}
bool same(Place a, Place b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

enum class State : std::uint8_t { new_, runs, at_barrier, at_exchange, yields, ended };

struct Thread {
  State state = State::new_;
  Position index{};
  Fiber* fiber = nullptr;
  Place place{};
  int barrier_value = 0;
  unsigned mask = 0;
  unsigned long long shown = 0;
};

class Grid {
 public:
  explicit Grid(const GridLaunch& launch)
      : launch_(launch), threads_(std::size_t{launch.block.x} * launch.block.y * launch.block.z), exchanges_(threads_.size()) {
    std::size_t i = 0;
    for (unsigned z = 0; z < launch.block.z; ++z) {
      for (unsigned y = 0; y < launch.block.y; ++y) {
        for (unsigned x = 0; x < launch.block.x; ++x) threads_[i++].index = {x, y, z};
      }
    }
  }

  Outcome run();

  int barrier(int value, Place place);
  const Exchange* exchange(unsigned mask, unsigned long long value, Place place);
  unsigned active_lanes();
  void yield(Place place);
  /// The body of every fiber: threads that were not started yet, one after another.
  void work();

 private:
  void run_block(Position block, std::uint64_t seed);
  void prepare_block();
  void go_on(Fiber& fiber);
  Fiber& free_fiber();
  /// Makes threads that wait for nothing any more ready; false where there are none.
  bool release();
  bool release_barrier();
  bool release_warp(std::size_t any_lane);
  void set_ready(std::size_t thread);
  void wait(State state, Place place);
  void fail(int status, const std::string& what);
  [[nodiscard]] std::string why_stuck() const;

  const GridLaunch& launch_;
  Outcome outcome_;
  std::vector<Thread> threads_;
  std::vector<Exchange> exchanges_;  // of each thread, its last
  std::deque<std::size_t> ready_;
  std::vector<Fiber*> idle_;
  Order order_{1, 0};
  std::size_t current_ = 0, started_ = 0, ended_ = 0, at_barrier_ = 0;
  int barrier_count_ = 0;
  long yields_ = 0;
  Position block_{};
};

Grid* grid = nullptr;  // the one that runs

/// Stacks outlive a launch; those of one that failed are thrown away, whatever stood on them.
std::vector<std::unique_ptr<Fiber>>& fibers() {
  static auto* const all = new std::vector<std::unique_ptr<Fiber>>;
  return *all;
}

const Services kServices = {
    .barrier = [](int value, Place place) { return grid->barrier(value, place); },
    .exchange = [](unsigned mask, unsigned long long value, Place place) { return grid->exchange(mask, value, place); },
    .active_lanes = [] { return grid->active_lanes(); },
    .yield = [](Place place) { grid->yield(place); },
};

Outcome Grid::run() {
  grid = this;
  *launch_.module.services = &kServices;
  *launch_.module.block_size = launch_.block;
  *launch_.module.grid_size = launch_.grid;
  for (const auto& fiber : fibers()) idle_.push_back(fiber.get());
  {
    const FaultGuard guard;
    const Position size = launch_.grid;
    const std::uint64_t blocks = std::uint64_t{size.x} * size.y * size.z;
    const Order order(blocks, launch_.seed);
    for (std::uint64_t i = 0; i < blocks && outcome_.status == 0; ++i) {
      const std::uint64_t b = order(i);
      run_block({static_cast<unsigned>(b % size.x), static_cast<unsigned>(b / size.x % size.y),
                 static_cast<unsigned>(b / size.x / size.y)},
                launch_.seed == 0 ? 0 : launch_.seed + b + 1);
    }
  }
  if (outcome_.status != 0) fibers().clear();
  grid = nullptr;
  return outcome_;
}

void Grid::prepare_block() {
  const Module& module = launch_.module;
  if (module.shared != nullptr) {
    std::memset(module.shared, kGarbage, static_cast<std::size_t>(module.shared_end - module.shared));
  }
  const std::size_t dynamic = launch_.dynamic_shared_bytes;
  if (dynamic != 0)
    std::memset(module.dynamic_shared, kGarbage, std::min<std::size_t>(dynamic + kShownBeyond, module.dynamic_shared_bytes));
  for (Thread& thread : threads_) thread.state = State::new_;
  started_ = ended_ = at_barrier_ = 0;
  barrier_count_ = 0;
  yields_ = 0;
}

void Grid::run_block(Position block, std::uint64_t seed) {
  block_ = block;
  *launch_.module.block = block;
  order_ = Order(threads_.size(), seed);
  prepare_block();
  while (outcome_.status == 0) {
    if (started_ < threads_.size()) {
      go_on(free_fiber());
    } else if (!ready_.empty()) {
      // From either end, so that neither the first nor the last to arrive is always the first to leave.
      const bool last = (seed & 1) != 0;
      current_ = last ? ready_.back() : ready_.front();
      if (last) {
        ready_.pop_back();
      } else {
        ready_.pop_front();
      }
      Thread& thread = threads_[current_];
      thread.state = State::runs;
      *launch_.module.thread = thread.index;
      go_on(*thread.fiber);
    } else if (ended_ == threads_.size()) {
      break;
    } else if (!release()) {
      fail(fake_cuda::kLaunchFailed, why_stuck());
    }
  }
  const Module& module = launch_.module;
  if (const std::size_t dynamic = launch_.dynamic_shared_bytes; dynamic != 0 && outcome_.status == 0) {
    for (std::size_t i = dynamic; i < std::min<std::size_t>(dynamic + kShownBeyond, module.dynamic_shared_bytes); ++i) {
      if (module.dynamic_shared[i] == static_cast<char>(kGarbage)) continue;
      fail(fake_cuda::kIllegalAddress, "a thread wrote to byte " + std::to_string(i) + " of " + std::to_string(dynamic) +
                                           " bytes of dynamic shared memory");
      return;
    }
  }
}

Fiber& Grid::free_fiber() {
  if (idle_.empty()) {
    fibers().push_back(std::make_unique<Fiber>([] { grid->work(); }));
    idle_.push_back(fibers().back().get());
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

void Grid::go_on(Fiber& fiber) {
  clear_fault();
  fiber.resume();
  if (const Fault fault = last_fault(); fault.status != 0) {
    fail(fault.status, "thread " + text(threads_[current_].index) + " " + fault.what);
    return;
  }
  Thread& thread = threads_[current_];
  if (thread.state == State::ended || thread.fiber != &fiber) {
    idle_.push_back(&fiber);
  } else if (thread.state == State::yields) {
    ready_.push_back(current_);
  }
}

void Grid::work() {
  while (started_ < threads_.size()) {
    current_ = order_(started_++);
    Thread& thread = threads_[current_];
    thread.state = State::runs;
    thread.fiber = Fiber::running();
    *launch_.module.thread = thread.index;
    launch_.kernel(launch_.parameters);
    threads_[current_].state = State::ended;
    ++ended_;
    yields_ = 0;
  }
}

void Grid::wait(State state, Place place) {
  Thread& thread = threads_[current_];
  thread.state = state;
  thread.place = place;
  Fiber::pause();
}

int Grid::barrier(int value, Place place) {
  Thread& thread = threads_[current_];
  thread.barrier_value = value;
  thread.place = place;
  thread.state = State::at_barrier;
  ++at_barrier_;
  if (!release_barrier()) wait(State::at_barrier, place);
  return barrier_count_;
}

bool Grid::release_barrier() {
  if (at_barrier_ < threads_.size()) return false;
  int count = 0;
  for (const Thread& thread : threads_) {
    if (!same(thread.place, threads_[0].place)) return false;
    count += thread.barrier_value != 0 ? 1 : 0;
  }
  barrier_count_ = count;
  at_barrier_ = 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) set_ready(order_(i));
  return true;
}

const Exchange* Grid::exchange(unsigned mask, unsigned long long value, Place place) {
  Thread& thread = threads_[current_];
  thread.mask = mask;
  thread.shown = value;
  thread.place = place;
  if ((mask >> current_ % kWarp & 1) == 0) {
    fail(fake_cuda::kLaunchFailed, "thread " + text(thread.index) + " is not in the mask that it gives at " + text(place));
  }
  thread.state = State::at_exchange;
  if (outcome_.status != 0 || !release_warp(current_)) wait(State::at_exchange, place);
  return &exchanges_[current_];
}

bool Grid::release_warp(std::size_t any_lane) {
  const Thread& asked = threads_[any_lane];
  const std::size_t first = any_lane / kWarp * kWarp;
  const std::size_t lanes = std::min<std::size_t>(kWarp, threads_.size() - first);
  Exchange exchange{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Thread& thread = threads_[first + lane];
    // CUDA: "all non-exited threads named in mask".
    if ((asked.mask >> lane & 1) == 0 || thread.state == State::ended) continue;
    if (thread.state != State::at_exchange || thread.mask != asked.mask || !same(thread.place, asked.place)) return false;
    exchange.lanes |= 1U << lane;
    exchange.values[lane] = thread.shown;
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if ((exchange.lanes >> lane & 1) == 0) continue;
    exchanges_[first + lane] = exchange;
    set_ready(first + lane);
  }
  return true;
}

bool Grid::release() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state == State::at_exchange && release_warp(i)) return true;
  }
  return false;
}

void Grid::set_ready(std::size_t thread) {
  yields_ = 0;
  threads_[thread].state = State::runs;
  // The last to arrive goes on where it is.
  if (Fiber::running() == nullptr || thread != current_) ready_.push_back(thread);
}

unsigned Grid::active_lanes() {
  const std::size_t first = current_ / kWarp * kWarp;
  unsigned lanes = 0;
  for (std::size_t lane = 0; lane < kWarp && first + lane < threads_.size(); ++lane) {
    if (threads_[first + lane].state != State::ended) lanes |= 1U << lane;
  }
  return lanes;
}

void Grid::yield(Place place) {
  if (++yields_ > kMostYields) {
    fail(fake_cuda::kTimeout,
         "thread " + text(threads_[current_].index) + " waits at " + text(place) + " for something that never happens");
  } else if (ready_.empty() && started_ == threads_.size()) {
    return;
  }
  wait(State::yields, place);
}

void Grid::fail(int status, const std::string& what) {
  if (outcome_.status != 0) return;
  outcome_ = {status, "block " + text(block_) + ": " + what};
}

std::string Grid::why_stuck() const {
  struct Group {
    State state;
    Place place;
    unsigned mask;
    Position example;
    std::size_t count;
  };
  std::vector<Group> groups;
  for (const Thread& thread : threads_) {
    const bool ended = thread.state == State::ended;
    const unsigned mask = thread.state == State::at_exchange ? thread.mask : 0;
    const auto is_same = [&](const Group& group) {
      return group.state == thread.state && (ended || (group.mask == mask && same(group.place, thread.place)));
    };
    const auto found = std::find_if(groups.begin(), groups.end(), is_same);
    if (found == groups.end()) {
      groups.push_back({thread.state, thread.place, mask, thread.index, 1});
    } else {
      ++found->count;
    }
  }
  std::string why = "its " + std::to_string(threads_.size()) + " threads wait for one another";
  for (const Group& group : groups) {
    char mask[16];
    std::snprintf(mask, sizeof(mask), "0x%08x", group.mask);
    why += "; " + std::to_string(group.count) +
           (group.state == State::ended        ? " have ended"
            : group.state == State::at_barrier ? " wait at the barrier at " + text(group.place)
                                               : " wait for the lanes " + std::string(mask) + " at " + text(group.place)) +
           ", such as " + text(group.example);
  }
  return why;
}

}  // namespace

Outcome run_grid(const GridLaunch& launch) {
  return Grid(launch).run();
}

}  // namespace kiln_emulated
