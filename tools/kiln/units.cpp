#include "units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "usage_error.hpp"

namespace kiln::tool {
namespace {

/// A number and what follows it, in lower case; nothing where there is no number or it is too large.
std::optional<std::pair<std::uint64_t, std::string>> split(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{}) return std::nullopt;
  std::string unit(stop, text.data() + text.size());
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::pair(number, unit);
}

std::optional<std::uint64_t> times(std::uint64_t number, std::uint64_t factor, std::uint64_t most) {
  if (number > most / factor) return std::nullopt;
  return number * factor;
}

std::optional<std::uint64_t> factor_of_bytes(const std::string& unit) {
  if (unit.empty() || unit == "b") return 1;
  const std::string_view rest = std::string_view(unit).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return std::nullopt;
  const std::size_t power = std::string_view("kmgt").find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  return std::uint64_t{1} << (10 * (power + 1));
}

std::optional<std::uint64_t> factor_of_age(const std::string& unit) {
  if (unit == "s") return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  if (unit == "w") return 7 * 86400;
  return std::nullopt;
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {  // what would be written as "1024.0"
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string age_text(std::int64_t stamp, std::int64_t now) {
  if (stamp == 0) return "-";
  if (stamp >= now) return "now";
  const std::uint64_t seconds = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(stamp);
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86400);
}

std::string ago_text(std::int64_t stamp, std::int64_t now) {
  const std::string age = age_text(stamp, now);
  return age == "now" ? age : age + " ago";
}

std::string milliseconds_text(double ms) {
  if (ms <= 0) return "-";
  if (ms < 1000) return fmt::format("{:.3g} ms", ms);
  if (ms < 120e3) return fmt::format("{:.3g} s", ms / 1e3);
  if (ms < 7200e3) return fmt::format("{:.0f} min", ms / 60e3);
  return fmt::format("{:.1f} h", ms / 3600e3);
}

std::string date_text(std::int64_t stamp) {
  const auto time = static_cast<std::time_t>(stamp);
  std::tm parts{};
  char text[32];
  if (stamp == 0 || localtime_r(&time, &parts) == nullptr) return "-";
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts));
}

std::string entries_text(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
}

std::uint64_t read_bytes(std::string_view text) {
  const auto parts = split(text);
  const auto factor = parts ? factor_of_bytes(parts->second) : std::nullopt;
  const auto bytes = factor ? times(parts->first, *factor, std::numeric_limits<std::uint64_t>::max()) : std::nullopt;
  if (!bytes) throw UsageError(fmt::format("\"{}\" is no number of bytes: write it as 1000000, 500M or 2G", text));
  return *bytes;
}

std::chrono::seconds read_age(std::string_view text) {
  const auto parts = split(text);
  const auto factor = parts ? factor_of_age(parts->second) : std::nullopt;
  constexpr std::uint64_t kCenturies = std::uint64_t{1} << 40;  // far from the ends of the clock's range
  const auto seconds = factor ? times(parts->first, *factor, kCenturies) : std::nullopt;
  if (!seconds) throw UsageError(fmt::format("\"{}\" is no age: write it as 30d, 12h, 90m or 45s", text));
  return std::chrono::seconds(*seconds);
}

std::chrono::nanoseconds read_seconds(std::string_view text) {
  constexpr double kCentury = 3.2e9;
  double seconds = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const auto time =
      std::chrono::nanoseconds(fault == std::errc() && seconds > 0 && seconds < kCentury ? std::llround(seconds * 1e9) : 0);
  if (stop != text.data() + text.size() || time.count() == 0) {
    throw UsageError(fmt::format("\"{}\" is no time in seconds: write it as 10 or 0.5", text));
  }
  return time;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace kiln::tool
