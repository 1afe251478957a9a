#include "emulator/run/launch.hpp"

#include <algorithm>
#include <memory>

#include "emulator/kernel_fault.hpp"
#include "emulator/run/block.hpp"

namespace kiln::emulator {
namespace {

/// Blocks that run in parallel, as on a small device.
constexpr std::uint32_t kResident = 8;

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;  // splitmix64
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

std::string text_of(const Extent& position) {
  return "(" + std::to_string(position[0]) + ", " + std::to_string(position[1]) + ", " + std::to_string(position[2]) + ")";
}

void Known::join(const Known& other) {
  const auto take = [](auto& into, const auto& from) {
    for (const auto& [who, count] : from) {
      std::uint32_t& known = into[who];
      known = std::max(known, count);
    }
  };
  take(epochs, other.epochs);
  take(releases, other.releases);
}

void run(Launch& launch) {
  std::uint64_t random = launch.seed * 0x9E3779B97F4A7C15U + launch.command;
  const std::uint32_t blocks = count_of(launch.grid);
  std::vector<std::unique_ptr<Block>> resident;
  std::uint32_t next = 0;
  while (true) {
    while (resident.size() < kResident && next < blocks) resident.push_back(std::make_unique<Block>(launch, next++));
    if (resident.empty()) return;
    const std::size_t chosen = next_random(random) % resident.size();
    if (!resident[chosen]->run(next_random(random))) resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (launch.steps > launch.most_steps) {
      throw KernelFault(Fault::timeout, "ran for " + std::to_string(launch.most_steps) + " instructions without an end");
    }
  }
}

}  // namespace kiln::emulator
