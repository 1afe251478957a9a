// Loads, stores, atomic operations, moves, and what lanes of a warp tell one another.
#include <algorithm>
#include <array>
#include <cstring>

#include "emulator/block.hpp"
#include "emulator/handlers.hpp"

namespace kiln::emulator {
namespace {

std::uint64_t address_of(Warp& warp, const Instruction& at, const std::uint64_t* base, unsigned lane) {
  std::uint64_t address = base[lane] + static_cast<std::uint64_t>(at.offset);
  if (at.of_frame && at.space == Space::local) address += warp.frame().local_base;
  return address;
}

std::uint64_t extended(const Instruction& at, std::uint64_t value) {
  if (!at.sign_extends) return value;
  const unsigned unused = 64 - 8U * at.bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

const std::vector<Row>& rows_of(Warp& warp) {
  return warp.frame().code.rows;
}

}  // namespace

void load(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const base = warp.in(at.in[0]);
  const Row* const targets = rows_of(warp).data() + at.rows;
  const std::size_t bytes = std::size_t{at.bytes} * at.count;
  // The address may stand in a row that is written.
  std::array<std::uint64_t, kLanes> addresses;
  each_lane(lanes, [&](unsigned lane) { addresses[lane] = address_of(warp, at, base, lane); });
  each_lane(lanes, [&](unsigned lane) {
    const char* const from = warp.memory(at, lane, addresses[lane], bytes, Warp::Use::read);
    if (at.detail_2 != 0) warp.block().acquire(addresses[lane]);
    for (unsigned k = 0; k < at.count; ++k) {
      if (targets[k].bank != Row::registers) continue;  // "_"
      std::uint64_t value = 0;
      std::memcpy(&value, from + std::size_t{k} * at.bytes, at.bytes);
      warp.out(targets[k])[lane] = extended(at, value);
    }
  });
}

void store(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const base = warp.in(at.in[0]);
  const Row* const sources = rows_of(warp).data() + at.rows;
  const std::size_t bytes = std::size_t{at.bytes} * at.count;
  each_lane(lanes, [&](unsigned lane) {
    std::array<char, 64> values;
    for (unsigned k = 0; k < at.count; ++k)
      std::memcpy(values.data() + std::size_t{k} * at.bytes, warp.in(sources[k]) + lane, at.bytes);
    const std::uint64_t address = address_of(warp, at, base, lane);
    char* const to = warp.memory(at, lane, address, bytes, Warp::Use::write, values.data());
    std::memcpy(to, values.data(), bytes);
    if (at.detail_2 != 0 || (at.strong && (warp.fenced >> lane & 1U) != 0)) {
      warp.release_at(address, lane);
    }
  });
}

namespace {

template <class Operation, class T>
void atomic(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const base = warp.in(at.in[0]);
  const std::uint64_t* const operand = warp.in(at.in[1]);
  const std::uint64_t* const second = warp.in(at.in[2]);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t address = address_of(warp, at, base, lane);
    char* const memory = warp.memory(at, lane, address, sizeof(T), Warp::Use::atomic);
    T old;
    std::memcpy(&old, memory, sizeof(T));
    const T made = Operation::run(old, lane_value<T>(operand[lane]), lane_value<T>(second[lane]));
    std::memcpy(memory, &made, sizeof(T));
    // A fence behind it makes it acquire, one before it release: of the first nobody can know yet, so it counts as there.
    warp.block().acquire(address);
    if (at.detail_2 != 0 || (warp.fenced >> lane & 1U) != 0) warp.release_at(address, lane);
    if (at.has_out) warp.out(at.out)[lane] = lane_bits(old);
  }
}

struct Add {
  template <class T>
  static T run(T a, T b, T) {
    return add(a, b);
  }
};
struct Minimum {
  template <class T>
  static T run(T a, T b, T) {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  static T run(T a, T b, T) {
    return a < b ? b : a;
  }
};
struct And {
  template <class T>
  static T run(T a, T b, T) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T run(T a, T b, T) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T run(T a, T b, T) {
    return static_cast<T>(a ^ b);
  }
};
struct Exchange {
  template <class T>
  static T run(T, T b, T) {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  static T run(T a, T b, T c) {
    return a == b ? c : a;
  }
};
struct Increment {
  template <class T>
  static T run(T a, T b, T) {
    return a >= b ? T{0} : static_cast<T>(a + 1);
  }
};
struct Decrement {
  template <class T>
  static T run(T a, T b, T) {
    return a == 0 || a > b ? b : static_cast<T>(a - 1);
  }
};

template <class Operation>
Handler of_unsigned(const Type& type) {
  switch (type.bits) {
    case 16:
      return &atomic<Operation, std::uint16_t>;
    case 32:
      return &atomic<Operation, std::uint32_t>;
    case 64:
      return &atomic<Operation, std::uint64_t>;
    default:
      return nullptr;
  }
}
template <class Operation>
Handler of_integers(const Type& type) {
  if (type.scalar != Scalar::signed_int) return of_unsigned<Operation>(type);
  return type.bits == 32 ? &atomic<Operation, std::int32_t> : type.bits == 64 ? &atomic<Operation, std::int64_t> : nullptr;
}

}  // namespace

Handler atomic_handler(std::string_view operation, const Type& type) {
  if (operation == "add") {
    if (type.scalar == Scalar::floating && !type.packed) {
      switch (type.bits) {
        case 16:
          return &atomic<Add, Half>;
        case 32:
          return &atomic<Add, float>;
        default:
          return &atomic<Add, double>;
      }
    }
    if (type.scalar == Scalar::bfloat && type.bits == 16) return &atomic<Add, BFloat16>;
    return type.packed ? nullptr : of_unsigned<Add>(type);
  }
  if (type.scalar == Scalar::floating || type.scalar == Scalar::bfloat) return nullptr;
  if (operation == "min") return of_integers<Minimum>(type);
  if (operation == "max") return of_integers<Maximum>(type);
  if (operation == "and") return of_unsigned<And>(type);
  if (operation == "or") return of_unsigned<Or>(type);
  if (operation == "xor") return of_unsigned<Xor>(type);
  if (operation == "exch") return of_unsigned<Exchange>(type);
  if (operation == "cas") return of_unsigned<CompareAndSwap>(type);
  if (operation == "inc") return of_unsigned<Increment>(type);
  if (operation == "dec") return of_unsigned<Decrement>(type);
  return nullptr;
}

void fence(Warp& warp, const Instruction&, Mask lanes) {
  warp.fenced |= lanes;
}

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
  if (at.has_out) {
    std::uint64_t* const out = warp.out(at.out);
    each_lane(lanes, [&](unsigned lane) { out[lane] = values[lane]; });
  }
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
  const bool is_signed = at.sign_extends;
  std::uint32_t result = 0;
  bool first = true;
  each_lane(lanes, [&](unsigned lane) {
    const auto value = static_cast<std::uint32_t>(values[lane]);
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      return is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
    };
    if (first) {
      result = value;
      first = false;
      return;
    }
    switch (static_cast<Reduction>(at.detail)) {
      case Reduction::add:
        result += value;
        break;
      case Reduction::minimum:
        result = less(value, result) ? value : result;
        break;
      case Reduction::maximum:
        result = less(result, value) ? value : result;
        break;
      case Reduction::conjunction:
        result &= value;
        break;
      case Reduction::disjunction:
        result |= value;
        break;
      case Reduction::exclusive:
        result ^= value;
        break;
    }
  });
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = result; });
}

void sync_warp(Warp& warp, const Instruction&, Mask lanes) {
  std::uint32_t latest = 0;
  each_lane(lanes, [&](unsigned lane) { latest = std::max(latest, warp.epochs[lane]); });
  each_lane(lanes, [&](unsigned lane) { warp.epochs[lane] = latest + 1; });
}

void active_mask(Warp& warp, const Instruction& at, Mask lanes) {
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = lanes; });
}

void move(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = a[lane]; });
}

void pack(Warp& warp, const Instruction& at, Mask lanes) {
  const Row* const parts = rows_of(warp).data() + at.rows;
  const unsigned bits = 8U * at.bytes;
  const std::uint64_t kept = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < at.count; ++k) value |= (warp.in(parts[k])[lane] & kept) << (bits * k);
    out[lane] = value;
  });
}

void unpack(Warp& warp, const Instruction& at, Mask lanes) {
  const Row* const parts = rows_of(warp).data() + at.rows;
  const unsigned bits = 8U * at.bytes;
  const std::uint64_t kept = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t* const a = warp.in(at.in[0]);
  each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t value = a[lane];
    for (unsigned k = 0; k < at.count; ++k) {
      if (parts[k].bank == Row::registers) warp.out(parts[k])[lane] = value >> (bits * k) & kept;
    }
  });
}

void move_frame_address(Warp& warp, const Instruction& at, Mask lanes) {
  std::uint64_t* const out = warp.out(at.out);
  const std::uint64_t value = warp.frame().local_base + static_cast<std::uint64_t>(at.offset);
  each_lane(lanes, [&](unsigned lane) { out[lane] = value; });
}

void move_predicate(Warp& warp, const Instruction& at, Mask lanes) {
  warp.set_predicate(at.predicate_out, warp.predicate(at.predicate_in[0]), lanes);
}

void combine_predicates(Warp& warp, const Instruction& at, Mask lanes) {
  const Mask a = warp.predicate(at.predicate_in[0]);
  const Mask b = warp.predicate(at.predicate_in[1]);
  warp.set_predicate(at.predicate_out, at.detail == 0 ? a & b : at.detail == 1 ? a | b : at.detail == 2 ? a ^ b : ~a, lanes);
}

void add_window(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  std::uint64_t* const out = warp.out(at.out);
  const std::uint64_t window = std::uint64_t{at.detail} << 60U;
  each_lane(lanes, [&](unsigned lane) { out[lane] = a[lane] | window; });
}

void remove_window(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = a[lane] & ~kWindowMask; });
}

void is_in_window(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  Mask yes = 0;
  each_lane(lanes, [&](unsigned lane) {
    if (a[lane] >> 60U == at.detail) yes |= Mask{1} << lane;
  });
  warp.set_predicate(at.predicate_out, yes, lanes);
}

void nothing(Warp&, const Instruction&, Mask) {}

}  // namespace kiln::emulator
