#pragma once

#include <cstdint>

namespace kiln::base {

/// How many times `b` it takes to hold `a`; neither is negative, and `b` is not 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace kiln::base
