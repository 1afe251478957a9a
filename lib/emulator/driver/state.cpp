#include "emulator/driver/state.hpp"

#include <algorithm>
#include <cstdlib>

namespace kiln::emulator {
namespace {

std::uint64_t seed() {
  const char* const asked = std::getenv("KILN_EMULATOR_SEED");
  const std::uint64_t value = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
  return value == 0 ? 1 : value;
}

}  // namespace

State& state() {
  static auto* const all = new State;
  return *all;
}

Contexts& contexts() noexcept {
  thread_local Contexts all;
  return all;
}

Emulated* device() {
  const auto& all = state().devices;
  const void* const current = contexts().current();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.get() == current; });
  return found == all.end() ? nullptr : found->get();
}

int State::ordinal_of(const std::string& target) {
  for (std::size_t k = 0; k < devices.size(); ++k) {
    if (devices[k]->target == target) return static_cast<int>(k);
  }
  const auto limits = limits_of(target);
  if (!limits) {
    message = "there is no device \"emulated:" + target + "\": " + kTargets;
    return -1;
  }
  devices.push_back(std::make_unique<Emulated>(Emulated{target, Machine(*limits, seed(), kDeviceBytes)}));
  return static_cast<int>(devices.size()) - 1;
}

Emulated* State::device(int ordinal) const {
  return ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size() ? nullptr
                                                                            : devices[static_cast<std::size_t>(ordinal)].get();
}

}  // namespace kiln::emulator
