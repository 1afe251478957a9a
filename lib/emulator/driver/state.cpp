#include "emulator/driver/state.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

namespace kiln::emulator {
namespace {

/// Nothing where it is no number.
std::optional<std::uint64_t> seed() {
  const char* const asked = std::getenv("KILN_EMULATOR_SEED");
  if (asked == nullptr || *asked == '\0') return 1;
  const char* const end = asked + std::strlen(asked);
  std::uint64_t value = 0;
  const auto read = std::from_chars(asked, end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
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
  return state().device_of(contexts().current());
}

Emulated* State::device_of(const void* context) const {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& each) { return each.get() == context; });
  return found == devices.end() ? nullptr : found->get();
}

std::map<std::uint64_t, HostMemory>::iterator State::host_memory_of(std::uint64_t address, std::size_t bytes) {
  const auto behind = host_memory.lower_bound(address + bytes);
  if (behind == host_memory.begin()) return host_memory.end();
  const auto found = std::prev(behind);
  return found->first + found->second.bytes > address ? found : host_memory.end();
}

bool State::is_page_locked(const void* pointer, std::size_t bytes) {
  const std::uint64_t begin = address(pointer);
  const auto found = host_memory_of(begin, bytes);
  return found != host_memory.end() && found->first <= begin && found->first + found->second.bytes >= begin + bytes;
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
  const std::optional<std::uint64_t> order = seed();
  if (!order) {
    message = "KILN_EMULATOR_SEED is \"" + std::string(std::getenv("KILN_EMULATOR_SEED")) +
              "\", which is no whole number from 0 on; set it to one, or unset it";
    return -1;
  }
  devices.push_back(std::make_unique<Emulated>(Emulated{target, Machine(*limits, *order, kDeviceBytes)}));
  return static_cast<int>(devices.size()) - 1;
}

Emulated* State::device(int ordinal) const {
  return ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size() ? nullptr
                                                                            : devices[static_cast<std::size_t>(ordinal)].get();
}

}  // namespace kiln::emulator
