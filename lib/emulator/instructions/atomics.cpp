// Atomic operations: atom and red.
#include <array>
#include <cstring>

#include "emulator/instructions/computation.hpp"
#include "emulator/run/block.hpp"

namespace kiln::emulator {
namespace {

template <auto Operation, class T>
void atomic(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const base = warp.in(at.in[0]);
  const std::uint64_t* const operand = warp.in(at.in[1]);
  const std::uint64_t* const second = warp.in(at.in[2]);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t address = address_of(warp, at, base, lane);
    char* const memory = warp.memory({at, lane, sizeof(T), Warp::Use::atomic}, address);
    T old;
    std::memcpy(&old, memory, sizeof(T));
    const auto made = static_cast<T>(
        std::remove_const_t<decltype(Operation)>{}(old, lane_value<T>(operand[lane]), lane_value<T>(second[lane])));
    std::memcpy(memory, &made, sizeof(T));
    // A fence behind it makes it acquire, one before it release: of the first nobody can know yet, so it counts as there.
    warp.block().acquire(address);
    if (at.synchronizes || warp.has_fenced(lane)) warp.release_at(address, lane);
    warp.out(at.out)[lane] = lane_bits(old);
  }
}

constexpr auto kAdd = [](auto a, auto b, auto) { return add(a, b); };
constexpr auto kMinimum = [](auto a, auto b, auto) { return min(a, b); };
constexpr auto kMaximum = [](auto a, auto b, auto) { return max(a, b); };
constexpr auto kAnd = [](auto a, auto b, auto) { return a & b; };
constexpr auto kOr = [](auto a, auto b, auto) { return a | b; };
constexpr auto kXor = [](auto a, auto b, auto) { return a ^ b; };
constexpr auto kExchange = [](auto, auto b, auto) { return b; };
constexpr auto kCompareAndSwap = [](auto a, auto b, auto c) { return a == b ? c : a; };
constexpr auto kIncrement = [](auto a, auto b, auto) { return a >= b ? 0 : a + 1; };
constexpr auto kDecrement = [](auto a, auto b, auto) { return a == 0 || a > b ? b : a - 1; };

template <auto Operation>
Handler of_bits(const Type& type) {
  return type.packed       ? nullptr
         : type.bits == 16 ? &atomic<Operation, std::uint16_t>
         : type.bits == 32 ? &atomic<Operation, std::uint32_t>
         : type.bits == 64 ? Handler(&atomic<Operation, std::uint64_t>)
                           : nullptr;
}
template <auto Operation>
Handler of_signed_or_bits(const Type& type) {
  if (type.scalar != Scalar::signed_int) return of_bits<Operation>(type);
  return type.bits == 32   ? &atomic<Operation, std::int32_t>
         : type.bits == 64 ? Handler(&atomic<Operation, std::int64_t>)
                           : nullptr;
}
Handler addition(const Type& type) {
  if (!type.is_floating()) return of_bits<kAdd>(type);
  if (type.packed) return nullptr;
  if (type.scalar == Scalar::bfloat) return type.bits == 16 ? Handler(&atomic<kAdd, BFloat16>) : nullptr;
  return type.bits == 16 ? &atomic<kAdd, Half> : type.bits == 32 ? &atomic<kAdd, float> : Handler(&atomic<kAdd, double>);
}

struct Operation {
  std::string_view name;
  Handler (*handler)(const Type&);
};
constexpr std::array kOfIntegers = std::to_array<Operation>({{"min", of_signed_or_bits<kMinimum>},
                                                             {"max", of_signed_or_bits<kMaximum>},
                                                             {"and", of_bits<kAnd>},
                                                             {"or", of_bits<kOr>},
                                                             {"xor", of_bits<kXor>},
                                                             {"exch", of_bits<kExchange>},
                                                             {"cas", of_bits<kCompareAndSwap>},
                                                             {"inc", of_bits<kIncrement>},
                                                             {"dec", of_bits<kDecrement>}});

}  // namespace

bool decode_atomic(Decoder& at, Instruction& made) {
  const bool has_result = at.name() == "atom";
  if (!has_result && at.name() != "red") return false;
  made.space = at.space();
  made.strong = true;
  made.synchronizes = at.says("acq_rel") || at.says("acquire") || at.says("release");
  const Type type = at.type();
  made.bytes = static_cast<std::uint8_t>(type.bytes());
  if (at.says("add")) made.run = addition(type);
  for (const Operation& each : kOfIntegers) {
    if (at.says(each.name) && !type.is_floating()) made.run = each.handler(type);
  }
  if (made.run == nullptr || at.says("v2") || at.says("v4")) at.unknown();
  std::size_t next = 0;
  if (has_result) made.out = at.written(at.operand(next++));
  at.address(at.operand(next++), made);
  made.in[1] = at.read(at.operand(next++), type);
  made.in[2] = at.says("cas") ? at.read(at.operand(next), type) : made.in[1];
  return true;
}

}  // namespace kiln::emulator
