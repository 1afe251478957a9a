// What instructions do: a file for each kind, which reads the statement and runs the instruction.
#pragma once

#include <cstdint>

#include "emulator/decode/decoder.hpp"
#include "emulator/run/warp.hpp"

namespace kiln::emulator {

// Each fills what the statement at hand does, or returns false where it is of another kind. PtxError as Decoder's.

/// Branches, calls, ends, barriers, and what changes nothing: prefetch, nanosleep, …
[[nodiscard]] bool decode_control(Decoder& at, Instruction& made);
/// ld, st, fences.
[[nodiscard]] bool decode_memory(Decoder& at, Instruction& made);
/// atom, red.
[[nodiscard]] bool decode_atomic(Decoder& at, Instruction& made);
/// mov, cvta, isspacep, logic of predicates.
[[nodiscard]] bool decode_move(Decoder& at, Instruction& made);
/// shfl, vote, match, redux, activemask.
[[nodiscard]] bool decode_between_lanes(Decoder& at, Instruction& made);
/// Each lane's result from its own operands: floating point, integers, bits, comparisons, conversions.
[[nodiscard]] bool decode_computation(Decoder& at, Instruction& made);

/// The address that a lane accesses: in[0] and what is added.
[[nodiscard]] inline std::uint64_t address_of(Warp& warp, const Instruction& at, const std::uint64_t* base, unsigned lane) {
  std::uint64_t address = base[lane] + static_cast<std::uint64_t>(at.offset);
  if (at.of_frame) address += warp.frame().local_base;
  return address;
}

}  // namespace kiln::emulator
