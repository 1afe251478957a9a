// The numbers that choose a variant, each with the measurement behind it.
#pragma once

#include <cstdint>
#include <vector>

namespace kiln::ufunc::tuning {

/// Calls that touch this many bytes store their outputs past the cache on the CPU. Over 5e7 float32 elements on two threads
/// that is 1.15 to 1.4 times as fast for saxpy, the discriminant and (x - mean) / sigma. Bodies that wait for arithmetic are
/// left out: the Gaussian took 28 ms instead of 20, polar distance 1.05 times as long.
inline constexpr std::int64_t kNontemporalBytes = std::int64_t{96} << 20;

/// Elements in a pack of a GPU kernel, from the itemsizes of its packed operands: 16 bytes of the narrowest, unless the widest
/// would then take more than two accesses. `widest` is 0 where nothing is packed.
constexpr std::int64_t width(std::int64_t narrowest, std::int64_t widest) noexcept {
  if (widest == 0) return 1;
  const std::int64_t by_narrowest = 16 / narrowest;
  const std::int64_t by_widest = 32 / widest;
  return by_narrowest < by_widest ? by_narrowest : by_widest;
}

/// The next width of packs that is worth a kernel of its own: of 4 bytes of the narrowest, or 8 where its elements have more
/// than one.
constexpr std::int64_t narrow(std::int64_t width) noexcept {
  return width >= 16 ? 4 : width / 2;
}

/// Elements of a thread of a strip: those of a pack, or as many as are worth computing a place.
constexpr std::int64_t strip(std::int64_t width) noexcept {
  return width < 4 ? 4 : width;
}

/// Packs that a GPU thread loads before it computes: enough that 2048 threads keep 64 KB in flight on each multiprocessor (an
/// H200 wants about 48 KB), and no more, for small arrays must still reach every multiprocessor.
constexpr int unroll(std::int64_t bytes_per_pack) noexcept {
  return bytes_per_pack >= 32 ? 1 : bytes_per_pack >= 16 ? 2 : 4;
}

/// Numbers of packs that are tried in the place of unroll()'s, where the launch shape is measured.
[[nodiscard]] inline std::vector<int> accesses() {
  return {1, 2, 4, 8};
}

/// Elements that a GPU thread loads before it computes where it goes by tiles: as many, and of those of a few bytes as fill 16.
constexpr int tile_unroll(std::int64_t bytes_per_element) noexcept {
  return bytes_per_element == 0 || bytes_per_element >= 4 ? unroll(bytes_per_element)
                                                          : static_cast<int>(16 / bytes_per_element);
}

}  // namespace kiln::ufunc::tuning
