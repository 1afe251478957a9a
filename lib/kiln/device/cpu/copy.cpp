// Chooses among the widths of vectors.
#include "device/cpu/copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "device/cpu/copy_loops.hpp"

namespace kiln::backend {
namespace {

constexpr CpuCopies kCopiesBaseline{CopyLoops<16>::gather, CopyLoops<16>::scatter, CopyLoops<16>::repeat, PastCache<16>::copy};

const CpuCopies& widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return kCopiesAvx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) {
    return kCopiesAvx2;
  }
#endif
  return kCopiesBaseline;
}

const CpuCopies& kCopies = widest();

}  // namespace

void repeat(char* to, const char* from, std::int64_t size, std::int64_t count) {
  kCopies.repeat(to, from, size, count);
}

void gather(char* to, const char* from, const CpuTile& tile, std::int64_t size) {
  if (tile.rows > 1 && tile.row_stride == 0) {
    // The same row again and again: copied once, then doubled.
    CpuTile row = tile;
    row.rows = 1;
    kCopies.gather(to, from, row, size);
    const std::int64_t all = (tile.rows - 1) * tile.pitch + tile.columns * size;
    for (std::int64_t done = tile.pitch; done < all; done *= 2) {
      std::memcpy(to + done, to, static_cast<std::size_t>(std::min(done, all - done)));
    }
    return;
  }
  kCopies.gather(to, from, tile, size);
}

void copy_past_cache(char* to, const char* from, std::int64_t lines) {
  kCopies.copy_past_cache(to, from, lines);
}

void scatter(char* to, const CpuTile& tile, const char* from, std::int64_t size) {
  kCopies.scatter(to, tile, from, size);
}

}  // namespace kiln::backend
