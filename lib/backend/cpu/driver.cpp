// Walks the index space of a CPU launch for a kernel that only computes whole blocks. Blocks of whatever does not lie in
// memory as the kernel reads it (rests of rows, short rows, strided operands) are put together in buffers. So every element
// goes through the same vector loop, and its value does not depend on its place or on how the work was cut.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "backend/backend.hpp"
#include "backend/cpu/copy.hpp"
#include "backend/kernel_abi.hpp"

namespace kiln::backend {
namespace {

enum class Access : std::uint8_t { contiguous, broadcast, strided, scalar };  // codegen::Access

constexpr std::int64_t kBufferBytes = 32 * 1024;  // fits the first cache, and 64 lanes of 32 operands of 16 bytes
constexpr std::int64_t kLanes = 1024;
constexpr std::int64_t kStreamBytes = 4096;  // of an output, before it goes past the cache
constexpr std::int64_t kDirect = 512;        // rows of which as many elements are left are not gathered
constexpr std::int64_t kSpread = 256;        // lanes that a row's broadcast value is spread over
constexpr std::int64_t kMaxRank = 64;

static_assert(kBufferBytes >= kMaxOperands * 16 * kCpuBlock);

std::int64_t blocks_for(std::int64_t count) {
  return (count + kCpuBlock - 1) / kCpuBlock;
}

// One launch, seen by one thread.
class Driver {
 public:
  Driver(const CpuLaunch& launch, const CpuKernelParts& kernel)
      : launch_(launch), kernel_(kernel), operands_(kernel.inputs + kernel.outputs) {
    for (int k = 0; k < operands_; ++k) {
      const std::int64_t innermost = launch.strides[(k + 1) * launch.rank - 1];
      stride_[k] = how(k) == Access::contiguous ? size(k) : how(k) == Access::strided ? innermost : 0;
      at_[k] = static_cast<char*>(launch.data[k]);
      strided_ = strided_ || how(k) == Access::strided;
      broadcast_ = broadcast_ || (how(k) == Access::broadcast && launch.rank > 1);
    }
  }

  void flat(std::int64_t begin, std::int64_t end) {
    for (int k = 0; k < operands_; ++k) {
      at_[k] += begin * stride_[k];
    }
    std::int64_t count = end - begin;
    if (kernel_.copy_past_cache != nullptr) {
      count -= past_cache(count / kCpuBlock * kCpuBlock);
    } else {
      count -= direct(count / kCpuBlock * kCpuBlock);
    }
    if (count > 0) {
      lay_out(kCpuBlock);
      for (int k = 0; k < operands_; ++k) {
        in_buffer_[k] = streamed(k);
        if (!in_buffer_[k] || k >= kernel_.inputs) {
          continue;
        }
        if (count == 1) {
          repeat(buffer_[k], at_[k], size(k), kCpuBlock);  // what compute would make of it, in half the time
        } else {
          gather(buffer_[k], at_[k], row(k, count), size(k));
        }
      }
      compute(count == 1 ? kCpuBlock : count);
      for (int k = kernel_.inputs; k < operands_; ++k) {
        scatter(at_[k], row(k, count), buffer_[k], size(k));
      }
    }
  }

  void nested(std::int64_t begin, std::int64_t end) {
    const std::int64_t rank = launch_.rank;
    const std::int64_t inner = launch_.shape[rank - 1];
    std::int64_t rest = begin;
    for (std::int64_t d = rank - 1; d >= 0; --d) {
      index_[d] = rest % launch_.shape[d];
      rest /= launch_.shape[d];
      for (int k = 0; k < operands_; ++k) {
        at_[k] += index_[d] * launch_.strides[k * rank + d];
      }
    }
    std::int64_t& column = index_[rank - 1];
    std::int64_t count = end - begin;
    while (count > 0) {
      const std::int64_t left = std::min(inner - column, count);
      std::int64_t taken = 0;
      std::int64_t rows = 0;
      if (left >= kDirect) {
        flush();
        taken = direct(left / kCpuBlock * kCpuBlock);
        column += taken;
      } else {
        if (filled_ == 0) {
          start_block();
        }
        const std::int64_t room = lanes_ - filled_;
        if (column == 0) {
          rows = std::min({count / inner, room / inner, launch_.shape[rank - 2] - index_[rank - 2]});
        }
        taken = rows > 0 ? rows * inner : std::min(left, room);
        append(std::max<std::int64_t>(rows, 1), rows > 0 ? inner : taken);
        if (rows == 0) {
          move_on(taken);
          column += taken;
        }
      }
      count -= taken;
      if (column == inner) {
        column = 0;
        move_on(-inner);
        rows = 1;
      }
      if (rows > 0 && count > 0) {
        next_row(rows);
      }
      if (filled_ == lanes_) {
        flush();
      }
    }
    flush();
  }

 private:
  [[nodiscard]] Access how(int k) const { return static_cast<Access>(kernel_.access[k]); }
  [[nodiscard]] std::int64_t size(int k) const { return kernel_.itemsize[k]; }
  [[nodiscard]] CpuTile row(int k, std::int64_t count) const { return {1, 0, count, stride_[k]}; }
  [[nodiscard]] bool streamed(int k) const {
    return how(k) == Access::contiguous || how(k) == Access::strided || (how(k) == Access::broadcast && launch_.rank > 1);
  }

  // Divides the buffer among the operands: as many lanes as fit, at most `most`.
  void lay_out(std::int64_t most) {
    std::int64_t bytes = 0;
    for (int k = 0; k < operands_; ++k) {
      bytes += streamed(k) ? size(k) : 0;
    }
    lanes_ = std::clamp(kBufferBytes / bytes / kCpuBlock * kCpuBlock, kCpuBlock, most);
    char* next = storage_;
    for (int k = 0; k < operands_; ++k) {
      buffer_[k] = next;
      next += streamed(k) ? size(k) * lanes_ : 0;
    }
  }

  void move_on(std::int64_t count) {
    for (int k = 0; k < operands_; ++k) {
      at_[k] += count * stride_[k];
    }
  }

  // Computes count elements, of which in_buffer_ says where they are. Blocks that are not full repeat the last element.
  void compute(std::int64_t count) {
    void* place[kMaxOperands];
    const std::int64_t padded = blocks_for(count) * kCpuBlock;
    for (int k = 0; k < operands_; ++k) {
      place[k] = in_buffer_[k] ? buffer_[k] : at_[k];
      if (in_buffer_[k] && k < kernel_.inputs && padded != count) {
        char* end = buffer_[k] + count * size(k);
        repeat(end, end - size(k), size(k), padded - count);
      }
    }
    kernel_.blocks(place, padded / kCpuBlock);
  }

  // Whole blocks of one row, read and written where they are but for strided and broadcast operands.
  std::int64_t direct(std::int64_t count) {
    const bool buffers = strided_ || broadcast_;
    if (buffers && count > 0) {
      lay_out(kLanes);
    }
    const std::int64_t chunk = strided_ ? lanes_ : broadcast_ ? std::min(lanes_, kSpread) : count;
    for (int k = 0; k < operands_; ++k) {
      in_buffer_[k] = how(k) == Access::strided || (how(k) == Access::broadcast && launch_.rank > 1);
      if (count > 0 && in_buffer_[k] && how(k) == Access::broadcast) {
        repeat(buffer_[k], at_[k], size(k), std::min(chunk, count));
      }
    }
    for (std::int64_t done = 0; done < count; done += chunk) {
      const std::int64_t now = std::min(chunk, count - done);
      for (int k = 0; strided_ && k < kernel_.inputs; ++k) {
        if (how(k) == Access::strided) {
          gather(buffer_[k], at_[k], row(k, now), size(k));
        }
      }
      compute(now);
      for (int k = kernel_.inputs; k < operands_; ++k) {
        if (in_buffer_[k]) {
          scatter(at_[k], row(k, now), buffer_[k], size(k));
        }
      }
      move_on(now);
    }
    return count;
  }

  // As direct, with the outputs stored past the cache: they are computed into a buffer and copied in whole lines.
  std::int64_t past_cache(std::int64_t count) {
    std::int64_t widest = 1;
    for (int k = kernel_.inputs; k < operands_; ++k) {
      widest = std::max(widest, size(k));
    }
    lay_out(kStreamBytes / widest);
    for (int k = 0; k < operands_; ++k) {
      in_buffer_[k] = k >= kernel_.inputs || how(k) == Access::strided;
    }
    for (std::int64_t done = 0; done < count; done += lanes_) {
      const std::int64_t now = std::min(lanes_, count - done);
      for (int k = 0; k < kernel_.inputs; ++k) {
        if (in_buffer_[k]) {
          gather(buffer_[k], at_[k], row(k, now), size(k));
        }
      }
      compute(now);
      for (int k = kernel_.inputs; k < operands_; ++k) {
        kernel_.copy_past_cache(at_[k], buffer_[k], now * size(k) / 64);
      }
      move_on(now);
    }
#if defined(__x86_64__)
    __builtin_ia32_sfence();  // such stores are not ordered before the next release
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    return count;
  }

  // Where some elements of a block come from, or go to. One row: they lie one behind the other, if the operand is contiguous.
  struct Run {
    char* at;
    std::int64_t row_stride;
    std::int16_t lane;
    std::int16_t rows;
    std::int16_t columns;
  };
  static_assert(kLanes <= INT16_MAX);

  void start_block() {
    lay_out(std::max(kCpuBlock, kLanes / kernel_.outputs / kCpuBlock * kCpuBlock));
    for (int k = 0; k < operands_; ++k) {
      used_[k] = 0;
      in_buffer_[k] = streamed(k);
    }
  }
  // Outputs keep all runs until the block is computed. Inputs keep the last one, if it may grow.
  Run& last_run(int k) { return runs_[k < kernel_.inputs ? k : run_base(k) + used_[k] - 1]; }
  [[nodiscard]] std::int64_t run_base(int k) const { return kMaxOperands + (k - kernel_.inputs) * lanes_; }

  // Takes rows (or a part of one) into the block.
  void append(std::int64_t rows, std::int64_t columns) {
    for (int k = 0; k < operands_; ++k) {
      if (!streamed(k)) {
        continue;
      }
      const bool input = k < kernel_.inputs;
      const std::int64_t row_stride = rows > 1 ? launch_.strides[(k + 1) * launch_.rank - 2] : 0;
      const bool linear = how(k) == Access::contiguous && (rows == 1 || row_stride == columns * size(k));
      if (linear && used_[k] > 0 && last_run(k).rows == 1 && last_run(k).at + last_run(k).columns * size(k) == at_[k]) {
        last_run(k).columns = static_cast<std::int16_t>(last_run(k).columns + rows * columns);
        continue;
      }
      if (input && used_[k] > 0) {
        fetch(k);
        used_[k] = 0;
      }
      if (input && !linear) {
        gather(buffer_[k] + filled_ * size(k), at_[k], {rows, row_stride, columns, stride_[k]}, size(k));
        continue;
      }
      ++used_[k];
      last_run(k) = {at_[k], row_stride, static_cast<std::int16_t>(filled_), static_cast<std::int16_t>(linear ? 1 : rows),
                     static_cast<std::int16_t>(linear ? rows * columns : columns)};
    }
    filled_ += rows * columns;
  }
  void fetch(int k) {
    const Run& run = last_run(k);
    gather(buffer_[k] + run.lane * size(k), run.at, row(k, run.columns), size(k));
  }

  void flush() {
    if (filled_ == 0) {
      return;
    }
    char* next[kMaxOperands];
    std::copy_n(at_, operands_, next);
    for (int k = 0; k < operands_; ++k) {
      if (how(k) != Access::contiguous || used_[k] == 0) {
        continue;
      }
      // An operand whose elements all lie together needs no buffer, unless the last block has to be filled up.
      const Run& run = last_run(k);
      if (run.rows == 1 && run.columns == filled_ && filled_ % kCpuBlock == 0) {
        in_buffer_[k] = false;
        at_[k] = run.at;
      } else if (k < kernel_.inputs) {
        fetch(k);
      }
    }
    compute(filled_);
    for (int k = kernel_.inputs; k < operands_; ++k) {
      for (std::int64_t n = 0; in_buffer_[k] && n < used_[k]; ++n) {
        const Run& run = runs_[run_base(k) + n];
        scatter(run.at, {run.rows, run.row_stride, run.columns, stride_[k]}, buffer_[k] + run.lane * size(k), size(k));
      }
    }
    std::copy_n(next, operands_, at_);
    filled_ = 0;
  }

  // From the start of a row to that of a later one of the same dimension, or of the next.
  void next_row(std::int64_t rows) {
    const std::int64_t rank = launch_.rank;
    index_[rank - 2] += rows;
    for (int k = 0; k < operands_; ++k) {
      at_[k] += rows * launch_.strides[(k + 1) * rank - 2];
    }
    for (std::int64_t d = rank - 2; d > 0 && index_[d] == launch_.shape[d]; --d) {
      index_[d] = 0;
      ++index_[d - 1];
      for (int k = 0; k < operands_; ++k) {
        at_[k] += launch_.strides[k * rank + d - 1] - launch_.shape[d] * launch_.strides[k * rank + d];
      }
    }
  }

  const CpuLaunch& launch_;
  const CpuKernelParts& kernel_;
  const int operands_;
  bool strided_ = false;
  bool broadcast_ = false;
  std::int64_t lanes_ = 0;
  std::int64_t filled_ = 0;
  // Not initialized on purpose: a call on one element must not clear 64 KB.
  char* at_[kMaxOperands];
  char* buffer_[kMaxOperands];
  std::int64_t stride_[kMaxOperands];
  std::int64_t used_[kMaxOperands];
  bool in_buffer_[kMaxOperands];
  std::int64_t index_[kMaxRank];
  Run runs_[kMaxOperands + std::max(kLanes, kMaxOperands* kCpuBlock)];
  alignas(64) char storage_[kBufferBytes];
};

}  // namespace

void drive_cpu_kernel(const CpuLaunch* launch, std::int64_t begin, std::int64_t end, const CpuKernelParts* kernel) {
  Driver driver(*launch, *kernel);
  if (launch->rank == 1) {
    driver.flat(begin, end);
  } else {
    driver.nested(begin, end);
  }
}

}  // namespace kiln::backend
