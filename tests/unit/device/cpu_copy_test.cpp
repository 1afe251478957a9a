// Copies of tiles, for every width of vectors that this processor has: each must be what a copy of single elements gives, and
// touch nothing else.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../base/sanitizer.hpp"
#include "device/cpu/copy_loops.hpp"

using namespace kiln::backend;

namespace {

struct Width {
  std::string name;
  CpuCopies copies;
};

std::vector<Width> widths() {
  std::vector<Width> all{{"what copy.cpp chooses", {gather, scatter, repeat, copy_past_cache}},
                         {"16", {CopyLoops<16>::gather, CopyLoops<16>::scatter, CopyLoops<16>::repeat, PastCache<16>::copy}}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) all.push_back({"avx2", kCopiesAvx2});
  if (__builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0) {
    all.push_back({"avx512", kCopiesAvx512});
  }
#endif
  return all;
}

/// The first byte of a tile, from its origin, and the one behind its last.
std::pair<std::int64_t, std::int64_t> reach(const CpuTile& tile, std::int64_t size) {
  std::int64_t low = 0;
  std::int64_t high = size;
  for (const std::int64_t r : {(tile.rows - 1) * tile.row_stride, (tile.columns - 1) * tile.column_stride}) {
    (r < 0 ? low : high) += r;
  }
  return {low, high};
}

/// Bytes that hold a tile anywhere around `origin`, and some on either side.
struct Tiles {
  Tiles(const CpuTile& tile, std::int64_t size, std::mt19937& random) {
    const auto [low, high] = reach(tile, size);
    const auto shift = static_cast<std::int64_t>(random() % 64);  // any alignment
    origin = 64 + shift - low;
    bytes.resize(static_cast<std::size_t>(origin + high + 64));
    for (char& byte : bytes) byte = static_cast<char>(random());
  }
  char* at(std::int64_t offset) { return bytes.data() + origin + offset; }
  std::vector<char> bytes;
  std::int64_t origin = 0;
};

std::int64_t buffer_place(const CpuTile& tile, std::int64_t r, std::int64_t c, std::int64_t size) {
  return r * tile.pitch + c * size;
}

void check_gather(const Width& width, const CpuTile& tile, std::int64_t size, std::mt19937& random) {
  Tiles from(tile, size, random);
  Tiles to({tile.rows, tile.pitch, tile.columns, size, 0}, size, random);
  std::vector<char> expected = to.bytes;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      std::memcpy(expected.data() + to.origin + buffer_place(tile, r, c, size),
                  from.at(r * tile.row_stride + c * tile.column_stride), static_cast<std::size_t>(size));
    }
  }
  // Exactly what the tile reaches, so that a sanitizer sees a read beyond it.
  const auto [low, high] = reach(tile, size);
  const auto exact = std::make_unique<char[]>(static_cast<std::size_t>(high - low));
  std::memcpy(exact.get(), from.at(low), static_cast<std::size_t>(high - low));
  width.copies.gather(to.at(0), exact.get() - low, tile, size);
  // What lies between rows in the buffer is not specified.
  for (std::int64_t r = 0; r + 1 < tile.rows; ++r) {
    const std::int64_t end = to.origin + buffer_place(tile, r, tile.columns, size);
    const std::int64_t next = to.origin + buffer_place(tile, r + 1, 0, size);
    std::copy(to.bytes.begin() + end, to.bytes.begin() + next, expected.begin() + end);
  }
  CHECK(to.bytes == expected);
}

void check_scatter(const Width& width, const CpuTile& tile, std::int64_t size, std::mt19937& random) {
  Tiles to(tile, size, random);
  Tiles from({tile.rows, tile.pitch, tile.columns, size, 0}, size, random);
  std::vector<char> expected = to.bytes;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      std::memcpy(expected.data() + to.origin + r * tile.row_stride + c * tile.column_stride,
                  from.at(buffer_place(tile, r, c, size)), static_cast<std::size_t>(size));
    }
  }
  width.copies.scatter(to.at(0), tile, from.at(0), size);
  CHECK(to.bytes == expected);
}

}  // namespace

TEST_CASE("gathering a tile: any size of element, strides of any sign and order, any alignment") {
  std::mt19937 random(3);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (const Width& width : widths()) {
    for (const std::int64_t size : {1, 2, 4, 8, 16}) {
      for (int round = 0; round < kiln::test::rounds(400); ++round) {
        CpuTile tile{1 + below(round % 2 == 0 ? 5 : 40), 0, 1 + below(round % 3 == 0 ? 9 : 200), 0, 0};
        const std::int64_t sign = below(3) == 0 ? -1 : 1;
        switch (round % 4) {
          case 0:  // rows that lie together, or one value
            tile.column_stride = below(5) * size * sign;
            tile.row_stride = (below(3) - 1) * (tile.columns * 5 + below(3)) * size;
            break;
          case 1:  // transposed, forwards or backwards
            tile.row_stride = size * sign;
            tile.column_stride = (below(2) == 0 ? 1 : -1) * (tile.rows + below(4)) * size;
            break;
          case 2:  // transposed, and every other one
            tile.row_stride = 2 * size * sign;
            tile.column_stride = (2 * tile.rows + below(4)) * size;
            break;
          default:  // anything, overlaps and odd bytes included
            tile.row_stride = below(300) - 150;
            tile.column_stride = below(300) - 150;
        }
        tile.pitch = (tile.columns + (below(2) == 0 ? 0 : below(70))) * size;
        CAPTURE(width.name);
        CAPTURE(size);
        CAPTURE(round);
        check_gather(width, tile, size, random);
      }
    }
  }
}

TEST_CASE("tiles of many short rows: points, pixels, one value for each of them") {
  std::mt19937 random(6);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (const Width& width : widths()) {
    for (const std::int64_t size : {1, 2, 4, 8, 16}) {
      for (int round = 0; round < kiln::test::rounds(400); ++round) {
        CpuTile tile{1 + below(200), 0, 1 + below(round % 5 == 0 ? 20 : 5), 0, 0};
        tile.pitch = (tile.columns + (below(4) == 0 ? below(3) : 0)) * size;
        const bool rows_together = round % 3 == 0;
        tile.column_stride = rows_together ? size : (tile.rows + below(3)) * size;
        tile.row_stride = rows_together ? (tile.columns + below(3)) * size : size;
        CAPTURE(width.name);
        CAPTURE(size);
        CAPTURE(round);
        check_scatter(width, tile, size, random);
        if (round % 3 == 1) tile.column_stride = 0;
        check_gather(width, tile, size, random);
        // The same with rows and columns changed: few long rows of elements a few steps apart.
        std::swap(tile.rows, tile.columns);
        std::swap(tile.row_stride, tile.column_stride);
        tile.pitch = (tile.columns + below(3)) * size;
        check_gather(width, tile, size, random);
      }
    }
  }
}

TEST_CASE("scattering a tile: any size of element, rows or columns that lie together, any alignment") {
  std::mt19937 random(4);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (const Width& width : widths()) {
    for (const std::int64_t size : {1, 2, 4, 8, 16}) {
      for (int round = 0; round < kiln::test::rounds(400); ++round) {
        CpuTile tile{1 + below(round % 2 == 0 ? 5 : 40), 0, 1 + below(round % 3 == 0 ? 9 : 200), 0, 0};
        const std::int64_t signs[] = {below(3) == 0 ? -1 : 1, below(3) == 0 ? -1 : 1};
        const std::int64_t step = (1 + below(3)) * size;
        if (round % 4 < 2) {
          tile.column_stride = step * signs[0];
          tile.row_stride = (tile.columns * step + below(3)) * signs[1];
        } else {
          tile.row_stride = (round % 4 == 2 ? size : step) * signs[0];
          tile.column_stride = (tile.rows * step + below(3)) * signs[1];
        }
        tile.pitch = (tile.columns + (below(2) == 0 ? 0 : below(70))) * size;
        CAPTURE(width.name);
        CAPTURE(size);
        CAPTURE(round);
        check_scatter(width, tile, size, random);
      }
    }
  }
}

TEST_CASE("filling a buffer with one element") {
  std::mt19937 random(5);
  for (const Width& width : widths()) {
    for (const std::int64_t size : {1, 2, 4, 8, 16}) {
      for (std::int64_t count = 1; count < 200; ++count) {
        Tiles to({1, 0, count, size, 0}, size, random);
        Tiles from({1, 0, 1, size, 0}, size, random);
        std::vector<char> expected = to.bytes;
        for (std::int64_t n = 0; n < count; ++n) {
          std::memcpy(expected.data() + to.origin + n * size, from.at(0), static_cast<std::size_t>(size));
        }
        width.copies.repeat(to.at(0), from.at(0), size, count);
        CAPTURE(width.name);
        CHECK(to.bytes == expected);
      }
    }
  }
}
