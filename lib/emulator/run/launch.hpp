// A kernel's launch: what it is given, what its threads have released to one another, and how its blocks run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/decode/program.hpp"

namespace kiln::emulator {

/// Of x, y and z; and a position in one.
using Extent = std::array<std::uint32_t, 3>;
/// Where element `number` lies.
[[nodiscard]] constexpr Extent position_in(const Extent& extent, std::uint32_t number) noexcept {
  return {number % extent[0], number / extent[0] % extent[1], number / extent[0] / extent[1]};
}
[[nodiscard]] constexpr std::uint32_t count_of(const Extent& extent) noexcept {
  return extent[0] * extent[1] * extent[2];
}
/// "(3, 0, 0)".
[[nodiscard]] std::string text_of(const Extent& position);

/// What a block knows to be done: of others, everything before a barrier; of threads, everything before one of their releases.
struct Known {
  std::unordered_map<std::uint32_t, std::uint32_t> epochs;    ///< by block
  std::unordered_map<std::uint32_t, std::uint32_t> releases;  ///< by thread

  void join(const Known& other);
};
/// What threads have released at an address.
struct Released {
  Known known;
  std::uint64_t version = 0;  ///< counts releases: threads that spin need not learn the same again
};

struct Launch {
  const Program& program;
  const Code& kernel;
  Extent grid;
  Extent block;
  std::uint32_t dynamic_shared = 0;
  std::vector<char> parameters;  ///< as the kernel lays them out
  std::uint32_t command = 0;
  std::uint64_t seed = 1;
  std::uint64_t most_steps = 0;  ///< instructions of warps; more is a timeout
  Memory& memory;
  /// Whether that command is done, in every order that the streams allow, before this one begins.
  std::function<bool(std::uint32_t)> is_before;
  std::function<std::string(std::uint32_t)> describe;

  std::unordered_map<std::uint64_t, Released> released = {};  ///< by address
  std::uint64_t steps = 0;
  std::uint64_t instructions = 0;  ///< of threads
};

/// Runs every block, in an order that the seed chooses. Throws KernelFault.
void run(Launch& launch);

}  // namespace kiln::emulator
