// The loops behind copy.hpp, for vectors of Width bytes. Instantiated once per width, by a source file that is compiled for
// processors that have such vectors: everything is a member of the class, so that no function compiled for one processor can
// be linked into the code for another (which rules out std's function templates here, too).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "device/cpu/copy_squares.hpp"
#include "device/cpu/copy_vectors.hpp"

namespace kiln::backend {

/// One for each width; copy.cpp takes the widest that the processor has.
struct CpuCopies {
  void (*gather)(char* to, const char* from, const CpuTile& tile, std::int64_t size);
  void (*scatter)(char* to, const CpuTile& tile, const char* from, std::int64_t size);
  void (*repeat)(char* to, const char* from, std::int64_t size, std::int64_t count);
  void (*copy_past_cache)(char* to, const char* from, std::int64_t lines);
};

#if defined(__x86_64__)
extern const CpuCopies kCopiesAvx2;
extern const CpuCopies kCopiesAvx512;
#endif

/// Non-temporal stores of whole lines. A template for the reason above.
template <std::int64_t Width>
class PastCache {
 public:
  static void copy(char* to, const char* from, std::int64_t lines) {
#pragma GCC unroll 8
    for (std::int64_t n = 0; n < lines; ++n, to += kLine, from += kLine) {
      for (std::int64_t b = 0; b < kLine; b += Width) store(to + b, from + b);
    }
  }

 private:
  static constexpr std::int64_t kLine = 64;
  static void store(char* to, const char* from) {
#if defined(__x86_64__)
    if constexpr (Width == 64) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
    } else if constexpr (Width == 32) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    } else {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
#else
    std::memcpy(to, from, Width);
#endif
  }
};

template <std::int64_t Width>
class CopyLoops {
  using Vectors = CopyVectors<Width>;
  using Item16 = typename Vectors::Item16;

 public:
  static void gather(char* to, const char* from, const CpuTile& tile, std::int64_t size) {
    switch (size) {
      case 1:
        return gather_rows<std::uint8_t>(to, from, tile);
      case 2:
        return gather_rows<std::uint16_t>(to, from, tile);
      case 4:
        return gather_rows<std::uint32_t>(to, from, tile);
      case 8:
        return gather_rows<std::uint64_t>(to, from, tile);
      default:
        return gather_rows<Item16>(to, from, tile);
    }
  }

  static void scatter(char* to, const CpuTile& tile, const char* from, std::int64_t size) {
    switch (size) {
      case 1:
        return scatter_rows<std::uint8_t>(to, tile, from);
      case 2:
        return scatter_rows<std::uint16_t>(to, tile, from);
      case 4:
        return scatter_rows<std::uint32_t>(to, tile, from);
      case 8:
        return scatter_rows<std::uint64_t>(to, tile, from);
      default:
        return scatter_rows<Item16>(to, tile, from);
    }
  }

  static void repeat(char* to, const char* from, std::int64_t size, std::int64_t count) {
    switch (size) {
      case 1:
        return Vectors::template repeat_vectors<std::uint8_t, Width>(to, from, count);
      case 2:
        return Vectors::template repeat_vectors<std::uint16_t, Width>(to, from, count);
      case 4:
        return Vectors::template repeat_vectors<std::uint32_t, Width>(to, from, count);
      case 8:
        return Vectors::template repeat_vectors<std::uint64_t, Width>(to, from, count);
      default:
        return Vectors::template repeat_items<Item16>(to, from, count);
    }
  }

 private:
  using Squares = CopySquares<Width>;

  // g++ 12 puts 32-byte vectors together through memory: 0.13 ns an element instead of 0.08 with 16 bytes, 0.06 with 64.
  static constexpr std::int64_t kSquareBytes = Width == 64 ? 64 : 16;
  template <class T>
  static void gather_rows(char* to, const char* from, const CpuTile& tile) {
    constexpr std::int64_t kSize = sizeof(T);
    if constexpr (kSize < 16) {
      if (Vectors::template few_columns<T>(to, from, tile)) {
        return;
      }
    }
    if (tile.column_stride == 0) {
      return Vectors::template spread_rows<T>(to, from, tile);
    }
    if constexpr (kSize < 16) {
      // What lies in the direction of the columns is read in vectors, forwards and backwards.
      if (tile.row_stride == kSize &&
          Squares::template transpose<T, kSquareBytes>(to, tile.pitch, from, tile.column_stride, tile.columns, tile.rows)) {
        return;
      }
      if (tile.row_stride == -kSize &&
          Squares::template transpose<T, kSquareBytes>(to + (tile.rows - 1) * tile.pitch, -tile.pitch,
                                                       from + (tile.rows - 1) * tile.row_stride, tile.column_stride,
                                                       tile.columns, tile.rows)) {
        return;
      }
    }
    // Rows too short for a transposition, as of points and pixels: one after the other, by shuffles of whole vectors.
    if (tile.rows > 1 && Vectors::template take_rows_by_shuffles<T>(to, tile.pitch, from, tile.row_stride, tile.column_stride,
                                                                    tile.rows, tile.columns)) {
      return;
    }
    if (tile.rows > 1 && nearer(tile.row_stride, tile.column_stride)) {
      // Not all rows at once: where they lie 4 KB apart they push one another out of the cache (2.1 ns instead of 0.3).
      for (std::int64_t r = 0; r < tile.rows; r += 4, to += 4 * tile.pitch, from += 4 * tile.row_stride) {
        const std::int64_t rows = tile.rows - r < 4 ? tile.rows - r : 4;
        for (std::int64_t c = 0; c < tile.columns; ++c) {
          Vectors::template copy_items<T>(to + c * kSize, tile.pitch, from + c * tile.column_stride, tile.row_stride, rows);
        }
      }
      return;
    }
    if (tile.column_stride == kSize && Vectors::copy_short_rows(to, from, tile, tile.columns * kSize)) {
      return;
    }
    for (std::int64_t r = 0; r < tile.rows; ++r, to += tile.pitch, from += tile.row_stride) {
      if (tile.column_stride == kSize) {
        Vectors::template copy_vectors<T, Width>(to, from, tile.columns);
      } else {
        Vectors::template take<T>(to, from, tile.column_stride, tile.columns);
      }
    }
  }

  template <class T>
  static void scatter_rows(char* to, const CpuTile& tile, const char* from) {
    constexpr std::int64_t kSize = sizeof(T);
    if constexpr (kSize < 16) {
      if (tile.row_stride == kSize && tile.column_stride != 0 &&
          Squares::template transpose<T, kSquareBytes>(to, tile.column_stride, from, tile.pitch, tile.rows, tile.columns)) {
        return;
      }
    }
    if (tile.row_stride == kSize && tile.column_stride != 0 &&
        Vectors::template take_rows_by_shuffles<T>(to, tile.column_stride, from, kSize, tile.pitch, tile.columns, tile.rows)) {
      return;
    }
    for (std::int64_t r = 0; r < tile.rows; ++r, to += tile.row_stride, from += tile.pitch) {
      if (tile.column_stride == kSize) {
        Vectors::template copy_vectors<T, Width>(to, from, tile.columns);
      } else {
        Vectors::template copy_items<T>(to, tile.column_stride, from, kSize, tile.columns);
      }
    }
  }

  static bool nearer(std::int64_t a, std::int64_t b) { return a != 0 && (a < 0 ? -a : a) < (b < 0 ? -b : b); }
};

}  // namespace kiln::backend
