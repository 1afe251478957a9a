#include "emulator/run/block.hpp"

#include <algorithm>
#include <utility>

namespace kiln::emulator {

Block::Block(Launch& launch, std::uint32_t number)
    : launch_(launch),
      number_(number),
      threads_(count_of(launch.block)),
      shared_(std::size_t{launch.program.static_shared} + launch.dynamic_shared, '\xA5'),
      shared_shadow_(std::make_unique<Shadow>(shared_.size())) {
  for (unsigned begin = 0; begin < threads_; begin += kLanes) {
    const unsigned lanes = std::min(kLanes, threads_ - begin);
    warps_.push_back(std::make_unique<Warp>(*this, begin / kLanes, lanes == kLanes ? kAllLanes : (Mask{1} << lanes) - 1));
  }
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
    alive_threads += count_of(warp->alive());
    if (where.empty() && warp->alive() != 0) where = warp->waiting_text();
  }
  const std::string who = "block " + text_of(position());
  const std::string all = std::to_string(threads_) + " threads";
  if (alive_threads < threads_) {
    throw KernelFault(Fault::launch_failed,
                      who + ": " + std::to_string(threads_ - alive_threads) + " of its " + all +
                          " ended without reaching what the others wait for; of the first warp that waits, " + where);
  }
  throw KernelFault(Fault::launch_failed,
                    who + ": its " + all + " wait for one another at different places; of the first warp, " + where);
}

void Block::arrive(std::uint32_t number, unsigned lanes, unsigned expected, unsigned yes, BarrierResult result) {
  Barrier& barrier = barriers_[number];
  barrier.arrived += lanes;
  barrier.yes += yes;
  barrier.expected = expected;
  barrier.result = result;
  if (barrier.arrived >= (expected == 0 ? threads_ : expected)) complete(number);
}

// A barrier of the whole block that some threads can no longer reach.
void Block::ended() {
  unsigned alive = 0;
  for (const auto& warp : warps_) alive += count_of(warp->alive());
  for (const Barrier& barrier : barriers_) {
    if (barrier.arrived != 0 && barrier.expected == 0 && barrier.arrived >= alive) fail_waiting();
  }
}

void Block::complete(std::uint32_t number) {
  const Barrier done = std::exchange(barriers_[number], Barrier());
  ++epoch_;
  const std::uint32_t result = done.result == BarrierResult::count ? done.yes
                               : done.result == BarrierResult::all ? (done.yes == done.arrived ? 1U : 0U)
                                                                   : (done.yes != 0 ? 1U : 0U);
  for (const auto& warp : warps_) warp->release(number, result);
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

}  // namespace kiln::emulator
