// Puts short rows together into blocks, where operands do not go on in memory from row to row.
#pragma once

#include "kernel/elementwise/blocks.hpp"

namespace kiln::kinds {

class Runs : protected Blocks {
 protected:
  static constexpr std::int64_t kLanes = 1024;

  Runs(const CpuLaunch& launch, const CpuKernelParts& kernel) : Blocks(launch, kernel) {}

  /// Lanes that are free in the block that is being filled.
  [[nodiscard]] std::int64_t room() {
    if (filled_ == 0) {
      start_block();
    }
    return lanes_ - filled_;
  }

  /// Takes rows (or a part of one) at at_ into the block, which is computed once it is full.
  void append(std::int64_t rows, std::int64_t columns) {
    for (int k = 0; k < operands_; ++k) {
      if (!streamed(k)) {
        continue;
      }
      const std::int64_t row_stride = rows > 1 ? stride(k, launch_.rank - 2) : 0;
      const bool linear = how(k) == Access::contiguous && (rows == 1 || row_stride == columns * size(k));
      if (linear && used_[k] > 0 && last_run(k).rows == 1 && last_run(k).at + last_run(k).columns * size(k) == at_[k]) {
        last_run(k).columns = static_cast<std::int16_t>(last_run(k).columns + rows * columns);
        continue;
      }
      if (input(k) && used_[k] > 0) {
        fetch(k);
        used_[k] = 0;
      }
      if (input(k) && !linear) {
        gather(buffer_[k] + filled_ * size(k), at_[k], {rows, row_stride, columns, stride_[k], columns * size(k)}, size(k));
        continue;
      }
      ++used_[k];
      last_run(k) = {at_[k], row_stride, static_cast<std::int16_t>(filled_), static_cast<std::int16_t>(linear ? 1 : rows),
                     static_cast<std::int16_t>(linear ? rows * columns : columns)};
    }
    filled_ += rows * columns;
  }

  void flush() {
    if (filled_ == 0) {
      return;
    }
    char* place[kMaxOperands];
    for (int k = 0; k < operands_; ++k) {
      place[k] = in_buffer_[k] ? buffer_[k] : at_[k];
      if (how(k) != Access::contiguous || used_[k] == 0) {
        continue;
      }
      // An operand whose elements all lie together needs no buffer.
      const Run& run = last_run(k);
      if (run.rows == 1 && run.columns == filled_) {
        in_buffer_[k] = false;
        place[k] = run.at;
      } else if (input(k)) {
        fetch(k);
      }
    }
    compute(place, filled_);
    for (int k = kernel_.inputs; k < operands_; ++k) {
      for (std::int64_t n = 0; in_buffer_[k] && n < used_[k]; ++n) {
        const Run& run = runs_[run_base(k) + n];
        scatter(run.at, {run.rows, run.row_stride, run.columns, stride_[k], run.columns * size(k)},
                buffer_[k] + run.lane * size(k), size(k));
      }
    }
    filled_ = 0;
  }

 private:
  // Where some elements of a block come from, or go to. One row: they are consecutive, if the operand is contiguous.
  struct Run {
    char* at;
    std::int64_t row_stride;
    std::int16_t lane;
    std::int16_t rows;
    std::int16_t columns;
  };
  static_assert(kLanes <= INT16_MAX);

  void start_block() {
    for (int k = 0; k < operands_; ++k) {
      used_[k] = 0;
      in_buffer_[k] = streamed(k);
    }
    lay_out(std::max(kCpuBlock, kLanes / kernel_.outputs / kCpuBlock * kCpuBlock));
  }
  // Outputs keep all runs until the block is computed. Inputs keep the last one, if it may grow.
  Run& last_run(int k) { return runs_[input(k) ? k : run_base(k) + used_[k] - 1]; }
  [[nodiscard]] std::int64_t run_base(int k) const { return kMaxOperands + (k - kernel_.inputs) * lanes_; }

  void fetch(int k) {
    const Run& run = last_run(k);
    gather(buffer_[k] + run.lane * size(k), run.at, row(k, run.columns), size(k));
  }

  std::int64_t filled_ = 0;
  std::int64_t used_[kMaxOperands];
  Run runs_[kMaxOperands + std::max(kLanes, kMaxOperands* kCpuBlock)];
};

}  // namespace kiln::kinds
