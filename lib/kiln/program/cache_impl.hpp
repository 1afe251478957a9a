// What a Cache handle points to: the disk tiers, and the builder with the memory tier.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cache/disk_store.hpp"
#include "cache/folder.hpp"
#include "kiln/cache.hpp"
#include "program/builder.hpp"

namespace kiln::detail {

/// Thread-safe.
class CacheImpl {
 public:
  /// Nothing is touched until the first use.
  explicit CacheImpl(const CacheOptions& options) : CacheImpl(options, false) {}
  /// `named`: the user named the directory by a variable, and learns where it cannot be used (base::tell_line).
  CacheImpl(const CacheOptions& options, bool named);
  CacheImpl(const CacheImpl&) = delete;
  CacheImpl& operator=(const CacheImpl&) = delete;

  [[nodiscard]] program::Builder& builder() noexcept { return builder_; }
  /// Null where there is no disk tier of any kind.
  [[nodiscard]] cache::DiskStore* store() const noexcept { return store_.get(); }
  /// Whether a directory was given, usable or not.
  [[nodiscard]] bool has_directory() const noexcept { return has_directory_; }
  /// Every disk tier that is there, the directory first, or what a cache without a directory has in memory last. CacheError
  /// where the directory is refused.
  [[nodiscard]] std::vector<const cache::Tier*> tiers() const;
  /// The directory for those who look after it; empty where there is none. CacheError where it is refused.
  [[nodiscard]] cache::Folder open_directory() const;

  /// What `list` gives, or what it gave a moment ago: explaining every kernel of a manifest lists a hundred thousand entries
  /// once. Forgotten when this cache stores a kernel, and after ten times as long as listing took.
  struct Listing {
    std::unordered_map<std::string, std::vector<cache::Entry>> by_kernel;
  };
  [[nodiscard]] std::shared_ptr<const Listing> recent_listing(const std::function<std::vector<cache::Entry>()>& list);

 private:
  bool has_directory_;
  std::unique_ptr<cache::DiskStore> store_;
  program::Builder builder_;  // after the store, which it uses
  std::mutex listing_mutex_;  // only tried: a thread of the parent may have held it at a fork
  std::shared_ptr<const Listing> listing_;
  std::uint64_t listing_written_ = 0;
  std::chrono::steady_clock::time_point listing_until_;
};

}  // namespace kiln::detail

namespace kiln::program {

/// The process's, made at first use and never destroyed.
detail::CacheImpl& process_cache();
/// The same where it is made already.
detail::CacheImpl* process_cache_if_used() noexcept;

/// What a handle stands for.
inline detail::CacheImpl& impl_of(const Cache& cache) {
  return cache.impl() != nullptr ? *cache.impl() : process_cache();
}

}  // namespace kiln::program
