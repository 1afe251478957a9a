#include "library/compile_limits.hpp"

#include <charconv>
#include <cmath>

#include "base/byte_count.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"

namespace kiln::backend {
namespace {

constexpr const char* kSeconds = "KILN_COMPILE_SECONDS";
constexpr const char* kBytes = "KILN_COMPILE_MAX_BYTES";

std::optional<std::chrono::milliseconds> parse_seconds(const std::string& text) {
  constexpr double kMost = 1e9;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || value > kMost) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(value * 1000)));
}

}  // namespace

CompileLimits parse_compile_limits(const std::optional<std::string>& seconds, const std::optional<std::string>& bytes,
                                   std::string& complaint) {
  CompileLimits limits;
  if (seconds && !seconds->empty()) {
    if (const auto time = parse_seconds(*seconds)) {
      limits.time = *time;
    } else {
      complaint = std::string(kSeconds) + " is \"" + *seconds +
                  "\", which is no number of seconds; the limit is the default; "
                  "write it as 0, 0.5 or 300";
    }
  }
  if (bytes && !bytes->empty()) {
    if (const auto memory = base::parse_bytes(*bytes)) {
      limits.memory = *memory;
    } else {
      complaint = std::string(kBytes) + " is \"" + *bytes +
                  "\", which is no number of bytes; the limit is the default; "
                  "write it as 0, 500M or 2G";
    }
  }
  return limits;
}

const CompileLimits& compile_limits() {
  static const CompileLimits limits = [] {
    std::string complaint;
    const CompileLimits read = parse_compile_limits(base::env(kSeconds), base::env(kBytes), complaint);
    if (!complaint.empty()) base::log_line(complaint);
    return read;
  }();
  return limits;
}

}  // namespace kiln::backend
