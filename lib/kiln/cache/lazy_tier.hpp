// A read-only tier that is opened at its first use.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "cache/tier.hpp"

namespace kiln::cache {

/// Thread-safe. Where two threads open the tier at once, the second one's is dropped.
class LazyTier {
 public:
  explicit LazyTier(std::string path) : path_(std::move(path)) {}
  LazyTier(const LazyTier&) = delete;
  LazyTier& operator=(const LazyTier&) = delete;
  ~LazyTier() { delete tier_.load(); }

  /// Null where it is refused, or not there (which is asked again). A refusal is reported to `log`.
  const Tier* get(const Log& log) {
    if (const Tier* const known = tier_.load(std::memory_order_acquire)) return known;
    if (refused_.load(std::memory_order_relaxed)) return nullptr;
    OpenedTier opened = open_read_only_tier(path_, log);
    if (opened.trust == Trust::refused) refused_.store(true, std::memory_order_relaxed);
    if (opened.tier == nullptr) return nullptr;
    const Tier* known = nullptr;
    if (tier_.compare_exchange_strong(known, opened.tier.get(), std::memory_order_acq_rel)) return opened.tier.release();
    return known;
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  std::atomic<const Tier*> tier_{nullptr};
  std::atomic<bool> refused_{false};
};

}  // namespace kiln::cache
