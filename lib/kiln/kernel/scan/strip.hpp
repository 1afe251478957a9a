// Adjacent running results: each lane of a vector is another one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/cpu/threads.hpp"
#include "kernel/launch.hpp"
#include "kernel/operand.hpp"
#include "kernels-src/scan/abi.hpp"

namespace kiln::kinds {

/// One axis of both operands; strides in bytes.
struct ScanAxis {
  std::int64_t extent;
  std::int64_t input_stride;
  std::int64_t output_stride;
};

/// How many lanes to give to scan_strip() at once: whole blocks.
[[nodiscard]] std::int64_t strip_width(const CpuScanParts& kernel, const ScanAxis& lanes, int threads) noexcept;

/// The running results along `axis` of every lane.
void scan_strip(const CpuScanParts& kernel, const ScanAxis& axis, const ScanAxis& lanes, const char* input, char* output);

/// work(i) for every i below count, in chunks that are neither too many nor too few for the threads.
template <class Work>
void share(const cpu::LaunchThreads& threads, std::int64_t count, const Work& work) {
  const std::int64_t chunks = threads.chunks(count, std::min<std::int64_t>(count, 4 * std::int64_t{threads.count()}));
  threads.parallel_for(chunks, [&](std::int64_t chunk) {
    for (std::int64_t i = chunk * count / chunks; i < (chunk + 1) * count / chunks; ++i) work(i);
  });
}

}  // namespace kiln::kinds
