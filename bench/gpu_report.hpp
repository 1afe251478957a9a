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

/// The median of seconds, and their spread.
inline Timing timing_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  return {median, median > 0 ? (times.back() - times.front()) / median : 0};
}

class Report {
 public:
  /// JSON goes to the file `path`, if any. Sizes are divided by 2^shift.
  Report(const char* path, int shift) : json_(path != nullptr ? path : "/dev/null"), shift_(shift) { json_ << "["; }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() { json_ << "\n]\n"; }
  /// Seconds for one `work`: queued in batches, each waited for, so that the waiting does not show. Once or twice where sizes
  /// are divided, as the device is slow.
  [[nodiscard]] Timing time(const Device& device, int batch, const std::function<void()>& work) const {
    if (shift_ > 0) batch = std::min(batch, 2);
    work();
    device.synchronize();
    std::vector<double> times;
    for (int round = 0; round < (shift_ > 0 ? 3 : 9); ++round) {
      const auto start = Clock::now();
      for (int i = 0; i < batch; ++i) work();
      device.synchronize();
      times.push_back(seconds_since(start) / batch);
    }
    return timing_of(std::move(times));
  }
  /// An extent of an array of as many dimensions.
  [[nodiscard]] std::int64_t sized(std::int64_t extent, int dimensions = 1) const {
    return std::max<std::int64_t>(extent >> (shift_ / dimensions), 1);
  }
  /// What the memory of the device does at most, by its copy: for rows whose ratio is to that.
  void set_peak(double copies_in_peak) { copies_in_peak_ = copies_in_peak; }
  /// Prints a row, and adds it to the file. `ratio` is to what `of` names, 0 where there is none.
  void row(const std::string& device, const std::string& what, double value, const char* unit, double spread, double ratio = 0,
           const char* of = "copy") {
    std::printf("%-48s %12.3f %-5s  spread %5.1f%%", what.c_str(), value, unit, 100 * spread);
    if (ratio > 0) std::printf("  %7.1f%% of %s", 100 * ratio, of);
    std::printf("\n");
    std::fflush(stdout);
    json_ << (first_ ? "\n" : ",\n") << R"({"device": ")" << device << R"(", "what": ")" << what << R"(", "value": )" << value
          << R"(, "unit": ")" << unit << R"(", "spread": )" << spread;
    if (ratio > 0) json_ << R"(, "ratio": )" << ratio << R"(, "of": ")" << of << '"';
    if (ratio > 0 && copies_in_peak_ > 0 && std::string(of) == "copy") json_ << R"(, "of_peak": )" << ratio / copies_in_peak_;
    json_ << "}" << std::flush;
    first_ = false;
  }

 private:
  std::ofstream json_;
  bool first_ = true;
  int shift_;
  double copies_in_peak_ = 0;
};

/// reduce, accumulate, reduceat and at, and bodies of teams beside kernels written by hand; `copy` is the device's, bytes read
/// and written in a second.
void time_methods(Report& report, const Device& device, double copy);

/// Short and odd rows, softmax, small products, several outputs, masks, kernels by hand. The same.
void time_rows(Report& report, const Device& device, double copy);

/// What it costs the host to queue a call of one element, beside the driver's own launch of the same kernel and of an empty
/// one. CUDA's devices alone. Throws std::runtime_error where the driver's launch gives another result.
void time_launches(Report& report, const Device& device);

/// Bytes that a CUDA device's memory moves in a second by its clock and width; 0 where that is not told.
[[nodiscard]] double peak_of_memory(const Device& device);

/// Copies between host and device, chunked calls beside them, and what an array costs that is made and freed.
void time_transfers(Report& report, const Device& device);

}  // namespace kiln::bench
