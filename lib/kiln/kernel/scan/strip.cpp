#include "kernel/scan/strip.hpp"

#include <cstdlib>
#include <cstring>

#include "device/cpu/cache_line.hpp"
#include "device/cpu/copy.hpp"

namespace kiln::kinds {
namespace {

/// A row of a strip that lies in memory as the kernel reads it, and the row before it, which must still be in a near cache.
constexpr std::int64_t kRowBytes = 32 * 1024;
/// Steps whose results are written at once.
constexpr std::int64_t kSteps = 4;
/// From what is read and written to what memory is asked for, in bytes along each lane.
constexpr std::int64_t kAhead = 1024;
/// Bytes between lanes that the processor does not take for one stream.
constexpr std::int64_t kFarApart = 256;

bool in_place(const CpuScanParts& kernel, const ScanAxis& lanes) {
  return kernel.last == nullptr && lanes.input_stride == kernel.in_size && lanes.output_stride == kernel.out_size;
}

/// Rows [begin, end) of lanes that are consecutive in both operands: nothing is copied.
void scan_rows_in_place(const CpuScanParts& kernel, const ScanAxis& axis, std::int64_t lanes, const char* input, char* output,
                        std::int64_t begin, std::int64_t end) {
  if (begin == 0) kernel.first(input, output, lanes);
  for (std::int64_t i = std::max<std::int64_t>(begin, 1); i < end; ++i) {
    char* const to = output + i * axis.output_stride;
    kernel.next(to - axis.output_stride, input + i * axis.input_stride, to, lanes);
  }
}

/// At most a block of lanes, however they lie.
class Block {
 public:
  Block(const CpuScanParts& kernel, const ScanAxis& axis, const ScanAxis& lanes, const char* input, char* output)
      : kernel_(kernel),
        axis_(axis),
        lanes_(lanes),
        input_(input),
        output_(output),
        step_(cpu::kCacheLine / std::max({kernel.in_size, kernel.t_size, kernel.out_size})) {}

  /// At most depth() rows; those before them have been done.
  void rows(std::int64_t begin, std::int64_t count) {
    const std::int64_t out_row = kCpuBlock * kernel_.out_size;
    const std::int64_t t_row = kCpuBlock * kernel_.t_size;
    char* const t = own_ + t_row;  // the row before it is what has run so far
    char* const results = kernel_.last != nullptr ? out_ : t;
    for (std::int64_t done = 0; done < count; done += step_) {
      const std::int64_t rows = std::min(step_, count - done);
      step(begin + done, rows, t + done * t_row);
      if (kernel_.last != nullptr) kernel_.last(t + done * t_row, out_ + done * out_row, rows * kCpuBlock);
    }
    scatter(output_ + begin * axis_.output_stride, {count, axis_.output_stride, lanes_.extent, lanes_.output_stride, out_row},
            results, kernel_.out_size);
    std::memcpy(own_, t + (count - 1) * t_row, static_cast<std::size_t>(t_row));
  }
  /// Rows that are written at once.
  [[nodiscard]] std::int64_t depth() const { return kSteps * step_; }

 private:
  void step(std::int64_t begin, std::int64_t count, char* t) {
    const std::int64_t in_row = kCpuBlock * kernel_.in_size;
    const std::int64_t t_row = kCpuBlock * kernel_.t_size;
    fetch<0>(begin, input_, axis_.input_stride, lanes_.input_stride, kernel_.in_size);
    fetch<1>(begin, output_, axis_.output_stride, lanes_.output_stride, kernel_.out_size);
    gather(in_, input_ + begin * axis_.input_stride, {count, axis_.input_stride, lanes_.extent, lanes_.input_stride, in_row},
           kernel_.in_size);
    // Lanes that are not there repeat the first one: any other value might be one that the function must not see.
    for (std::int64_t r = 0; lanes_.extent < kCpuBlock && r < count; ++r) {
      repeat(in_ + r * in_row + lanes_.extent * kernel_.in_size, in_ + r * in_row, kernel_.in_size, kCpuBlock - lanes_.extent);
    }
    if (begin == 0) {
      kernel_.first(in_, t, kCpuBlock);
      kernel_.rows(in_ + in_row, t + t_row, count - 1, kCpuBlock);
    } else {
      kernel_.rows(in_, t, count, kCpuBlock);
    }
  }

  /// Asks for what a later step reads or writes. The processor does not follow 64 lines at once, nor does it see where results
  /// will go: 7000 rows of 7000 float32 take 2.0 times as long as a copy where they took 4.7. A step asks for a line of memory
  /// of each lane: what asks for twice as many at once is no faster than what asks for none.
  template <int Write>
  void fetch(std::int64_t begin, const char* base, std::int64_t stride, std::int64_t lane_stride, std::int64_t size) const {
    if (stride != size || std::abs(lane_stride) < kFarApart) return;
    // At the end of the lanes those of the next block begin. Where there is none, asking has no effect.
    const std::int64_t place = begin + kAhead / size;
    const std::int64_t offset = place / axis_.extent * kCpuBlock * lane_stride + place % axis_.extent * size;
    const auto from = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset);
    for (std::int64_t lane = 0; lane < lanes_.extent; ++lane) {
      __builtin_prefetch(reinterpret_cast<const char*>(from + static_cast<std::uintptr_t>(lane * lane_stride)), Write, 2);
    }
  }

  const CpuScanParts& kernel_;
  ScanAxis axis_;
  ScanAxis lanes_;
  const char* input_;
  char* output_;
  std::int64_t step_;  ///< rows that are computed at once
  // Not initialized on purpose: short lines must not clear them.
  alignas(64) char in_[cpu::kCacheLine * kCpuBlock];
  alignas(64) char own_[kSteps * cpu::kCacheLine * kCpuBlock + kCpuBlock * kAccumulatorBytes];
  alignas(64) char out_[kSteps * cpu::kCacheLine * kCpuBlock];
};

}  // namespace

std::int64_t strip_width(const CpuScanParts& kernel, const ScanAxis& lanes, int threads) noexcept {
  const std::int64_t blocks = (lanes.extent + kCpuBlock - 1) / kCpuBlock;
  const std::int64_t fair = (blocks + threads - 1) / threads * kCpuBlock;
  return in_place(kernel, lanes) ? std::clamp(kRowBytes / kernel.t_size, kCpuBlock, fair) : kCpuBlock;
}

void scan_strip(const CpuScanParts& kernel, const ScanAxis& axis, const ScanAxis& lanes, const char* input, char* output) {
  const std::int64_t direct = in_place(kernel, lanes) ? lanes.extent / kCpuBlock * kCpuBlock : 0;
  if (direct == lanes.extent) return scan_rows_in_place(kernel, axis, direct, input, output, 0, axis.extent);
  for (std::int64_t done = direct; done < lanes.extent; done += kCpuBlock) {
    const ScanAxis part{std::min(kCpuBlock, lanes.extent - done), lanes.input_stride, lanes.output_stride};
    Block block(kernel, axis, part, input + done * lanes.input_stride, output + done * lanes.output_stride);
    for (std::int64_t begin = 0; begin < axis.extent; begin += block.depth()) {
      const std::int64_t rows = std::min(block.depth(), axis.extent - begin);
      // The lanes beside them, while the rows are in the cache.
      if (done == direct && direct > 0) scan_rows_in_place(kernel, axis, direct, input, output, begin, begin + rows);
      block.rows(begin, rows);
    }
  }
}

}  // namespace kiln::kinds
