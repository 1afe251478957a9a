// The tiles of kernels-src/elementwise/gpu_tiles.hpp in numbers.
#pragma once

#include <cstdint>

#include "device/kernel_abi.hpp"
#include "kernels-src/elementwise/abi.hpp"

namespace kiln::kinds {

inline constexpr std::int64_t kSmallestTileSide = 32;

/// Of the tiles for operands of up to that many bytes. A row of one is a line of the cache, 128 bytes, or more; of operands of
/// one byte half a line, for a block would need 1024 threads else.
constexpr std::int64_t tile_side(std::int64_t itemsize) noexcept {
  return itemsize <= 2 ? 64 : kSmallestTileSide;
}
/// Threads of the block that computes one.
constexpr std::int64_t tile_threads(std::int64_t side) noexcept {
  return side * side / kTileElements;
}
/// An operand's shared memory: its rows are padded.
constexpr std::int64_t tile_bytes(std::int64_t side, std::int64_t itemsize) noexcept {
  return side * (side * itemsize + (itemsize < 4 ? 4 : itemsize));
}
/// Shared memory that a block has without asking, but for what checks of debug mode take of it.
inline constexpr std::int64_t kTileBytes = (48 - 2) * 1024;

}  // namespace kiln::kinds
