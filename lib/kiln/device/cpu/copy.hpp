// Copies of elements between memory of any layout and the contiguous buffers of the CPU driver.
#pragma once

#include <cstdint>

namespace kiln::backend {

/// Equal rows of elements; strides in bytes.
struct CpuTile {
  std::int64_t rows;
  std::int64_t row_stride;
  std::int64_t columns;
  std::int64_t column_stride;
  std::int64_t pitch;  ///< from row to row in the buffer, at least a row's bytes; what lies between may be overwritten
};

/// Reads the tile row by row into a buffer. `size` is an element's: 1, 2, 4, 8 or 16 bytes. No alignment is asked for.
void gather(char* to, const char* from, const CpuTile& tile, std::int64_t size);
/// Writes the tile from a buffer.
void scatter(char* to, const CpuTile& tile, const char* from, std::int64_t size);
/// Writes lines of the cache (64 bytes) from a buffer past the cache. Both begin at a line. Such stores are not ordered before
/// a later release: it takes a fence.
void copy_past_cache(char* to, const char* from, std::int64_t lines);
/// Fills a buffer with one element.
void repeat(char* to, const char* from, std::int64_t size, std::int64_t count);

}  // namespace kiln::backend
