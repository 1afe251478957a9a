// Integers that matter.
#pragma once

#include <cstdint>
#include <limits>

#include "emulator/exact_reference.hpp"

namespace reference {

// Of all lengths, and edges.
template <class T>
T draw(Patterns& patterns) {
  const std::uint64_t random = patterns.next();
  switch (random % 8) {
    case 0:
      return static_cast<T>(std::numeric_limits<T>::min() + static_cast<T>(random >> 8 & 1U));
    case 1:
      return static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(random >> 8 & 1U));
    case 2:
      return static_cast<T>(static_cast<T>(random >> 8 & 3U) - 1);
    default:
      return static_cast<T>(patterns.next() >> (random >> 8) % 64);
  }
}
// Of shifts and fields: half of them below 128.
inline std::uint32_t amount(Patterns& patterns) {
  const std::uint64_t random = patterns.next();
  return static_cast<std::uint32_t>((random & 1U) != 0 ? random >> 8 & 0x7fU : random >> 8);
}

}  // namespace reference
