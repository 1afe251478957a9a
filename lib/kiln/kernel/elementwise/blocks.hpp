// One launch, seen by one thread: its operands, buffers for those that do not lie in memory as the kernel reads them, and the
// computing of elements by whole blocks. What walks the index space is driver.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/backend.hpp"
#include "device/cpu/copy.hpp"
#include "kernel/launch.hpp"
#include "kernels-src/elementwise/abi.hpp"

namespace kiln::kinds {

constexpr std::int64_t kBufferBytes = 32 * 1024;  // fits the first cache, and 64 lanes of 32 operands of 16 bytes

static_assert(kBufferBytes >= kMaxOperands * 16 * kCpuBlock);

/// How long the rows are whose values broadcast operands have in their buffers, each over kCpuRowLanes lanes, and where in its
/// row the first element is. As it is: there is a value for each element.
struct BroadcastRows {
  static constexpr std::int64_t kEndless = std::int64_t{1} << 60;
  std::int64_t columns = kCpuRowLanes;
  std::int64_t first = 0;
};

class Blocks {
 protected:
  using Access = CpuAccess;

  Blocks(const CpuLaunch& launch, const CpuKernelParts& kernel)
      : launch_(launch), kernel_(kernel), operands_(kernel.inputs + kernel.outputs) {
    for (int k = 0; k < operands_; ++k) {
      const std::int64_t innermost = launch.strides[(k + 1) * launch.rank - 1];
      stride_[k] = how(k) == Access::contiguous ? size(k) : how(k) == Access::strided ? innermost : 0;
      at_[k] = static_cast<char*>(launch.data[k]);
    }
  }

  [[nodiscard]] bool input(int k) const { return k < kernel_.inputs; }
  [[nodiscard]] Access how(int k) const { return kernel_.access[k]; }
  [[nodiscard]] std::int64_t size(int k) const { return kernel_.itemsize[k]; }
  [[nodiscard]] std::int64_t stride(int k, std::int64_t dimension) const {
    return launch_.strides[k * launch_.rank + dimension];
  }
  /// The kernel reads or writes as many of it as it computes elements; not one value.
  [[nodiscard]] bool streamed(int k) const { return how(k) == Access::contiguous || how(k) == Access::strided || by_row(k); }
  /// Has one value in each row.
  [[nodiscard]] bool by_row(int k) const { return how(k) == Access::broadcast && launch_.rank > 1; }
  /// Streamed, and not as it lies in memory.
  [[nodiscard]] bool misplaced(int k) const { return streamed(k) && how(k) != Access::contiguous; }
  [[nodiscard]] CpuTile row(int k, std::int64_t count) const { return {1, 0, count, stride_[k], 0}; }

  void move_on(std::int64_t count) {
    for (int k = 0; k < operands_; ++k) {
      at_[k] += count * stride_[k];
    }
  }

  /// Divides the buffer among the operands that in_buffer_ names: as many lanes as fit, at most `most`, in whole blocks. The
  /// others get room for one block, where a part of one is filled up.
  void lay_out(std::int64_t most) {
    std::int64_t block_bytes = 0;
    std::int64_t lane_bytes = 0;
    for (int k = 0; k < operands_; ++k) {
      (in_buffer_[k] ? lane_bytes : block_bytes) += streamed(k) ? size(k) : 0;
    }
    lanes_ = kCpuBlock;
    if (lane_bytes > 0 && most > kCpuBlock) {
      const std::int64_t room = kBufferBytes - block_bytes * kCpuBlock;
      lanes_ = std::max(std::min(room / lane_bytes, most) / kCpuBlock * kCpuBlock, kCpuBlock);
    }
    char* next = storage_;
    for (int k = 0; k < operands_; ++k) {
      buffer_[k] = next;
      next += streamed(k) ? size(k) * (in_buffer_[k] ? lanes_ : kCpuBlock) : 0;
    }
  }

  /// Computes count elements of operands that lie at `place` consecutively. Buffers have room for whole blocks, and for
  /// one more behind the lanes of the last row.
  void compute(char* const* place, std::int64_t count, BroadcastRows rows = {}) {
    void* here[kMaxOperands];
    const std::int64_t whole = count / kCpuBlock * kCpuBlock;
    if (whole > 0) {
      std::copy_n(place, operands_, here);
      kernel_.blocks(here, whole / kCpuBlock, rows.columns, rows.first);
    }
    const std::int64_t rest = count - whole;
    if (rest > 0) {
      compute_rest(place, whole, rest, rows);
    }
  }

  const CpuLaunch& launch_;
  const CpuKernelParts& kernel_;
  const int operands_;
  std::int64_t lanes_ = 0;
  // Not initialized on purpose: a call on one element must not clear 32 KB.
  char* at_[kMaxOperands];
  char* buffer_[kMaxOperands];
  std::int64_t stride_[kMaxOperands];
  bool in_buffer_[kMaxOperands];
  alignas(64) char storage_[kBufferBytes];

 private:
  // The last block, which is not full: it repeats the last element.
  void compute_rest(char* const* place, std::int64_t whole, std::int64_t rest, BroadcastRows rows) {
    void* here[kMaxOperands];
    const bool by_rows = rows.columns != kCpuRowLanes;
    const std::int64_t row = by_rows ? (rows.first + whole) / rows.columns : 0;
    for (int k = 0; k < operands_; ++k) {
      here[k] = place[k];
      if (!streamed(k)) {
        continue;
      }
      if (by_row(k) && by_rows) {
        here[k] = place[k] + row * kCpuRowLanes * size(k);
        if (rows.columns != BroadcastRows::kEndless) {
          const std::int64_t last = (rows.first + whole + rest - 1) / rows.columns;
          char* const end = place[k] + (last + 1) * kCpuRowLanes * size(k);
          repeat(end, end - size(k), size(k), kCpuBlock);
        }
        continue;
      }
      char* const from = place[k] + whole * size(k);
      char* const to = in_buffer_[k] ? from : buffer_[k];
      here[k] = to;
      if (!input(k)) {
        continue;
      }
      const std::int64_t bytes = rest * size(k);
      if (to != from) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
      }
      repeat(to + bytes, to + bytes - size(k), size(k), kCpuBlock - rest);
    }
    kernel_.blocks(here, 1, rows.columns, by_rows ? rows.first + whole - row * rows.columns : 0);
    for (int k = kernel_.inputs; k < operands_; ++k) {
      if (!in_buffer_[k]) {
        std::memcpy(place[k] + whole * size(k), buffer_[k], static_cast<std::size_t>(rest * size(k)));
      }
    }
  }
};

}  // namespace kiln::kinds
