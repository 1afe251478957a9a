// Loads, stores and fences.
#include <array>
#include <cstring>

#include "emulator/instructions/instructions.hpp"
#include "emulator/run/block.hpp"

namespace kiln::emulator {
namespace {

std::uint64_t extended(const Instruction& at, std::uint64_t value) {
  if (!at.sign_extends) return value;
  const unsigned unused = 64 - 8U * at.bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

void load(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const base = warp.in(at.in[0]);
  const Row* const targets = warp.frame().code.rows.data() + at.rows;
  const std::size_t bytes = std::size_t{at.bytes} * at.count;
  // The address may stand in a row that is written.
  std::array<std::uint64_t, kLanes> addresses;
  each_lane(lanes, [&](unsigned lane) { addresses[lane] = address_of(warp, at, base, lane); });
  each_lane(lanes, [&](unsigned lane) {
    const char* const from = warp.memory({at, lane, bytes, Warp::Use::read}, addresses[lane]);
    if (at.synchronizes) warp.block().acquire(addresses[lane]);
    for (unsigned k = 0; k < at.count; ++k) {
      std::uint64_t value = 0;
      std::memcpy(&value, from + std::size_t{k} * at.bytes, at.bytes);
      warp.out(targets[k])[lane] = extended(at, value);
    }
  });
}

void store(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const base = warp.in(at.in[0]);
  const Row* const sources = warp.frame().code.rows.data() + at.rows;
  const std::size_t bytes = std::size_t{at.bytes} * at.count;
  each_lane(lanes, [&](unsigned lane) {
    std::array<char, 64> values;
    for (unsigned k = 0; k < at.count; ++k)
      std::memcpy(values.data() + std::size_t{k} * at.bytes, warp.in(sources[k]) + lane, at.bytes);
    const std::uint64_t address = address_of(warp, at, base, lane);
    char* const to = warp.memory({at, lane, bytes, Warp::Use::write, values.data()}, address);
    std::memcpy(to, values.data(), bytes);
    if (at.synchronizes || (at.strong && warp.has_fenced(lane))) warp.release_at(address, lane);
  });
}

void fence(Warp& warp, const Instruction&, Mask lanes) {
  warp.fenced |= lanes;
}

}  // namespace

bool decode_memory(Decoder& at, Instruction& made) {
  if (at.name() == "membar" || at.name() == "fence") {
    made.run = fence;
    return true;
  }
  const bool loads = at.name() == "ld" || at.name() == "ldu";
  if (!loads && at.name() != "st") return false;
  at.require(2, 3);
  const Type type = at.type();
  if (type.bits > 64 || type.scalar == Scalar::predicate) at.unknown();
  made.run = loads ? load : store;
  made.space = at.space();
  made.bytes = static_cast<std::uint8_t>(type.bytes());
  made.count = at.says("v2") ? 2 : at.says("v4") ? 4 : 1;
  made.sign_extends = type.scalar == Scalar::signed_int;
  const bool orders = at.says("acquire") || at.says("release");
  made.strong = orders || at.says("volatile") || at.says("relaxed");
  made.synchronizes = orders || (made.strong && loads);
  at.address(at.operand(loads ? 1 : 0), made);
  const Operand& value = at.operand(loads ? 0 : 1);
  const std::span<const Operand> parts = value.kind == Operand::Kind::vector ? std::span(value.parts) : std::span(&value, 1);
  if (parts.size() != made.count) at.fail("a vector of another length");
  made.rows = at.rows(parts, type, loads);
  return true;
}

}  // namespace kiln::emulator
