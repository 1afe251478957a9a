#pragma once

#include <cstdint>

namespace kiln::backend::cpu {

/// Bytes of a cache line.
inline constexpr std::int64_t kCacheLine = 64;

}  // namespace kiln::backend::cpu
