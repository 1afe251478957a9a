// What a cache did, counted by the threads that do it.
#pragma once

#include <atomic>
#include <cstdint>

#include "kiln/cache.hpp"

namespace kiln::program {

/// Each may be read at any time; they do not change together.
struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count memory_hits{0}, disk_hits{0}, read_only_hits{0}, compiles{0}, failures{0};
  Count misses[cache::kMissKinds] = {};
  Count compile_ns{0}, saved_ns{0};
  Count bytes_read{0}, bytes_written{0}, memory_bytes{0};

  static void add(Count& count, std::uint64_t value) noexcept { count.fetch_add(value, std::memory_order_relaxed); }
  /// What a stored entry claims; a file may claim anything.
  void add_saved_ms(double ms) noexcept {
    if (ms > 0 && ms < 1e9) add(saved_ns, static_cast<std::uint64_t>(ms * 1e6));
  }

  [[nodiscard]] cache::Stats stats() const noexcept {
    const auto read = [](const Count& count) { return count.load(std::memory_order_relaxed); };
    cache::Stats stats{.memory_hits = read(memory_hits),
                       .disk_hits = read(disk_hits),
                       .read_only_hits = read(read_only_hits),
                       .compiles = read(compiles),
                       .failures = read(failures),
                       .compile_ms = static_cast<double>(read(compile_ns)) / 1e6,
                       .saved_ms = static_cast<double>(read(saved_ns)) / 1e6,
                       .bytes_read = read(bytes_read),
                       .bytes_written = read(bytes_written),
                       .memory_bytes = read(memory_bytes)};
    for (std::size_t i = 0; i < cache::kMissKinds; ++i) stats.misses[i] = read(misses[i]);
    return stats;
  }
};

}  // namespace kiln::program
