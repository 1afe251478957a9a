// What the instructions do, and which of it is what a statement's words name.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "emulator/arithmetic.hpp"
#include "emulator/code.hpp"
#include "emulator/warp.hpp"

namespace kiln::emulator {

/// The value in the low bits of a lane's 64, and those bits.
template <class T>
[[nodiscard]] T lane_value(std::uint64_t bits) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    return from_bits<T>(static_cast<typename Format<T>::Bits>(bits));
  }
}
template <class T>
[[nodiscard]] std::uint64_t lane_bits(T value) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
  } else {
    return to_bits(value);
  }
}

template <class Body>
void each_lane(Mask lanes, const Body& body) {
  if (lanes == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) body(lane);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) body(static_cast<unsigned>(std::countr_zero(lanes)));
  }
}

/// How an instruction's words are computed.
struct Choice {
  Handler run = nullptr;
  std::uint32_t detail = 0;
  std::uint32_t detail_2 = 0;
  unsigned inputs = 0;
  Type input;                     ///< for numbers that stand in the text
  bool predicate_result = false;  ///< setp: one or two, and a third predicate may be an input
  unsigned predicate_input = 0;   ///< number of the operand behind the inputs that is a predicate: selp, slct
};
/// Integers, floating-point, comparisons, conversions. Nothing for words that are none of these.
[[nodiscard]] std::optional<Choice> choose_arithmetic(std::span<const std::string_view> words);

// Memory.
void load(Warp& warp, const Instruction& at, Mask lanes);
void store(Warp& warp, const Instruction& at, Mask lanes);
/// Atomic operations: how a value becomes another is `detail`.
[[nodiscard]] Handler atomic_handler(std::string_view operation, const Type& type);
void fence(Warp& warp, const Instruction& at, Mask lanes);

// Between lanes. detail: the kind.
enum class Shuffle : std::uint8_t { up, down, butterfly, indexed };
void shuffle(Warp& warp, const Instruction& at, Mask lanes);
enum class Vote : std::uint8_t { all, any, uniform, ballot };
void vote(Warp& warp, const Instruction& at, Mask lanes);
void match(Warp& warp, const Instruction& at, Mask lanes);
enum class Reduction : std::uint8_t { add, minimum, maximum, conjunction, disjunction, exclusive };
void reduce(Warp& warp, const Instruction& at, Mask lanes);
void sync_warp(Warp& warp, const Instruction& at, Mask lanes);
void active_mask(Warp& warp, const Instruction& at, Mask lanes);

// Moves.
void move(Warp& warp, const Instruction& at, Mask lanes);
/// `detail` parts of `bytes` bytes each, from rows to one value and back.
void pack(Warp& warp, const Instruction& at, Mask lanes);
void unpack(Warp& warp, const Instruction& at, Mask lanes);
void move_frame_address(Warp& warp, const Instruction& at, Mask lanes);
void move_predicate(Warp& warp, const Instruction& at, Mask lanes);
/// and, or, xor, not of predicates: detail.
void combine_predicates(Warp& warp, const Instruction& at, Mask lanes);
void add_window(Warp& warp, const Instruction& at, Mask lanes);
void remove_window(Warp& warp, const Instruction& at, Mask lanes);
void is_in_window(Warp& warp, const Instruction& at, Mask lanes);
void nothing(Warp& warp, const Instruction& at, Mask lanes);

}  // namespace kiln::emulator
