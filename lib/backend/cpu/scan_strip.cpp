#include "backend/cpu/scan_strip.hpp"

#include <cstring>

#include "backend/cpu/copy.hpp"

namespace kiln::backend::cpu {
namespace {

/// A row of a strip that lies in memory as the kernel reads it, and the row before it, which must still be in a near cache.
constexpr std::int64_t kRowBytes = 32 * 1024;
/// Rows that go through the buffers at once.
constexpr std::int64_t kDepth = 32;
constexpr std::int64_t kMaxItem = 16;

bool in_place(const CpuScanParts& kernel, const ScanAxis& lanes) {
  return kernel.last == nullptr && lanes.input_stride == kernel.in_size && lanes.output_stride == kernel.out_size;
}

/// Lanes that lie one behind the other in both operands: nothing is copied.
void scan_rows_in_place(const CpuScanParts& kernel, const ScanAxis& axis, std::int64_t lanes, const char* input, char* output) {
  kernel.first(input, output, lanes);
  for (std::int64_t i = 1; i < axis.extent; ++i) {
    const char* const before = output;
    input += axis.input_stride;
    output += axis.output_stride;
    kernel.next(before, input, output, lanes);
  }
}

/// At most a block of lanes, however they lie.
void scan_block(const CpuScanParts& kernel, const ScanAxis& axis, const ScanAxis& lanes, const char* input, char* output) {
  alignas(64) char in[kDepth * kCpuBlock * kMaxItem];
  alignas(64) char own[(kDepth + 1) * kCpuBlock * kMaxItem];
  const std::int64_t in_row = kCpuBlock * kernel.in_size;
  const std::int64_t t_row = kCpuBlock * kernel.t_size;
  const std::int64_t out_row = kCpuBlock * kernel.out_size;
  char* const t = own + t_row;  // the row before it is what has run so far
  for (std::int64_t begin = 0; begin < axis.extent; begin += kDepth) {
    const std::int64_t rows = std::min(kDepth, axis.extent - begin);
    gather(in, input + begin * axis.input_stride, {rows, axis.input_stride, lanes.extent, lanes.input_stride, in_row},
           kernel.in_size);
    // Lanes that are not there repeat the first one: any other value might be one that the function must not see.
    for (std::int64_t r = 0; lanes.extent < kCpuBlock && r < rows; ++r) {
      repeat(in + r * in_row + lanes.extent * kernel.in_size, in + r * in_row, kernel.in_size, kCpuBlock - lanes.extent);
    }
    if (begin == 0) {
      kernel.first(in, t, kCpuBlock);
      kernel.rows(in + in_row, t + t_row, rows - 1, kCpuBlock);
    } else {
      kernel.rows(in, t, rows, kCpuBlock);
    }
    char* results = t;
    if (kernel.last != nullptr) {
      kernel.last(t, in, rows * kCpuBlock);  // the input has been read
      results = in;
    }
    scatter(output + begin * axis.output_stride, {rows, axis.output_stride, lanes.extent, lanes.output_stride, out_row},
            results, kernel.out_size);
    std::memcpy(own, t + (rows - 1) * t_row, static_cast<std::size_t>(t_row));
  }
}

}  // namespace

std::int64_t strip_width(const CpuScanParts& kernel, const ScanAxis& lanes, int threads) noexcept {
  const std::int64_t blocks = (lanes.extent + kCpuBlock - 1) / kCpuBlock;
  const std::int64_t fair = (blocks + threads - 1) / threads * kCpuBlock;
  return in_place(kernel, lanes) ? std::clamp(kRowBytes / kernel.t_size, kCpuBlock, fair) : kCpuBlock;
}

void scan_strip(const CpuScanParts& kernel, const ScanAxis& axis, const ScanAxis& lanes, const char* input, char* output) {
  const std::int64_t whole = lanes.extent / kCpuBlock * kCpuBlock;
  std::int64_t done = 0;
  if (in_place(kernel, lanes) && whole > 0) {
    scan_rows_in_place(kernel, axis, whole, input, output);
    done = whole;
  }
  for (; done < lanes.extent; done += kCpuBlock) {
    const ScanAxis block{std::min(kCpuBlock, lanes.extent - done), lanes.input_stride, lanes.output_stride};
    scan_block(kernel, axis, block, input + done * lanes.input_stride, output + done * lanes.output_stride);
  }
}

}  // namespace kiln::backend::cpu
