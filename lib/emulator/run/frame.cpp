// Calls of functions.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/run/block.hpp"

namespace kiln::emulator {
namespace {

constexpr std::uint32_t kMostLocal = 512U << 10U;  ///< bytes of a thread, as CUDA's limit
constexpr std::uint32_t kMostDepth = 1000;

}  // namespace

Frame::Frame(const Code& function, std::shared_ptr<Frame> caller, std::uint32_t local)
    : code(function),
      parent(std::move(caller)),
      depth(parent ? parent->depth + 1 : 0),
      local_base(local),
      registers(std::size_t{function.registers} * kLanes),
      predicates(function.predicates) {
  predicates[0] = kAllLanes;
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
    function = block_.launch().program.function_at(wanted);
    if (function == nullptr) fail(Fault::illegal_instruction, at, first_lane(lanes), "calls what is no function");
    going = same_as_first<std::uint64_t>(lanes, address);
  }
  if (caller->depth >= kMostDepth)
    fail(Fault::launch_failed, at, first_lane(lanes), "calls functions " + std::to_string(kMostDepth) + " deep");
  const std::uint32_t local = caller->local_base + caller->code.local_bytes;
  const std::uint32_t needed = local + function->local_bytes;
  if (needed > kMostLocal) fail(Fault::launch_failed, at, first_lane(lanes), "needs more than 512 KiB of local memory");
  if (needed > local_bytes_) grow_local(needed);
  auto frame = std::make_shared<Frame>(*function, caller, local);
  frame->call = &how;
  frame->return_pc = pc + 1;
  for (std::size_t k = 0; k < how.arguments.size(); ++k) {
    const Parameter& argument = how.arguments[k];
    // Scopes of calls share the places of names: one may be larger than what this call hands over.
    if (k >= function->parameters.size() || function->parameters[k].bytes > argument.bytes)
      fail(Fault::illegal_instruction, at, first_lane(lanes), "calls " + function->name + " with other parameters than it has");
    const Parameter& own = function->parameters[k];
    each_lane(going, [&](unsigned lane) {
      std::memcpy(in_frame(*frame, lane, own.offset), in_frame(*caller, lane, argument.offset), own.bytes);
    });
  }
  groups_[chosen].mask &= ~lanes;
  groups_[chosen].pc = pc + 1;
  // Who calls another function stays at the call.
  groups_.push_back({.frame = caller, .pc = pc, .mask = lanes & ~going});
  groups_.push_back({.frame = std::move(frame), .pc = 0, .mask = going});
  erase_empty_groups();
}

void Warp::give_back(std::size_t chosen, Mask lanes) {
  const std::shared_ptr<Frame> frame = groups_[chosen].frame;
  const std::vector<Parameter>& wanted = frame->call->results;
  const std::vector<Parameter>& results = frame->code.results;
  for (std::size_t k = 0; k < wanted.size() && k < results.size(); ++k) {
    each_lane(lanes, [&](unsigned lane) {
      std::memcpy(in_frame(*frame->parent, lane, wanted[k].offset), in_frame(*frame, lane, results[k].offset),
                  std::min(wanted[k].bytes, results[k].bytes));
    });
  }
  part(chosen, lanes, frame->parent, frame->return_pc);
  erase_empty_groups();
}

void Warp::grow_local(std::uint32_t bytes) {
  std::vector<char> larger(std::size_t{bytes} * kLanes);
  for (unsigned lane = 0; lane < kLanes && local_bytes_ != 0; ++lane)
    std::memcpy(larger.data() + std::size_t{lane} * bytes, local_.data() + std::size_t{lane} * local_bytes_, local_bytes_);
  local_ = std::move(larger);
  local_bytes_ = bytes;
}

}  // namespace kiln::emulator
