// Where threads go on: branches, calls, ends, barriers. Warp follows them; here they are only read.
#include <algorithm>
#include <array>

#include "emulator/instructions/instructions.hpp"

namespace kiln::emulator {
namespace {

void nothing(Warp&, const Instruction&, Mask) {}

// bar.warp.sync: what these lanes have done is known to them all.
void sync_warp(Warp& warp, const Instruction&, Mask lanes) {
  std::uint32_t latest = 0;
  each_lane(lanes, [&](unsigned lane) { latest = std::max(latest, warp.epochs[lane]); });
  each_lane(lanes, [&](unsigned lane) { warp.epochs[lane] = latest + 1; });
}

void decode_call(Decoder& at, Instruction& made) {
  made.flow = Flow::call;
  Call how;
  std::size_t next = 0;
  if (at.operand(next).kind == Operand::Kind::list) {
    for (const Operand& result : at.operand(next++).parts) {
      how.results.push_back(at.frame_parameter(result.name));
    }
  }
  const Operand& callee = at.operand(next++);
  if (at.is_register(callee.name)) {
    made.in[0] = at.read(callee, {Scalar::bits, 64});
  } else {
    how.function = at.function(callee.name);
  }
  if (next < at.operands() && at.operand(next).kind == Operand::Kind::list) {
    for (const Operand& argument : at.operand(next).parts) {
      how.arguments.push_back(at.frame_parameter(argument.name));
    }
  }
  made.detail = at.add(std::move(how));
}

// bar.sync a, b;  bar.arrive a, b;  bar.red.and.pred p, a, b, q
void decode_barrier(Decoder& at, Instruction& made) {
  constexpr Type kBits = {Scalar::bits, 32};
  if (at.says("warp")) {
    at.require(1);
    made.flow = Flow::warp_sync;
    made.run = sync_warp;
    made.in[3] = at.read(at.operand(0), kBits);
    return;
  }
  if (at.says("cluster")) at.unknown();
  made.flow = Flow::barrier;
  std::size_t next = 0;
  const bool reduces = at.says("red");
  if (reduces) {
    const auto result = at.says("popc")  ? BarrierResult::count
                        : at.says("and") ? BarrierResult::all
                        : at.says("or")  ? BarrierResult::any
                                         : BarrierResult::none;
    if (result == BarrierResult::none) at.unknown();
    made.detail = static_cast<std::uint32_t>(result);
    if (result == BarrierResult::count) {
      made.out = at.written(at.operand(next++));
    } else {
      made.predicate_out = at.predicate_out(at.operand(next++));
    }
  } else if (at.says("arrive")) {
    made.detail_2 |= kBarrierArrives;
  } else if (!at.says("sync")) {
    at.unknown();
  }
  made.in[0] = at.read(at.operand(next++), kBits);
  if (at.operands() - next > (reduces ? 1U : 0U)) {
    made.in[1] = at.read(at.operand(next++), kBits);
    made.detail_2 |= kBarrierCounts;
  }
  if (reduces) made.predicate_in[0] = at.predicate(at.operand(next));
}

}  // namespace

bool decode_control(Decoder& at, Instruction& made) {
  static constexpr std::array<std::string_view, 7> kWithoutEffect = {"prefetch",       "prefetchu", "pragma",       "nanosleep",
                                                                     "griddepcontrol", "discard",   "applypriority"};
  const std::string_view name = at.name();
  if (name == "bra") {
    at.require(1);
    made.flow = Flow::branch;
    made.target = at.label(at.operand(0).name);
  } else if (name == "brx") {
    at.require(2);
    made.flow = Flow::branch_indexed;
    made.in[0] = at.read(at.operand(0), {Scalar::unsigned_int, 32});
    made.detail = at.branch_table(at.operand(1).name);
  } else if (name == "call") {
    decode_call(at, made);
  } else if (name == "ret") {
    made.flow = at.is_in_kernel() ? Flow::exit : Flow::ret;
  } else if (name == "exit") {
    made.flow = Flow::exit;
  } else if (name == "trap") {
    made.flow = Flow::trap;
  } else if (name == "bar" || name == "barrier") {
    decode_barrier(at, made);
  } else if (std::find(kWithoutEffect.begin(), kWithoutEffect.end(), name) != kWithoutEffect.end()) {
    made.run = nothing;
  } else {
    return false;
  }
  return true;
}

}  // namespace kiln::emulator
