// What lanes of a warp tell one another: shuffles, votes, matches, reductions.
#include <array>

#include "emulator/instructions/instructions.hpp"

namespace kiln::emulator {
namespace {

enum class Shuffle : std::uint8_t { up, down, butterfly, indexed };
enum class Vote : std::uint8_t { all, any, uniform, ballot };
enum class Reduction : std::uint8_t { add, minimum, maximum, conjunction, disjunction, exclusive };

// PTX ISA 9.0, 9.7.9.6: c holds the bounds of a segment of the warp and of the source.
void shuffle(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const std::uint64_t* const c = warp.in(at.in[2]);
  const auto kind = static_cast<Shuffle>(at.detail);
  std::array<std::uint64_t, kLanes> values{};
  Mask found = 0;
  each_lane(lanes, [&](unsigned lane) {
    const auto distance = static_cast<unsigned>(b[lane] & 31U);
    const auto clamp = static_cast<unsigned>(c[lane] & 31U);
    const auto segment = static_cast<unsigned>(c[lane] >> 8U & 31U);
    const unsigned highest = (lane & segment) | (clamp & ~segment);
    const unsigned lowest = lane & segment;
    unsigned from = lane;
    bool inside = false;
    switch (kind) {
      case Shuffle::up:
        inside = lane >= distance && lane - distance >= highest;
        from = lane - distance;
        break;
      case Shuffle::down:
        from = lane + distance;
        inside = from <= highest;
        break;
      case Shuffle::butterfly:
        from = lane ^ distance;
        inside = from <= highest;
        break;
      case Shuffle::indexed:
        from = lowest | (distance & ~segment);
        inside = from <= highest;
        break;
    }
    if (!inside) from = lane;
    if ((lanes >> from & 1U) == 0) {
      warp.fail(Fault::illegal_instruction, at, lane,
                "takes the value of lane " + std::to_string(from) + " of its warp, which takes no part");
    }
    values[lane] = static_cast<std::uint32_t>(a[from]);
    if (inside) found |= Mask{1} << lane;
  });
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = values[lane]; });
  warp.set_predicate(at.predicate_out, found, lanes);
}

void vote(Warp& warp, const Instruction& at, Mask lanes) {
  const Mask yes = warp.predicate(at.predicate_in[0]) & lanes;
  switch (static_cast<Vote>(at.detail)) {
    case Vote::all:
      warp.set_predicate(at.predicate_out, yes == lanes ? kAllLanes : 0, lanes);
      break;
    case Vote::any:
      warp.set_predicate(at.predicate_out, yes != 0 ? kAllLanes : 0, lanes);
      break;
    case Vote::uniform:
      warp.set_predicate(at.predicate_out, yes == lanes || yes == 0 ? kAllLanes : 0, lanes);
      break;
    case Vote::ballot: {
      std::uint64_t* const out = warp.out(at.out);
      each_lane(lanes, [&](unsigned lane) { out[lane] = yes; });
    }
  }
}

// detail: 1 for .all, bytes of the values in `bytes`.
void match(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const values = warp.in(at.in[0]);
  const std::uint64_t kept = at.bytes == 8 ? ~std::uint64_t{0} : 0xFFFFFFFFU;
  std::array<Mask, kLanes> same{};
  each_lane(lanes, [&](unsigned lane) {
    each_lane(lanes, [&](unsigned other) {
      if (((values[lane] ^ values[other]) & kept) == 0) same[lane] |= Mask{1} << other;
    });
  });
  const bool all = same[static_cast<unsigned>(std::countr_zero(lanes))] == lanes;
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = at.detail == 0 ? same[lane] : all ? lanes : 0; });
  if (at.detail != 0) warp.set_predicate(at.predicate_out, all ? kAllLanes : 0, lanes);
}

void reduce(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const values = warp.in(at.in[0]);
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return at.sign_extends ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  };
  const auto both = [&](std::uint32_t a, std::uint32_t b) {
    switch (static_cast<Reduction>(at.detail)) {
      case Reduction::add:
        return a + b;
      case Reduction::minimum:
        return less(b, a) ? b : a;
      case Reduction::maximum:
        return less(a, b) ? b : a;
      case Reduction::conjunction:
        return a & b;
      case Reduction::disjunction:
        return a | b;
      case Reduction::exclusive:
        break;
    }
    return a ^ b;
  };
  auto result = static_cast<std::uint32_t>(values[std::countr_zero(lanes)]);
  each_lane(lanes & (lanes - 1), [&](unsigned lane) { result = both(result, static_cast<std::uint32_t>(values[lane])); });
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = result; });
}

void active_mask(Warp& warp, const Instruction& at, Mask lanes) {
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = lanes; });
}

constexpr Type kBits = {Scalar::bits, 32};

void decode_shuffle(Decoder& at, Instruction& made) {
  at.require(5);
  made.run = shuffle;
  const auto kind = at.says("up")     ? Shuffle::up
                    : at.says("down") ? Shuffle::down
                    : at.says("bfly") ? Shuffle::butterfly
                                      : Shuffle::indexed;
  if (kind == Shuffle::indexed && !at.says("idx")) at.unknown();
  made.detail = static_cast<std::uint32_t>(kind);
  made.out = at.written(at.with_predicate_out(0, made));
  for (std::size_t k = 0; k < 4; ++k) made.in[k] = at.read(at.operand(k + 1), kBits);
}

void decode_vote(Decoder& at, Instruction& made) {
  at.require(3);
  made.run = vote;
  const auto kind = at.says("ballot") ? Vote::ballot : at.says("all") ? Vote::all : at.says("any") ? Vote::any : Vote::uniform;
  made.detail = static_cast<std::uint32_t>(kind);
  if (kind == Vote::ballot) {
    made.out = at.written(at.operand(0));
  } else {
    made.predicate_out = at.predicate_out(at.operand(0));
  }
  made.predicate_in[0] = at.predicate(at.operand(1));
  made.in[3] = at.read(at.operand(2), kBits);
}

void decode_match(Decoder& at, Instruction& made) {
  at.require(3);
  made.run = match;
  made.detail = at.says("all") ? 1 : 0;
  made.out = at.written(at.with_predicate_out(0, made));
  const Type type = at.type();
  made.bytes = static_cast<std::uint8_t>(type.bytes());
  made.in[0] = at.read(at.operand(1), type);
  made.in[3] = at.read(at.operand(2), kBits);
}

void decode_reduction(Decoder& at, Instruction& made) {
  at.require(3);
  made.run = reduce;
  const Type type = at.type();
  if (type.is_floating()) at.unknown();
  const auto kind = at.says("add")   ? Reduction::add
                    : at.says("min") ? Reduction::minimum
                    : at.says("max") ? Reduction::maximum
                    : at.says("and") ? Reduction::conjunction
                    : at.says("or")  ? Reduction::disjunction
                                     : Reduction::exclusive;
  made.detail = static_cast<std::uint32_t>(kind);
  made.sign_extends = type.scalar == Scalar::signed_int;
  made.out = at.written(at.operand(0));
  made.in[0] = at.read(at.operand(1), type);
  made.in[3] = at.read(at.operand(2), kBits);
}

}  // namespace

bool decode_between_lanes(Decoder& at, Instruction& made) {
  const std::string_view name = at.name();
  if (name == "activemask") {
    at.require(1);
    made.run = active_mask;
    made.out = at.written(at.operand(0));
    return true;
  }
  const auto decode = name == "shfl"    ? &decode_shuffle
                      : name == "vote"  ? &decode_vote
                      : name == "match" ? &decode_match
                      : name == "redux" ? &decode_reduction
                                        : nullptr;
  if (decode == nullptr) return false;
  if (!at.says("sync")) at.fail("only the form with .sync is known");
  made.flow = Flow::warp_sync;
  decode(at, made);
  return true;
}

}  // namespace kiln::emulator
