// Plans that were made, by what they are for: the most recently used ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kiln::fft {

/// The numbers that tell one plan from another.
using PlanKey = std::vector<std::int64_t>;

struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, by words
    for (const std::int64_t number : key) hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

/// Thread-safe. Plans that are dropped live until their last use is over.
template <class Plan>
class PlanCache {
 public:
  explicit PlanCache(std::size_t most) : most_(most) {}

  /// The plan of that key; `make()` gives it where there is none, and runs without the lock: two threads may make the same.
  template <class Make>
  std::shared_ptr<Plan> find_or_make(const PlanKey& key, const Make& make) {
    if (auto found = find(key)) return found;
    std::shared_ptr<Plan> made = make();
    std::shared_ptr<Plan> dropped;  // destroyed behind the lock, as that may take one of its own
    const std::lock_guard guard(mutex_);
    if (const auto at = plans_.find(key); at != plans_.end()) return at->second->second;
    recent_.emplace_front(key, made);
    plans_.emplace(key, recent_.begin());
    if (recent_.size() > most_) {
      dropped = std::move(recent_.back().second);
      plans_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return made;
  }

  /// The lock that its functions take.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

  [[nodiscard]] std::size_t size() {
    const std::lock_guard guard(mutex_);
    return recent_.size();
  }

 private:
  using Entry = std::pair<PlanKey, std::shared_ptr<Plan>>;

  std::shared_ptr<Plan> find(const PlanKey& key) {
    const std::lock_guard guard(mutex_);
    const auto at = plans_.find(key);
    if (at == plans_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, at->second);
    return at->second->second;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> recent_;  // the last used first
  std::unordered_map<PlanKey, typename std::list<Entry>::iterator, PlanKeyHash> plans_;
};

}  // namespace kiln::fft
