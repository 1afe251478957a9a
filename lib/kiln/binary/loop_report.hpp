// What a kernel's instructions tell of its loops: how wide they compute, and what they keep on the stack. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/disassembly.hpp"

namespace kiln::backend::cpu {

struct LoopReport {
  std::int64_t vector_bits = 0;  ///< the widest arithmetic in a loop, or the widest copies where it computes nothing; 0: scalar
  std::int64_t stack_stores = 0;  ///< in loops
  std::int64_t frame_bytes = 0;   ///< the largest of a function's: saved registers and its own
};

/// `instructions` by address, of x86-64 (Intel's syntax) or AArch64. A loop is what lies between a branch and a place before it
/// that it goes to; where there is none, everything counts. `names` are where functions begin.
[[nodiscard]] LoopReport examine(const std::vector<Instruction>& instructions, const std::vector<CodeName>& names);

}  // namespace kiln::backend::cpu
