// The seed of everything that is chosen at random: KILN_TEST_SEED, else the clock's. Printed by main().
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace kiln::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* const text = std::getenv("KILN_TEST_SEED");
    return text != nullptr ? std::stoull(text)
                           : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  }();
  return value;
}

}  // namespace kiln::test
