// Moves: of registers, vectors, addresses and predicates.
#include "emulator/instructions/instructions.hpp"

namespace kiln::emulator {
namespace {

void move(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = a[lane]; });
}

// `count` parts of `bytes` bytes each, from rows to one value and back.
void pack(Warp& warp, const Instruction& at, Mask lanes) {
  const Row* const parts = warp.frame().code.rows.data() + at.rows;
  const unsigned bits = 8U * at.bytes;
  const std::uint64_t kept = (std::uint64_t{1} << bits) - 1;
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < at.count; ++k) value |= (warp.in(parts[k])[lane] & kept) << (bits * k);
    out[lane] = value;
  });
}
void unpack(Warp& warp, const Instruction& at, Mask lanes) {
  const Row* const parts = warp.frame().code.rows.data() + at.rows;
  const unsigned bits = 8U * at.bytes;
  const std::uint64_t kept = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t* const a = warp.in(at.in[0]);
  each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t value = a[lane];
    for (unsigned k = 0; k < at.count; ++k) warp.out(parts[k])[lane] = value >> (bits * k) & kept;
  });
}

// `offset`: in the frame, with the window of a generic address.
void move_frame_address(Warp& warp, const Instruction& at, Mask lanes) {
  std::uint64_t* const out = warp.out(at.out);
  const std::uint64_t value = warp.frame().local_base + static_cast<std::uint64_t>(at.offset);
  each_lane(lanes, [&](unsigned lane) { out[lane] = value; });
}

// `offset`: the window.
void add_window(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = a[lane] | static_cast<std::uint64_t>(at.offset); });
}
void remove_window(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = a[lane] & ~kWindowMask; });
}
void is_in_window(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  const auto is_there = [&](unsigned lane) { return (a[lane] & kWindowMask) == static_cast<std::uint64_t>(at.offset); };
  warp.set_predicate(at.predicate_out, lanes_where(lanes, is_there), lanes);
}

void move_predicate(Warp& warp, const Instruction& at, Mask lanes) {
  warp.set_predicate(at.predicate_out, warp.predicate(at.predicate_in[0]), lanes);
}
enum class Logic : std::uint8_t { conjunction, disjunction, exclusive, negation };
template <Logic Kind>
void combine_predicates(Warp& warp, const Instruction& at, Mask lanes) {
  const Mask a = warp.predicate(at.predicate_in[0]);
  const Mask b = warp.predicate(at.predicate_in[1]);
  warp.set_predicate(at.predicate_out,
                     Kind == Logic::conjunction   ? a & b
                     : Kind == Logic::disjunction ? a | b
                     : Kind == Logic::exclusive   ? a ^ b
                                                  : ~a,
                     lanes);
}

void decode_vector(Decoder& at, Instruction& made, const Type& type) {
  const bool packs = at.operand(1).kind == Operand::Kind::vector;
  const std::vector<Operand>& parts = at.operand(packs ? 1 : 0).parts;
  if (parts.size() < 2 || type.bytes() % parts.size() != 0) at.fail("such a vector is not known here");
  made.run = packs ? pack : unpack;
  made.count = static_cast<std::uint8_t>(parts.size());
  made.bytes = static_cast<std::uint8_t>(type.bytes() / parts.size());
  made.rows = at.rows(parts, {Scalar::bits, static_cast<std::uint8_t>(8U * made.bytes)}, !packs);
  if (packs) {
    made.out = at.written(at.operand(0));
  } else {
    made.in[0] = at.read(at.operand(1), type);
  }
}

void decode_mov(Decoder& at, Instruction& made) {
  at.require(2);
  const Operand& to = at.operand(0);
  const Operand& from = at.operand(1);
  const Type type = at.type();
  if (type.scalar == Scalar::predicate) {
    made.run = move_predicate;
    made.predicate_out = at.predicate_out(to);
    made.predicate_in[0] = at.predicate(from);
    return;
  }
  if (type.bits > 64) at.unknown();
  if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) {
    decode_vector(at, made, type);
    return;
  }
  made.out = at.written(to);
  if (const auto offset = at.frame_offset(from.name); offset && from.kind == Operand::Kind::name) {
    made.run = move_frame_address;
    made.offset = static_cast<std::int64_t>(*offset + from.number);
  } else {
    made.run = move;
    made.in[0] = at.read(from, type);
  }
}

bool decode_logic(Decoder& at, Instruction& made) {
  const std::string_view name = at.name();
  made.run = name == "and"   ? &combine_predicates<Logic::conjunction>
             : name == "or"  ? &combine_predicates<Logic::disjunction>
             : name == "xor" ? &combine_predicates<Logic::exclusive>
             : name == "not" ? Handler(&combine_predicates<Logic::negation>)
                             : nullptr;
  if (made.run == nullptr) return false;
  const std::size_t inputs = name == "not" ? 1 : 2;
  at.require(1 + inputs);
  made.predicate_out = at.predicate_out(at.operand(0));
  for (std::size_t k = 0; k < inputs; ++k) made.predicate_in[k] = at.predicate(at.operand(1 + k));
  return true;
}

}  // namespace

bool decode_move(Decoder& at, Instruction& made) {
  if (at.statement().words.back() == "pred" && decode_logic(at, made)) return true;
  if (at.name() == "mov") {
    decode_mov(at, made);
  } else if (at.name() == "cvta") {
    at.require(2);
    made.out = at.written(at.operand(0));
    const std::uint64_t window = window_of(at.space());
    if (const auto offset = at.frame_offset(at.operand(1).name); offset && !at.says("to")) {
      made.run = move_frame_address;
      made.offset = static_cast<std::int64_t>(window | (*offset + at.operand(1).number));
      return true;
    }
    made.offset = static_cast<std::int64_t>(window);
    made.run = window == 0 ? move : at.says("to") ? remove_window : add_window;
    made.in[0] = at.read(at.operand(1), {Scalar::bits, 64});
  } else if (at.name() == "isspacep") {
    at.require(2);
    made.offset = static_cast<std::int64_t>(window_of(at.space()));
    made.run = is_in_window;
    made.predicate_out = at.predicate_out(at.operand(0));
    made.in[0] = at.read(at.operand(1), {Scalar::bits, 64});
  } else {
    return false;
  }
  return true;
}

}  // namespace kiln::emulator
