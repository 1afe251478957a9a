// Sizes, durations and ages as people read and write them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::tool {

/// "0 B", "512 B", "1.5 KiB", "34.2 MiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// "45 s", "12 min", "5 h", "30 d"; "-" for a stamp that is not known (0), "now" for one in the future.
[[nodiscard]] std::string age_text(std::int64_t stamp, std::int64_t now);
/// The same in a sentence: "12 min ago", "now".
[[nodiscard]] std::string ago_text(std::int64_t stamp, std::int64_t now);
/// "12.5 ms", "3.2 s", "4 min 10 s"; "-" where it is not known (0).
[[nodiscard]] std::string milliseconds_text(double ms);
/// "2026-11-21 09:30:00", local time; "-" for 0.
[[nodiscard]] std::string date_text(std::int64_t stamp);
/// "1 entry", "12 entries".
[[nodiscard]] std::string entries_text(std::uint64_t count);

/// "1000000", "512K", "100M", "2G": powers of 1024, in either case, and also as "100MiB" or "100MB". UsageError.
[[nodiscard]] std::uint64_t read_bytes(std::string_view text);
/// "45s", "90m", "12h", "30d", "2w". UsageError.
[[nodiscard]] std::chrono::seconds read_age(std::string_view text);

/// "10", "0.5": seconds, above 0 and below a century. UsageError.
[[nodiscard]] std::chrono::nanoseconds read_seconds(std::string_view text);

/// Seconds since 1970.
[[nodiscard]] std::int64_t now();

}  // namespace kiln::tool
