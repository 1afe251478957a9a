#include "time_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kiln::tool {
namespace {

/// Four significant digits, from nanoseconds to seconds.
std::string duration(double ms) {
  if (ms >= 1e3) return fmt::format("{:.4g} s", ms / 1e3);
  if (ms >= 1) return fmt::format("{:.4g} ms", ms);
  return fmt::format("{:.4g} us", ms * 1e3);
}

std::string kernel_origin(const TimeReport& report) {
  const std::uint64_t compiles = report.after.compiles - report.before.compiles;
  const std::uint64_t disk_hits = report.after.disk_hits - report.before.disk_hits;
  const std::string folder = cache::directory();
  if (compiles > 0) {
    const bool kept = report.after.bytes_written > report.before.bytes_written;
    return fmt::format("compiled in {}, {}", duration(report.after.compile_ms - report.before.compile_ms),
                       kept             ? "kept in " + folder
                       : folder.empty() ? "not kept: there is no disk cache"
                                        : "not kept: failed to write to " + folder);
  }
  if (disk_hits > 0) return fmt::format("from the disk cache, {}", folder);
  return report.after.memory_hits > report.before.memory_hits ? "already in memory" : "none was needed";
}

std::string device_line(const Device& device) {
  const DeviceInfo info = device.info();
  return fmt::format("{}: {}, {} {}{}, {}", to_string(device), info.name, info.multiprocessors,
                     device.is_cpu() ? "thread" : "multiprocessor", info.multiprocessors == 1 ? "" : "s", info.runtime);
}

}  // namespace

std::string to_string(const TimeReport& report) {
  std::string text;
  const auto line = [&](std::string_view label, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "{:<11}{}\n", label, value);
  };
  line("device", device_line(report.device));
  line("operands", report.operands);
  line("results", report.results);
  line("kernel", kernel_origin(report));
  line("open", duration(report.open_ms));
  line("read", duration(report.read_ms));
  line("to device", duration(report.to_device_ms));
  line("first call", duration(report.first_call_ms));
  if (!report.repeats_ms.empty()) {
    const double best = *std::min_element(report.repeats_ms.begin(), report.repeats_ms.end());
    // One byte per microsecond is a megabyte a second: bytes / ms / 1e6 is GB/s.
    const std::string rate = best > 0 ? fmt::format(", {:.3g} GB/s", static_cast<double>(report.bytes) / best / 1e6) : "";
    line("call", fmt::format("{} (best of {}){}", duration(best), report.repeats_ms.size(), rate));
  }
  line("to host", duration(report.to_host_ms));
  return text;
}

}  // namespace kiln::tool
