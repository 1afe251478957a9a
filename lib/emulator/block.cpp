#include "emulator/block.hpp"

#include <algorithm>
#include <utility>

namespace kiln::emulator {
namespace {

/// Blocks that are under way side by side, as on a small device.
constexpr std::uint32_t kResident = 8;

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;  // splitmix64
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

std::string extent_text(const Extent& at) {
  return "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
}

}  // namespace

Block::Block(Launch& launch, std::uint32_t number)
    : launch_(launch),
      number_(number),
      threads_(launch.block[0] * launch.block[1] * launch.block[2]),
      shared_(std::size_t{launch.program.static_shared} + launch.dynamic_shared, '\xA5'),
      shared_shadow_(std::make_unique<Shadow>(shared_.size())) {
  for (unsigned begin = 0; begin < threads_; begin += kLanes) {
    const unsigned lanes = std::min(kLanes, threads_ - begin);
    warps_.push_back(std::make_unique<Warp>(*this, begin / kLanes, lanes == kLanes ? kAllLanes : (Mask{1} << lanes) - 1));
  }
}

Extent Block::position() const noexcept {
  const Extent& grid = launch_.grid;
  return {number_ % grid[0], number_ / grid[0] % grid[1], number_ / grid[0] / grid[1]};
}

bool Block::run(std::uint64_t random) {
  constexpr std::uint64_t kLongest = 256;
  const std::uint64_t steps = 1 + (random >> 32U) % kLongest;
  const std::size_t first = random % warps_.size();
  bool alive = false;
  for (std::size_t k = 0; k < warps_.size(); ++k) {
    Warp& warp = *warps_[(first + k) % warps_.size()];
    if (warp.alive() == 0) continue;
    alive = true;
    if (warp.run(steps)) return true;
  }
  if (!alive) return false;
  fail_waiting();
}

void Block::fail_waiting() const {
  unsigned alive_threads = 0;
  std::string where;
  for (const auto& warp : warps_) {
    alive_threads += static_cast<unsigned>(__builtin_popcount(warp->alive()));
    if (where.empty() && warp->alive() != 0) where = warp->waiting_text();
  }
  const std::string who = "block " + extent_text(position());
  const std::string all = std::to_string(threads_) + " threads";
  if (alive_threads < threads_) {
    throw Finding(Fault::launch_failed, who + ": " + std::to_string(threads_ - alive_threads) + " of its " + all +
                                            " ended without reaching what the others wait for; of the first warp that waits, " +
                                            where);
  }
  throw Finding(Fault::launch_failed,
                who + ": its " + all + " wait for one another at different places; of the first warp, " + where);
}

void Block::arrive(std::uint32_t number, unsigned lanes, unsigned expected, unsigned yes, std::uint32_t operation) {
  Barrier& barrier = barriers_[number];
  barrier.arrived += lanes;
  barrier.yes += yes;
  barrier.expected = expected;
  barrier.operation = operation;
  if (barrier.arrived >= (expected == 0 ? threads_ : expected)) complete(number);
}

// A barrier of the whole block that some threads can no longer reach.
void Block::ended() {
  unsigned alive = 0;
  for (const auto& warp : warps_) alive += static_cast<unsigned>(__builtin_popcount(warp->alive()));
  for (std::uint32_t number = 0; number < barriers_.size(); ++number) {
    const Barrier& barrier = barriers_[number];
    if (barrier.arrived == 0 || barrier.expected != 0 || barrier.arrived < alive) continue;
    fail_waiting();
  }
}

void Block::complete(std::uint32_t number) {
  const Barrier done = std::exchange(barriers_[number], Barrier());
  ++epoch_;
  // Bits 0 and 1 of the operation: none, popc, and, or.
  const std::uint32_t result = done.operation == 1   ? done.yes
                               : done.operation == 2 ? (done.yes == done.arrived ? 1U : 0U)
                               : done.operation == 3 ? (done.yes != 0 ? 1U : 0U)
                                                     : 0U;
  for (const auto& warp : warps_) warp->release(number, result);
}

void Known::join(const Known& other) {
  const auto take = [](auto& into, const auto& from) {
    for (const auto& [who, count] : from) {
      std::uint32_t& known = into[who];
      known = std::max(known, count);
    }
  };
  take(epochs, other.epochs);
  take(releases, other.releases);
}

void Block::release(std::uint64_t address, std::uint32_t thread, std::uint32_t releases) {
  Released& at = launch_.released[address];
  at.known.join(known_);
  at.known.epochs[number_] = epoch_;
  at.known.releases[thread] = releases;
  ++at.version;
}

void Block::acquire(std::uint64_t address) {
  const auto found = launch_.released.find(address);
  if (found == launch_.released.end()) return;
  std::uint64_t& version = learned_[address];
  if (version == found->second.version) return;
  version = found->second.version;
  known_.join(found->second.known);
}

bool Block::knows(const Access& other) const {
  const auto thread = known_.releases.find(other.thread);
  if (thread != known_.releases.end() && other.releases < thread->second) return true;
  const auto block = known_.epochs.find(other.thread / threads_);
  return block != known_.epochs.end() && other.epoch < block->second;
}

void run(Launch& launch) {
  std::uint64_t random = launch.seed * 0x9E3779B97F4A7C15U + launch.command;
  const std::uint32_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  std::vector<std::unique_ptr<Block>> resident;
  std::uint32_t next = 0;
  while (true) {
    while (resident.size() < kResident && next < blocks) resident.push_back(std::make_unique<Block>(launch, next++));
    if (resident.empty()) return;
    const std::size_t chosen = next_random(random) % resident.size();
    if (!resident[chosen]->run(next_random(random))) resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (launch.steps > launch.most_steps) {
      throw Finding(Fault::timeout, "ran for " + std::to_string(launch.most_steps) + " instructions without an end");
    }
  }
}

}  // namespace kiln::emulator
