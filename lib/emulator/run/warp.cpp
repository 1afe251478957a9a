#include "emulator/run/warp.hpp"

#include <algorithm>
#include <utility>

#include "emulator/run/block.hpp"

namespace kiln::emulator {
namespace {

/// Instructions that a group runs while others wait at other places, before it lets them run: threads that wait for one another
/// by loops must all get on.
constexpr std::uint64_t kSlice = 20'000;

}  // namespace

Warp::Warp(Block& block, unsigned index, Mask lanes)
    : block_(block),
      index_(index),
      started_(lanes),
      alive_(lanes),
      specials_(static_cast<std::size_t>(Special::count) * kLanes) {
  const Code& kernel = block.launch().kernel;
  local_bytes_ = kernel.local_bytes;
  local_.resize(std::size_t{local_bytes_} * kLanes);
  groups_.push_back({.frame = std::make_shared<Frame>(kernel, nullptr, 0), .mask = lanes});
  set_specials();
}

void Warp::set_special(Special which, std::uint64_t value) {
  std::fill_n(specials_.begin() + static_cast<std::ptrdiff_t>(which) * kLanes, kLanes, value);
}

void Warp::set_specials() {
  const Launch& launch = block_.launch();
  const auto set_extent = [&](Special x, const Extent& extent) {
    for (std::size_t k = 0; k < extent.size(); ++k)
      set_special(static_cast<Special>(static_cast<std::size_t>(x) + k), extent[k]);
  };
  set_extent(Special::ntid_x, launch.block);
  set_extent(Special::ctaid_x, block_.position());
  set_extent(Special::nctaid_x, launch.grid);
  set_special(Special::warpid, index_);
  set_special(Special::nwarpid, (block_.threads() + kLanes - 1) / kLanes);
  set_special(Special::nsmid, 1);
  set_special(Special::gridid, launch.command);
  set_special(Special::dynamic_smem_size, launch.dynamic_shared);
  set_special(Special::total_smem_size, std::uint64_t{launch.program.static_shared} + launch.dynamic_shared);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto set = [&](Special which, std::uint64_t value) {
      specials_[static_cast<std::size_t>(which) * kLanes + lane] = value;
    };
    const Extent position = position_in(launch.block, thread(lane));
    set(Special::tid_x, position[0]);
    set(Special::tid_y, position[1]);
    set(Special::tid_z, position[2]);
    set(Special::laneid, lane);
    const Mask own = Mask{1} << lane;
    set(Special::lanemask_eq, own);
    set(Special::lanemask_lt, own - 1);
    set(Special::lanemask_le, own | (own - 1));
    set(Special::lanemask_gt, ~(own | (own - 1)));
    set(Special::lanemask_ge, ~(own - 1));
  }
}

bool Warp::run(std::uint64_t steps) {
  const std::uint64_t end = steps_ + steps;
  bool moved = false;
  while (steps_ < end) {
    const std::size_t chosen = choose();
    if (chosen == groups_.size()) break;
    moved = true;
    // Time is what has been executed.
    set_special(Special::clock, static_cast<std::uint32_t>(steps_));
    set_special(Special::clock_hi, steps_ >> 32U);
    set_special(Special::clock64, steps_);
    set_special(Special::globaltimer, block_.launch().steps);
    advance(chosen);
  }
  return moved;
}

// The deepest call first, and in it who is first in the text: groups whose branches differed meet again where the branches do.
std::size_t Warp::choose() {
  std::size_t best = groups_.size();
  const bool long_since = since_choice_ >= kSlice;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Group& group = groups_[k];
    if (group.state != State::ready) continue;
    if (best == groups_.size()) {
      best = k;
      continue;
    }
    const Group& other = groups_[best];
    const bool sooner = long_since                                 ? group.last_run < other.last_run
                        : group.frame->depth != other.frame->depth ? group.frame->depth > other.frame->depth
                                                                   : group.pc < other.pc;
    if (sooner) best = k;
  }
  in_slice_ = long_since;
  if (long_since) since_choice_ = 0;
  if (best != groups_.size()) groups_[best].last_run = steps_;
  return best;
}

std::size_t Warp::merge(std::size_t chosen) {
  for (std::size_t k = groups_.size(); k-- > 0;) {
    const Group& into = groups_[chosen];
    if (k == chosen || groups_[k].state != State::ready || groups_[k].pc != into.pc || groups_[k].frame != into.frame) continue;
    groups_[chosen].mask |= groups_[k].mask;
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(k));
    if (k < chosen) --chosen;
  }
  return chosen;
}

void Warp::enter(Group& group) {
  frame_ = group.frame.get();
  bases_ = {frame_->registers.data(), const_cast<std::uint64_t*>(frame_->code.constants.data()), specials_.data()};
  predicates_ = frame_->predicates.data();
}

void Warp::advance(std::size_t chosen) {
  chosen = merge(chosen);
  std::uint32_t meeting = ~0U;
  for (const Group& other : groups_) {
    const Group& group = groups_[chosen];
    if (&other != &group && other.state == State::ready && other.frame == group.frame && other.pc > group.pc)
      meeting = std::min(meeting, other.pc);
  }
  enter(groups_[chosen]);
  const Instruction* const code = frame_->code.instructions.data();
  const Mask mask = groups_[chosen].mask;
  std::uint32_t pc = groups_[chosen].pc;
  constexpr std::uint64_t kMostAtOnce = 4096;
  const std::uint64_t begun = steps_;
  const auto stop = [&] {
    groups_[chosen].pc = pc;
    const std::uint64_t done = steps_ - begun;
    since_choice_ = groups_.size() > 1 ? since_choice_ + done : 0;
    block_.launch().steps += done;
    block_.launch().instructions += done * count_of(mask);
  };
  while (true) {
    const Instruction& at = code[pc];
    const Mask lanes = at.guard.index == 0 ? mask : mask & predicate(at.guard);
    ++steps_;
    if (at.flow == Flow::next) {
      if (lanes != 0) at.run(*this, at, lanes);
      ++pc;
    } else if (lanes == 0) {
      ++pc;
    } else if (at.flow == Flow::branch && lanes == mask) {
      pc = at.target;
    } else if (at.flow == Flow::warp_sync && lanes == mask && is_synchronized(at, lanes)) {
      at.run(*this, at, lanes);
      ++pc;
    } else {
      stop();
      leave(chosen, at, lanes);
      return;
    }
    if (pc >= meeting && (pc == meeting || !in_slice_)) break;
    if (steps_ - begun >= kMostAtOnce) break;
  }
  stop();
}

void Warp::leave(std::size_t chosen, const Instruction& at, Mask lanes) {
  Group& group = groups_[chosen];
  switch (at.flow) {
    case Flow::next:
      break;
    case Flow::branch:
      part(chosen, lanes, group.frame, at.target);
      break;
    case Flow::branch_indexed:
      branch_by_index(chosen, at, lanes);
      break;
    case Flow::call:
      call(chosen, at, lanes);
      break;
    case Flow::ret:
      if (frame_->depth == 0) {
        end(chosen, lanes);
      } else {
        give_back(chosen, lanes);
      }
      break;
    case Flow::exit:
      end(chosen, lanes);
      break;
    case Flow::trap:
      fail(Fault::launch_failed, at, first_lane(lanes), "reached a trap");
    case Flow::barrier:
    case Flow::warp_sync:
      if (lanes != group.mask) {
        // These lanes come to the instruction again by themselves; the others go on behind it.
        part(chosen, lanes, group.frame, group.pc);
      } else if (at.flow == Flow::barrier) {
        arrive(chosen, at);
      } else {
        group.state = State::at_sync;
        complete_syncs();
      }
      break;
  }
}

// What parts goes on elsewhere, the rest of the group behind the instruction.
void Warp::part(std::size_t chosen, Mask lanes, std::shared_ptr<Frame> frame, std::uint32_t pc) {
  groups_[chosen].mask &= ~lanes;
  ++groups_[chosen].pc;
  groups_.push_back({.frame = std::move(frame), .pc = pc, .mask = lanes});
}

void Warp::erase_empty_groups() {
  std::erase_if(groups_, [](const Group& each) { return each.mask == 0; });
}

// Lanes with different targets part one after the other.
void Warp::branch_by_index(std::size_t chosen, const Instruction& at, Mask lanes) {
  Group& group = groups_[chosen];
  const std::vector<std::uint32_t>& table = frame_->code.tables[at.detail];
  const std::uint64_t* const index = in(at.in[0]);
  const auto first = static_cast<std::uint32_t>(index[first_lane(lanes)]);
  if (first >= table.size())
    fail(Fault::illegal_instruction, at, first_lane(lanes),
         "branches to entry " + std::to_string(first) + " of a table of " + std::to_string(table.size()));
  const Mask same = same_as_first<std::uint32_t>(lanes, index);
  if (same == group.mask) {
    group.pc = table[first];
    return;
  }
  // Who branches elsewhere stays; who does not branch goes on behind.
  group.mask &= ~same;
  groups_.push_back({.frame = group.frame, .pc = table[first], .mask = same});
}

void Warp::arrive(std::size_t chosen, const Instruction& at) {
  Group& group = groups_[chosen];
  const unsigned lane = first_lane(group.mask);
  const auto number = static_cast<std::uint32_t>(in(at.in[0])[lane]);
  if (number >= kBarriers)
    fail(Fault::illegal_instruction, at, lane, "waits at barrier " + std::to_string(number) + ": there are 0 to 15");
  const auto expected = (at.detail_2 & kBarrierCounts) != 0 ? static_cast<unsigned>(in(at.in[1])[lane]) : 0;
  const auto result = static_cast<BarrierResult>(at.detail);
  const Mask yes = result == BarrierResult::none ? 0 : predicate(at.predicate_in[0]) & group.mask;
  group.barrier = number;
  if ((at.detail_2 & kBarrierArrives) != 0) {
    ++group.pc;
  } else {
    group.state = State::at_barrier;
  }
  block_.arrive(number, count_of(group.mask), expected, count_of(yes), result);
}

void Warp::end(std::size_t chosen, Mask lanes) {
  groups_[chosen].mask &= ~lanes;
  ++groups_[chosen].pc;
  erase_empty_groups();
  alive_ &= ~lanes;
  complete_syncs();
  block_.ended();
}

// Whether all lanes that they name are these: the usual case.
bool Warp::is_synchronized(const Instruction& at, Mask lanes) const {
  const std::uint64_t* const wanted = in(at.in[3]);
  return (static_cast<Mask>(wanted[first_lane(lanes)]) & started_) == lanes && same_as_first<Mask>(lanes, wanted) == lanes;
}

// Lanes that wait for one another at the same instruction go on together once all that its mask names are there.
void Warp::complete_syncs() {
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (groups_[k].state != State::at_sync || groups_[k].mask == 0) continue;
    for (std::size_t other = k + 1; other < groups_.size(); ++other) {
      if (groups_[other].state != State::at_sync || groups_[other].pc != groups_[k].pc ||
          groups_[other].frame != groups_[k].frame)
        continue;
      groups_[k].mask |= groups_[other].mask;
      groups_[other].mask = 0;
    }
    enter(groups_[k]);
    const Instruction& at = frame_->code.instructions[groups_[k].pc];
    const std::uint64_t* const masks = in(at.in[3]);
    // Lanes with one mask are one set.
    for (Mask rest = groups_[k].mask; rest != 0;) {
      const unsigned lane = first_lane(rest);
      const auto wanted = static_cast<Mask>(masks[lane]);
      const Mask set = same_as_first<Mask>(rest, masks);
      rest &= ~set;
      if (!has_lane(wanted, lane)) fail(Fault::illegal_instruction, at, lane, "is not in the mask that it gives");
      const Mask missing = wanted & started_ & ~set;
      if ((missing & ~alive_) != 0) {
        fail(Fault::illegal_instruction, at, lane,
             "waits for lane " + std::to_string(first_lane(missing & ~alive_)) + " of its warp, which has ended");
      }
      if (missing != 0) continue;
      at.run(*this, at, set);
      groups_[k].mask &= ~set;
      groups_.push_back({.frame = groups_[k].frame, .pc = groups_[k].pc + 1, .mask = set});
    }
  }
  erase_empty_groups();
}

std::uint32_t Warp::number(unsigned lane) const noexcept {
  return block_.number() * block_.threads() + thread(lane);
}

void Warp::release_at(std::uint64_t address, unsigned lane) {
  ++releases[lane];
  block_.release(address, number(lane), releases[lane]);
}

void Warp::release(std::uint32_t number, std::uint32_t result) {
  for (Group& group : groups_) {
    if (group.state != State::at_barrier || group.barrier != number) continue;
    enter(group);
    const Instruction& at = frame_->code.instructions[group.pc];
    std::uint64_t* const values = out(at.out);
    each_lane(group.mask, [&](unsigned lane) { values[lane] = result; });
    set_predicate(at.predicate_out, result != 0 ? kAllLanes : 0, group.mask);
    group.state = State::ready;
    ++group.pc;
  }
}

std::string Warp::waiting_text() const {
  std::string text;
  for (const Group& group : groups_) {
    const std::string place = block_.launch().program.place_of(group.frame->code.instructions[group.pc].statement);
    text += (text.empty() ? "" : ", ") + std::to_string(count_of(group.mask)) + " of them " +
            (group.state == State::at_barrier ? "at barrier " + std::to_string(group.barrier)
                                              : std::string("for lanes of their warp")) +
            (place.empty() ? "" : " (" + place + ")");
  }
  return text;
}

void Warp::fail(Fault fault, const Instruction& instruction, unsigned lane, const std::string& what) const {
  const Launch& launch = block_.launch();
  const std::string place = launch.program.place_of(instruction.statement);
  throw KernelFault(fault, "thread " + text_of(position_in(launch.block, thread(lane))) + " of block " +
                               text_of(block_.position()) + " " + what + (place.empty() ? "" : ", at " + place));
}

}  // namespace kiln::emulator
