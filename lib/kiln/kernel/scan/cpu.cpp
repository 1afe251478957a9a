#include "kernel/scan/cpu.hpp"

#include <algorithm>

#include "kernel/counter.hpp"
#include "kernel/scan/line.hpp"
#include "kernel/scan/strip.hpp"
#include "kernel/start_on_cpu.hpp"

namespace kiln::kinds {
namespace {

/// Fewer lanes leave most of a vector empty.
constexpr std::int64_t kFewLanes = 8;
/// With fewer lanes than these, segments along a contiguous axis are faster.
constexpr std::int64_t kHalfEmpty = 32;
/// Elements that are worth threads.
constexpr std::int64_t kScanWorthThreads = 1 << 15;

/// The axis whose indices are the lanes: the innermost, unless it is short.
std::size_t lane_axis(const ScanLaunch& launch) noexcept {
  const auto longest = std::max_element(launch.shape.begin(), launch.shape.end());
  return launch.shape.back() >= kCpuBlock ? launch.shape.size() - 1 : static_cast<std::size_t>(longest - launch.shape.begin());
}

template <class T>
std::vector<T> without(std::vector<T> list, std::size_t place) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
  return list;
}

}  // namespace

ScanMethod scan_method(const ScanLaunch& launch, std::int64_t itemsize) noexcept {
  const std::int64_t lanes = launch.shape[lane_axis(launch)];
  const bool few = lanes < kFewLanes;
  if (launch.reorderable && launch.extent >= kShortestLine &&
      (few || (lanes < kHalfEmpty && launch.input_stride == itemsize))) {
    return ScanMethod::segments;
  }
  return few ? ScanMethod::serial : ScanMethod::lanes;
}

void run_scan(const CpuScanParts& kernel, const ScanLaunch& launch, const cpu::LaunchThreads& threads) {
  const bool parallel =
      (threads.count() > 1 && launch.extent * product(launch.shape) >= kScanWorthThreads) || threads.stop() != nullptr;
  const ScanMethod method = kernel.first_item != nullptr ? ScanMethod::serial : scan_method(launch, kernel.in_size);
  const ScanAxis axis{launch.extent, launch.input_stride, launch.output_stride};
  const auto* const input = static_cast<const char*>(launch.input);
  auto* const output = static_cast<char*>(launch.output);
  if (method == ScanMethod::lanes) {
    const std::size_t lane = lane_axis(launch);
    const std::vector<std::int64_t> outer = without(launch.shape, lane);
    const std::vector<std::int64_t> input_strides = without(launch.input_strides, lane);
    const std::vector<std::int64_t> output_strides = without(launch.output_strides, lane);
    const ScanAxis lanes{launch.shape[lane], launch.input_strides[lane], launch.output_strides[lane]};
    // Strips of whole blocks: a lane is computed alike in all of them.
    const std::int64_t width = strip_width(kernel, lanes, parallel ? threads.count() : 1);
    const std::int64_t strips = (lanes.extent + width - 1) / width;
    const std::int64_t count = strips * product(outer);
    const auto strip = [&](std::int64_t number) {
      const Counter counter(outer, number / strips);
      const std::int64_t begin = number % strips * width;
      const ScanAxis here{std::min(width, lanes.extent - begin), lanes.input_stride, lanes.output_stride};
      scan_strip(kernel, axis, here, input + counter.offset(input_strides) + begin * lanes.input_stride,
                 output + counter.offset(output_strides) + begin * lanes.output_stride);
    };
    if (parallel) return share(threads, count, strip);
    for (std::int64_t i = 0; i < count; ++i) strip(i);
    return;
  }
  const std::int64_t lines = product(launch.shape);
  const auto line = [&](std::int64_t number) {
    const Counter counter(launch.shape, number);
    return ScanLine(kernel, threads.stop(), axis, input + counter.offset(launch.input_strides),
                    output + counter.offset(launch.output_strides), method == ScanMethod::segments);
  };
  // Few lines: each of them is shared.
  if (parallel && lines < 2 * threads.count()) {
    for (std::int64_t i = 0; i < lines; ++i) line(i).run(threads);
  } else if (parallel) {
    share(threads, lines, [&](std::int64_t i) { line(i).run(); });
  } else {
    for (std::int64_t i = 0; i < lines; ++i) line(i).run();
  }
}

void launch_on_cpu(Backend& backend, const Module& module, const ScanLaunch& launch, const LaunchContext& context) {
  start_on_cpu<Copied<ScanLaunch>>(backend, module, launch, context,
                                   [](const cpu::CpuModule& kernel, const ScanLaunch& work, const cpu::LaunchThreads& threads) {
                                     run_scan(kernel.parts<CpuScanParts>(), work, threads);
                                   });
}

}  // namespace kiln::kinds
