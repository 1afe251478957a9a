// Who compiles what: pure functions over what all ranks reported, so that every rank comes to the same plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "manifest/warm_messages.hpp"

namespace kiln::manifest {

/// The compiles that each rank may run at once. Each processor of a machine is given to one of the ranks that may use it, to
/// the one with the fewest so far; a rank with `jobs` has as many.
[[nodiscard]] std::vector<int> compile_slots(const std::vector<WarmCall>& ranks);

/// The kernels of a rank: a list that several ranks may share, and which of it the rank's cache has.
struct WarmHoldings {
  const std::vector<base::Hash128>* digests = nullptr;
  const std::vector<std::uint8_t>* found = nullptr;
  int place = 0;            ///< ranks of one place share what they store
  bool can_compile = true;  ///< it has more than the digests
};

/// The ranks that make the list of their kernels: those with slots, and the first rank of each environment, which lists for the
/// others. Ranks without kernels are none.
[[nodiscard]] std::vector<bool> listing_ranks(const std::vector<WarmCall>& ranks, const std::vector<int>& slots);

/// One kernel, for all ranks.
struct WarmTask {
  base::Hash128 digest{};
  int compiler = -1;  ///< rank that compiles it; -1: a cache has it
  int sender = -1;    ///< rank that sends it; -1: all places have it, or get it from who compiles it
};

/// The kernels of all ranks, by ascending digest. A kernel that a rank has is sent by one that has it. Another one is compiled
/// by a rank that wants it and can compile: by the one with the fewest for each slot. Ranks without a slot compile only what no
/// other rank can. Nothing is sent where every place has it then.
[[nodiscard]] std::vector<WarmTask> plan_warming(const std::vector<WarmHoldings>& ranks, const std::vector<int>& slots);

[[nodiscard]] inline bool bit(const std::vector<std::uint8_t>& bits, std::size_t i) noexcept {
  return (bits[i / 8] >> (i % 8) & 1) != 0;
}
inline void set_bit(std::vector<std::uint8_t>& bits, std::size_t i) {
  if (bits.size() <= i / 8) bits.resize(i / 8 + 1);
  bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1U << (i % 8));
}

}  // namespace kiln::manifest
