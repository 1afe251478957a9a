// What the parts of kiln-gpu-timer share: how a device's work is timed, and where figures go.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <kiln/kiln.hpp>
#include <string>
#include <vector>

namespace kiln::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Timing {
  double median = 0;
  double spread = 0;  ///< (max - min) / median
};

/// Seconds for one `work`: queued in batches, each waited for, so that the waiting does not show.
inline Timing time_queued(const Device& device, int batch, const std::function<void()>& work) {
  work();
  device.synchronize();
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < batch; ++i) work();
    device.synchronize();
    times.push_back(seconds_since(start) / batch);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], (times.back() - times.front()) / times[times.size() / 2]};
}

class Report {
 public:
  /// JSON goes to the file `path`, if any. Sizes are divided by 2^shift.
  Report(const char* path, int shift) : json_(path != nullptr ? path : "/dev/null"), shift_(shift) { json_ << "["; }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() { json_ << "\n]\n"; }
  /// An extent of an array of as many dimensions.
  [[nodiscard]] std::int64_t sized(std::int64_t extent, int dimensions = 1) const {
    return std::max<std::int64_t>(extent >> (shift_ / dimensions), 1);
  }
  void row(const std::string& device, const std::string& what, double value, const char* unit, double spread, double ratio) {
    std::printf("%-44s %12.3f %-5s  spread %5.1f%%", what.c_str(), value, unit, 100 * spread);
    if (ratio > 0) std::printf("  %6.1f%% of copy", 100 * ratio);
    std::printf("\n");
    json_ << (first_ ? "\n" : ",\n") << R"({"device": ")" << device << R"(", "what": ")" << what << R"(", "value": )" << value
          << R"(, "unit": ")" << unit << R"(", "spread": )" << spread << R"(, "ratio_to_copy": )" << ratio << "}";
    first_ = false;
  }

 private:
  std::ofstream json_;
  bool first_ = true;
  int shift_;
};

/// reduce, accumulate, reduceat and at, and bodies of teams beside kernels written by hand; `copy` is the device's, bytes read
/// and written in a second.
void time_methods(Report& report, const Device& device, double copy);

}  // namespace kiln::bench
