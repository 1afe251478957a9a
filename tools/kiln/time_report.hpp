// What `kiln eval --time` says: where the kernel ran, where it came from, and how long each step took.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kiln/cache.hpp"
#include "kiln/device.hpp"

namespace kiln::tool {

/// Milliseconds since it was made or last asked.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// All times in milliseconds.
struct TimeReport {
  Device device;
  std::string operands;  ///< "float32 (1000,), 2.5"
  std::string results;   ///< "float32 (1000,)"
  cache::Stats before;   ///< of the first call
  cache::Stats after;
  double open_ms = 0;  ///< the device
  double read_ms = 0;
  double to_device_ms = 0;
  double first_call_ms = 0;
  std::vector<double> repeats_ms;  ///< of the same call into the same outputs; may be empty
  double to_host_ms = 0;
  std::int64_t bytes = 0;  ///< read and written by one call
};

/// Several lines, each ending in a newline.
std::string to_string(const TimeReport& report);

}  // namespace kiln::tool
