// Copies of single rows by vectors of Width bytes. Members of a class for the reason that copy_loops.hpp gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "device/cpu/copy.hpp"

namespace kiln::backend {

template <std::int64_t Width>
class CopyVectors {
 public:
  struct Item16 {
    std::uint64_t halves[2];
  };

  static constexpr std::int64_t kHalf = Width < 32 ? Width : 32;
  // Below this a call of memcpy costs more than a loop.
  static constexpr std::int64_t kWorthMemcpy = 512;

  template <class T, std::int64_t Bytes>
  struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes)));  // NOLINT(modernize-use-using): where the size depends on a parameter
  };

  template <class T>
  static void repeat_items(char* to, const char* from, std::int64_t count) {
    T item;
    std::memcpy(&item, from, sizeof item);
    for (std::int64_t n = 0; n < count; ++n) {
      std::memcpy(to + n * static_cast<std::int64_t>(sizeof item), &item, sizeof item);
    }
  }

  template <class T>
  static void copy_item(char* to, const char* from) {
    T item;
    std::memcpy(&item, from, sizeof item);
    std::memcpy(to, &item, sizeof item);
  }
  template <class T>
  static void copy_items(char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride, std::int64_t count) {
    // Four at a time: one alone took 0.65 ns on a Zen 4 where its loop lay across a border of cache lines, else 0.38.
    std::int64_t n = 0;
    for (; n + 4 <= count; n += 4, to += 4 * to_stride, from += 4 * from_stride) {
      copy_item<T>(to, from);
      copy_item<T>(to + to_stride, from + from_stride);
      copy_item<T>(to + 2 * to_stride, from + 2 * from_stride);
      copy_item<T>(to + 3 * to_stride, from + 3 * from_stride);
    }
    for (; n < count; ++n, to += to_stride, from += from_stride) copy_item<T>(to, from);
  }

  // Every Step-th element. A step that the compiler knows becomes shuffles of whole vectors.
  template <class T, std::int64_t Step>
  static void take_every(char* to, const char* from, std::int64_t count) {
    constexpr std::int64_t kSize = sizeof(T);
    for (std::int64_t n = 0; n < count; ++n) {
      T item;
      std::memcpy(&item, from + n * Step * kSize, sizeof item);
      std::memcpy(to + n * kSize, &item, sizeof item);
    }
  }
  template <class T, std::int64_t Bytes, int... Lane>
  static void reverse_vector(char* to, const char* from, std::integer_sequence<int, Lane...>) {
    typename VectorOf<T, Bytes>::type part;
    std::memcpy(&part, from, sizeof part);
    part = __builtin_shufflevector(part, part, (static_cast<int>(sizeof...(Lane)) - 1 - Lane)...);
    std::memcpy(to, &part, sizeof part);
  }
  // Backwards; `from` is the first to be taken. The last vector overlaps the one before: a mask's rows of 300 bytes leave no
  // rest.
  template <class T, std::int64_t Bytes>
  static void reverse(char* to, const char* from, std::int64_t count) {
    constexpr std::int64_t kSize = sizeof(T);
    constexpr std::int64_t kLanes = Bytes / kSize;
    if (count < kLanes) {
      if constexpr (Bytes > 16) {
        return reverse<T, Bytes / 2>(to, from, count);
      }
      return copy_items<T>(to, kSize, from, -kSize, count);
    }
    constexpr auto lanes = std::make_integer_sequence<int, static_cast<int>(kLanes)>{};
    for (std::int64_t n = 0; n < count - kLanes; n += kLanes) {
      reverse_vector<T, Bytes>(to + n * kSize, from - (n + kLanes - 1) * kSize, lanes);
    }
    reverse_vector<T, Bytes>(to + (count - kLanes) * kSize, from - (count - 1) * kSize, lanes);
  }

  /// False, and nothing done, for a stride that has no shuffles of its own.
  template <class T>
  static bool take_by_shuffles(char* to, const char* from, std::int64_t stride, std::int64_t count) {
    constexpr std::int64_t kSize = sizeof(T);
    switch (stride) {
      case 2 * kSize:
        take_every<T, 2>(to, from, count);
        return true;
      case 3 * kSize:
        take_every<T, 3>(to, from, count);
        return true;
      case 4 * kSize:
        take_every<T, 4>(to, from, count);
        return true;
      case 8 * kSize:
        take_every<T, 8>(to, from, count);
        return true;
      case -kSize:
        if constexpr (kSize < 16) {
          reverse<T, Width>(to, from, count);
          return true;
        }
        return false;
      default:
        return false;
    }
  }
  template <class T>
  static void take(char* to, const char* from, std::int64_t stride, std::int64_t count) {
    if (!take_by_shuffles<T>(to, from, stride, count)) {
      copy_items<T>(to, sizeof(T), from, stride, count);
    }
  }
  /// The same of rows, `to_step` bytes apart there and `from_step` here.
  template <class T>
  static bool take_rows_by_shuffles(char* to, std::int64_t to_step, const char* from, std::int64_t from_step,
                                    std::int64_t stride, std::int64_t rows, std::int64_t count) {
    for (std::int64_t r = 0; r < rows; ++r) {
      if (!take_by_shuffles<T>(to + r * to_step, from + r * from_step, stride, count)) {
        return false;
      }
    }
    return true;
  }

  // Columns elements of each row, adjacent: one for all of them, or each from a column of its own. A number of columns that
  // the compiler knows becomes shuffles.
  template <class T, std::int64_t Columns>
  static void spread_columns(char* to, const char* from, std::int64_t rows) {
    constexpr std::int64_t kSize = sizeof(T);
    for (std::int64_t r = 0; r < rows; ++r) {
      T item;
      std::memcpy(&item, from + r * kSize, sizeof item);
      for (std::int64_t c = 0; c < Columns; ++c) {
        std::memcpy(to + (r * Columns + c) * kSize, &item, sizeof item);
      }
    }
  }
  template <class T, std::int64_t Columns>
  static void interleave_columns(char* to, const char* from, std::int64_t column_stride, std::int64_t rows) {
    constexpr std::int64_t kSize = sizeof(T);
    for (std::int64_t r = 0; r < rows; ++r) {
      T items[static_cast<std::size_t>(Columns)];
      for (std::int64_t c = 0; c < Columns; ++c) {
        std::memcpy(&items[c], from + c * column_stride + r * kSize, sizeof(T));
      }
      for (std::int64_t c = 0; c < Columns; ++c) {
        std::memcpy(to + (r * Columns + c) * kSize, &items[c], sizeof(T));
      }
    }
  }
  /// Rows without a gap, whose columns begin `column_stride` bytes apart, 0 for one value of each row, and go on from element
  /// to element. False where there is no such loop.
  template <class T>
  static bool few_columns(char* to, const char* from, const CpuTile& tile) {
    constexpr std::int64_t kSize = sizeof(T);
    if (tile.row_stride != kSize || tile.pitch != tile.columns * kSize) {
      return false;
    }
    const bool same = tile.column_stride == 0;
    switch (tile.columns) {
      case 2:
        same ? spread_columns<T, 2>(to, from, tile.rows) : interleave_columns<T, 2>(to, from, tile.column_stride, tile.rows);
        return true;
      case 3:
        same ? spread_columns<T, 3>(to, from, tile.rows) : interleave_columns<T, 3>(to, from, tile.column_stride, tile.rows);
        return true;
      case 4:
        same ? spread_columns<T, 4>(to, from, tile.rows) : interleave_columns<T, 4>(to, from, tile.column_stride, tile.rows);
        return true;
      default:
        return false;
    }
  }

  // Rows of 2 to 16 bytes, each as two parts that overlap. Nothing of what lies between rows is read, which may be another's.
  template <class Part>
  static void copy_in_two(char* to, const char* from, const CpuTile& tile, std::int64_t row_bytes) {
    const std::int64_t second = row_bytes - static_cast<std::int64_t>(sizeof(Part));
    for (std::int64_t r = 0; r < tile.rows; ++r, to += tile.pitch, from += tile.row_stride) {
      Part parts[2];
      std::memcpy(&parts[0], from, sizeof(Part));
      std::memcpy(&parts[1], from + second, sizeof(Part));
      std::memcpy(to, &parts[0], sizeof(Part));
      std::memcpy(to + second, &parts[1], sizeof(Part));
    }
  }
  /// False where there is no such loop.
  static bool copy_short_rows(char* to, const char* from, const CpuTile& tile, std::int64_t row_bytes) {
    if (row_bytes < 2 || row_bytes > 16) {
      return false;
    }
    if (row_bytes >= 8) {
      copy_in_two<std::uint64_t>(to, from, tile, row_bytes);
    } else if (row_bytes >= 4) {
      copy_in_two<std::uint32_t>(to, from, tile, row_bytes);
    } else {
      copy_in_two<std::uint16_t>(to, from, tile, row_bytes);
    }
    return true;
  }

  // The last vector overlaps the one before.
  template <class T, std::int64_t Bytes>
  static void repeat_vectors(char* to, const char* from, std::int64_t count) {
    const std::int64_t last = count * static_cast<std::int64_t>(sizeof(T)) - Bytes;
    if (last < 0) {
      if constexpr (Bytes > 16) {
        return repeat_vectors<T, Bytes / 2>(to, from, count);
      }
      return repeat_items<T>(to, from, count);
    }
    T item;
    std::memcpy(&item, from, sizeof item);
    const auto value = item - typename VectorOf<T, Bytes>::type{};
    for (std::int64_t b = 0; b < last; b += Bytes) {
      std::memcpy(to + b, &value, sizeof value);
    }
    std::memcpy(to + last, &value, sizeof value);
  }

  // A row that goes on in memory on both sides. The last vector overlaps the one before.
  template <class T, std::int64_t Bytes>
  static void copy_vectors(char* to, const char* from, std::int64_t count) {
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
    if (bytes >= kWorthMemcpy) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
      return;
    }
    if (bytes < Bytes) {
      if constexpr (Bytes > 16) {
        return copy_vectors<T, Bytes / 2>(to, from, count);
      }
      return copy_items<T>(to, sizeof(T), from, sizeof(T), count);
    }
    typename VectorOf<std::uint8_t, Bytes>::type part;
    for (std::int64_t b = 0; b < bytes - Bytes; b += Bytes) {
      std::memcpy(&part, from + b, sizeof part);
      std::memcpy(to + b, &part, sizeof part);
    }
    std::memcpy(&part, from + bytes - Bytes, sizeof part);
    std::memcpy(to + bytes - Bytes, &part, sizeof part);
  }

  // One element over each row. A row's last vector runs over into the next row, which is written after it.
  template <class T, std::int64_t Bytes>
  static void spread(char* to, const char* from, const CpuTile& tile) {
    using Vector = typename VectorOf<T, Bytes>::type;
    const std::int64_t row_bytes = tile.columns * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t written = (row_bytes + Bytes - 1) / Bytes * Bytes;
    const char* const end = to + (tile.rows - 1) * tile.pitch + row_bytes;
    std::int64_t r = 0;
    for (; r < tile.rows && written <= end - to; ++r, to += tile.pitch, from += tile.row_stride) {
      T item;
      std::memcpy(&item, from, sizeof item);
      const Vector value = item - Vector{};
      for (std::int64_t b = 0; b < row_bytes; b += Bytes) {
        std::memcpy(to + b, &value, sizeof value);
      }
    }
    for (; r < tile.rows; ++r, to += tile.pitch, from += tile.row_stride) {
      repeat_vectors<T, Bytes>(to, from, tile.columns);
    }
  }

  template <class T>
  static void spread_rows(char* to, const char* from, const CpuTile& tile) {
    if constexpr (sizeof(T) == 16) {
      for (std::int64_t r = 0; r < tile.rows; ++r, to += tile.pitch, from += tile.row_stride) {
        repeat_items<T>(to, from, tile.columns);
      }
    } else {
      const std::int64_t row_bytes = tile.columns * static_cast<std::int64_t>(sizeof(T));
      if (row_bytes <= 16 || Width == 16) {
        spread<T, 16>(to, from, tile);
      } else if (row_bytes <= 32 || Width == 32) {
        spread<T, kHalf>(to, from, tile);
      } else {
        spread<T, Width>(to, from, tile);
      }
    }
  }
};

}  // namespace kiln::backend
