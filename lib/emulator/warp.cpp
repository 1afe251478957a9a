#include "emulator/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/block.hpp"

namespace kiln::emulator {
namespace {

/// A group that goes on so long while others stand elsewhere lets them go first: threads that wait for one another by loops
/// must all get on.
constexpr std::uint64_t kTurn = 20'000;
constexpr std::uint32_t kMostLocal = 512U << 10U;  ///< bytes of a thread, as CUDA's limit
constexpr std::uint32_t kMostDepth = 1000;

unsigned first_lane(Mask mask) {
  return static_cast<unsigned>(std::countr_zero(mask));
}

}  // namespace

Frame::Frame(const Code& function, std::shared_ptr<Frame> caller, std::uint32_t local)
    : code(function),
      parent(std::move(caller)),
      depth(parent ? parent->depth + 1 : 0),
      local_base(local),
      registers(std::size_t{function.registers} * kLanes),
      predicates(function.predicates),
      parameters(std::size_t{function.parameter_bytes} * kLanes) {
  predicates[0] = kAllLanes;
}

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

void Warp::set_specials() {
  const Launch& launch = block_.launch();
  const Extent position = block_.position();
  const auto set = [&](Special which, unsigned lane, std::uint64_t value) {
    specials_[static_cast<std::size_t>(which) * kLanes + lane] = value;
  };
  const std::uint64_t static_shared = launch.program.static_shared;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned thread = this->thread(lane);
    set(Special::tid_x, lane, thread % launch.block[0]);
    set(Special::tid_y, lane, thread / launch.block[0] % launch.block[1]);
    set(Special::tid_z, lane, thread / launch.block[0] / launch.block[1]);
    set(Special::ntid_x, lane, launch.block[0]);
    set(Special::ntid_y, lane, launch.block[1]);
    set(Special::ntid_z, lane, launch.block[2]);
    set(Special::ctaid_x, lane, position[0]);
    set(Special::ctaid_y, lane, position[1]);
    set(Special::ctaid_z, lane, position[2]);
    set(Special::nctaid_x, lane, launch.grid[0]);
    set(Special::nctaid_y, lane, launch.grid[1]);
    set(Special::nctaid_z, lane, launch.grid[2]);
    set(Special::laneid, lane, lane);
    set(Special::warpid, lane, index_);
    set(Special::nwarpid, lane, (block_.threads() + kLanes - 1) / kLanes);
    set(Special::nsmid, lane, 1);
    set(Special::gridid, lane, launch.command);
    const Mask own = Mask{1} << lane;
    set(Special::lanemask_eq, lane, own);
    set(Special::lanemask_lt, lane, own - 1);
    set(Special::lanemask_le, lane, own | (own - 1));
    set(Special::lanemask_gt, lane, ~(own | (own - 1)));
    set(Special::lanemask_ge, lane, ~(own - 1));
    set(Special::dynamic_smem_size, lane, launch.dynamic_shared);
    set(Special::total_smem_size, lane, static_shared + launch.dynamic_shared);
  }
}

bool Warp::run(std::uint64_t steps) {
  const std::uint64_t end = steps_ + steps;
  bool moved = false;
  while (steps_ < end) {
    const std::size_t chosen = choose();
    if (chosen == groups_.size()) break;
    moved = true;
    clock_ += 1;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      // Time goes on with what is executed.
      specials_[static_cast<std::size_t>(Special::clock) * kLanes + lane] = static_cast<std::uint32_t>(steps_);
      specials_[static_cast<std::size_t>(Special::clock64) * kLanes + lane] = steps_;
      specials_[static_cast<std::size_t>(Special::clock_hi) * kLanes + lane] = steps_ >> 32U;
      specials_[static_cast<std::size_t>(Special::globaltimer) * kLanes + lane] = block_.launch().steps;
    }
    advance(chosen);
  }
  return moved;
}

// The deepest call first, and there who stands first in the text: groups that went different ways meet again where the ways do.
std::size_t Warp::choose() {
  std::size_t best = groups_.size();
  const bool long_since = since_choice_ >= kTurn;
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
  in_turn_ = long_since;
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
  {
    Group& group = groups_[chosen];
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      if (k != chosen && groups_[k].state == State::ready && groups_[k].frame == group.frame && groups_[k].pc > group.pc) {
        meeting = std::min(meeting, groups_[k].pc);
      }
    }
    enter(group);
  }
  const bool others = groups_.size() > 1;
  const Instruction* const code = frame_->code.instructions.data();
  std::uint32_t pc = groups_[chosen].pc;
  const Mask mask = groups_[chosen].mask;
  const auto lanes_of = static_cast<std::uint64_t>(std::popcount(mask));
  Launch& launch = block_.launch();
  constexpr std::uint64_t kMostAtOnce = 4096;
  const std::uint64_t begun = steps_;
  const auto stop = [&] {
    groups_[chosen].pc = pc;
    const std::uint64_t done = steps_ - begun;
    since_choice_ = others ? since_choice_ + done : 0;
    launch.steps += done;
    launch.instructions += done * lanes_of;
  };
  // These lanes come to the instruction again by themselves; the others go on behind it.
  const auto part = [&](Mask lanes) {
    groups_.push_back({.frame = groups_[chosen].frame, .pc = pc, .mask = lanes});
    groups_[chosen].mask = mask & ~lanes;
    ++pc;
    stop();
  };
  while (true) {
    const Instruction& at = code[pc];
    const Mask lanes = at.guard.index == 0 ? mask : mask & predicate(at.guard);
    ++steps_;
    switch (at.flow) {
      case Flow::next:
        if (lanes != 0) at.run(*this, at, lanes);
        ++pc;
        break;
      case Flow::branch:
        if (lanes == mask) {
          pc = at.target;
        } else if (lanes != 0) {
          ++pc;
          groups_[chosen].mask = mask & ~lanes;
          stop();
          groups_.push_back({.frame = groups_[chosen].frame, .pc = at.target, .mask = lanes});
          return;
        } else {
          ++pc;
        }
        break;
      case Flow::branch_indexed: {
        // Each lane has its own way; they part one after the other.
        if (lanes == 0) {
          ++pc;
          break;
        }
        const std::vector<std::uint32_t>& table = frame_->code.tables[at.detail];
        const std::uint64_t* const index = in(at.in[0]);
        const auto first = static_cast<std::uint32_t>(index[first_lane(lanes)]);
        if (first >= table.size())
          fail(Fault::illegal_instruction, at, first_lane(lanes),
               "branches to entry " + std::to_string(first) + " of a table of " + std::to_string(table.size()));
        Mask same = 0;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          if ((lanes >> lane & 1U) != 0 && static_cast<std::uint32_t>(index[lane]) == first) same |= Mask{1} << lane;
        }
        if (same == mask) {
          pc = table[first];
          break;
        }
        groups_[chosen].mask = mask & ~same;
        stop();
        groups_.push_back({.frame = groups_[chosen].frame, .pc = table[first], .mask = same});
        return;
      }
      case Flow::call:
        if (lanes == 0) {
          ++pc;
          break;
        }
        stop();
        call(chosen, at, lanes);
        return;
      case Flow::ret:
        if (lanes == 0) {
          ++pc;
          break;
        }
        stop();
        if (frame_->depth == 0) {
          end(chosen, lanes);
        } else {
          give_back(chosen, lanes);
        }
        return;
      case Flow::exit:
        if (lanes == 0) {
          ++pc;
          break;
        }
        stop();
        end(chosen, lanes);
        return;
      case Flow::trap:
        if (lanes != 0) fail(Fault::launch_failed, at, first_lane(lanes), "reached a trap");
        ++pc;
        break;
      case Flow::barrier: {
        if (lanes == 0) {
          ++pc;
          break;
        }
        if (lanes != mask) {
          part(lanes);
          return;
        }
        stop();
        Group& group = groups_[chosen];
        const unsigned lane = first_lane(lanes);
        const auto number = static_cast<std::uint32_t>(in(at.in[0])[lane]);
        if (number >= 16)
          fail(Fault::illegal_instruction, at, lane, "waits at barrier " + std::to_string(number) + ": there are 0 to 15");
        const auto expected = (at.detail_2 & 1U) != 0 ? static_cast<unsigned>(in(at.in[1])[lane]) : 0;
        const Mask yes = (at.detail != 0 ? predicate(at.predicate_in[0]) : 0) & lanes;
        const bool waits = (at.detail_2 & 2U) == 0;
        group.barrier = number;
        if (waits) {
          group.state = State::at_barrier;
        } else {
          ++group.pc;
        }
        block_.arrive(number, static_cast<unsigned>(std::popcount(lanes)), expected, static_cast<unsigned>(std::popcount(yes)),
                      at.detail);
        return;
      }
      case Flow::warp_sync:
        if (lanes == 0) {
          ++pc;
          break;
        }
        if (lanes != mask) {
          part(lanes);
          return;
        }
        // Usually all are here.
        if (const auto wanted = static_cast<Mask>(in(at.in[3])[first_lane(lanes)]); (wanted & started_) == mask) {
          bool same = true;
          for (Mask rest = lanes; rest != 0; rest &= rest - 1)
            same &= static_cast<Mask>(in(at.in[3])[first_lane(rest)]) == wanted;
          if (same) {
            at.run(*this, at, lanes);
            ++pc;
            break;
          }
        }
        stop();
        groups_[chosen].state = State::at_sync;
        complete_syncs();
        return;
    }
    if (pc >= meeting && (pc == meeting || !in_turn_)) break;
    if (steps_ - begun >= kMostAtOnce) break;
  }
  stop();
}

void Warp::call(std::size_t chosen, const Instruction& at, Mask lanes) {
  const std::shared_ptr<Frame> caller = groups_[chosen].frame;
  const std::uint32_t pc = groups_[chosen].pc;
  const Call& how = caller->code.calls[at.detail];
  const Code* function = how.function;
  Mask going = lanes;
  if (function == nullptr) {
    const std::uint64_t* const address = in(at.in[0]);
    const std::uint64_t wanted = address[first_lane(lanes)];
    const Program& program = block_.launch().program;
    if ((wanted & kWindowMask) != kFunctionWindow || (wanted & ~kWindowMask) >= program.functions.size()) {
      fail(Fault::illegal_instruction, at, first_lane(lanes), "calls what is no function");
    }
    function = program.functions[wanted & ~kWindowMask];
    going = 0;
    for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
      if (address[first_lane(rest)] == wanted) going |= Mask{1} << first_lane(rest);
    }
  }
  if (caller->depth >= kMostDepth)
    fail(Fault::launch_failed, at, first_lane(lanes), "calls functions " + std::to_string(kMostDepth) + " deep");
  const std::uint32_t local = caller->local_base + caller->code.local_bytes;
  auto frame = std::make_shared<Frame>(*function, caller, local);
  frame->call = &how;
  frame->return_pc = pc + 1;
  if (const std::uint32_t needed = local + function->local_bytes; needed > local_bytes_) {
    if (needed > kMostLocal) fail(Fault::launch_failed, at, first_lane(lanes), "needs more than 512 KiB of local memory");
    std::vector<char> larger(std::size_t{needed} * kLanes);
    for (unsigned lane = 0; lane < kLanes && local_bytes_ != 0; ++lane) {
      std::memcpy(larger.data() + std::size_t{lane} * needed, local_.data() + std::size_t{lane} * local_bytes_, local_bytes_);
    }
    local_ = std::move(larger);
    local_bytes_ = needed;
  }
  for (std::size_t k = 0; k < how.arguments.size(); ++k) {
    const Copy& copy = how.arguments[k];
    if (k >= function->parameters.size() || function->parameters[k].bytes != copy.bytes) {
      fail(Fault::illegal_instruction, at, first_lane(lanes), "calls " + function->name + " with other parameters than it has");
    }
    for (Mask rest = going; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      std::memcpy(frame->parameter(lane, function->parameters[k].offset), caller->parameter(lane, copy.from), copy.bytes);
    }
  }
  // Who calls another function stays at the call; who is not to call goes on behind it.
  if (const Mask not_yet = lanes & ~going; not_yet != 0) groups_.push_back({.frame = caller, .pc = pc, .mask = not_yet});
  groups_[chosen].mask &= ~lanes;
  groups_[chosen].pc = pc + 1;
  groups_.push_back({.frame = std::move(frame), .pc = 0, .mask = going});
  std::erase_if(groups_, [](const Group& each) { return each.mask == 0; });
}

void Warp::give_back(std::size_t chosen, Mask lanes) {
  const std::shared_ptr<Frame> frame = groups_[chosen].frame;
  const Call& how = *frame->call;
  for (std::size_t k = 0; k < how.results.size() && k < frame->code.results.size(); ++k) {
    const Copy& copy = how.results[k];
    for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      std::memcpy(frame->parent->parameter(lane, copy.to), frame->parameter(lane, frame->code.results[k].offset),
                  std::min(copy.bytes, frame->code.results[k].bytes));
    }
  }
  groups_[chosen].mask &= ~lanes;
  if (groups_[chosen].mask != 0) ++groups_[chosen].pc;
  groups_.push_back({.frame = frame->parent, .pc = frame->return_pc, .mask = lanes});
  std::erase_if(groups_, [](const Group& each) { return each.mask == 0; });
}

void Warp::end(std::size_t chosen, Mask lanes) {
  groups_[chosen].mask &= ~lanes;
  if (groups_[chosen].mask != 0) ++groups_[chosen].pc;
  std::erase_if(groups_, [](const Group& each) { return each.mask == 0; });
  alive_ &= ~lanes;
  complete_syncs();
  block_.ended();
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
      Mask set = 0;
      for (Mask each = rest; each != 0; each &= each - 1) {
        if (static_cast<Mask>(masks[first_lane(each)]) == wanted) set |= Mask{1} << first_lane(each);
      }
      rest &= ~set;
      if ((wanted >> lane & 1U) == 0) fail(Fault::illegal_instruction, at, lane, "is not in the mask that it gives");
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
  std::erase_if(groups_, [](const Group& each) { return each.mask == 0; });
}

void Warp::release_at(std::uint64_t address, unsigned lane) {
  ++releases[lane];
  block_.release(address, block_.number() * block_.threads() + thread(lane), releases[lane]);
}

void Warp::release(std::uint32_t number, std::uint32_t result) {
  for (Group& group : groups_) {
    if (group.state != State::at_barrier || group.barrier != number) continue;
    enter(group);
    const Instruction& at = frame_->code.instructions[group.pc];
    if (at.has_out) {
      std::uint64_t* const values = out(at.out);
      for (Mask rest = group.mask; rest != 0; rest &= rest - 1) values[first_lane(rest)] = result;
    }
    set_predicate(at.predicate_out, result != 0 ? kAllLanes : 0, group.mask);
    group.state = State::ready;
    ++group.pc;
  }
}

bool Warp::has_waiting() const {
  return !groups_.empty();
}

std::string Warp::waiting_text() const {
  std::string text;
  for (const Group& group : groups_) {
    const Instruction& at = group.frame->code.instructions[group.pc];
    const Program& program = block_.launch().program;
    const std::string place = program.place_of(at);
    text += (text.empty() ? "" : ", ") + std::to_string(std::popcount(group.mask)) + " of them " +
            (group.state == State::at_barrier ? "at barrier " + std::to_string(group.barrier)
                                              : std::string("for lanes of their warp")) +
            (place.empty() ? "" : " (" + place + ")");
  }
  return text;
}

void Warp::fail(Fault fault, const Instruction& instruction, unsigned lane, const std::string& what) const {
  const Launch& launch = block_.launch();
  const unsigned thread = this->thread(lane);
  const Extent position = block_.position();
  const auto text = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
  };
  const std::string place = launch.program.place_of(instruction);
  throw Finding(fault, "thread " +
                           text(thread % launch.block[0], thread / launch.block[0] % launch.block[1],
                                thread / launch.block[0] / launch.block[1]) +
                           " of block " + text(position[0], position[1], position[2]) + " " + what +
                           (place.empty() ? "" : ", at " + place));
}

}  // namespace kiln::emulator
