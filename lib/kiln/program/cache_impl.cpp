// Caches of their own and the process's.
#include "program/cache_impl.hpp"

#include <atomic>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/variables.hpp"
#include "cache/directory.hpp"

namespace kiln::detail {
namespace {

std::unique_ptr<cache::DiskStore> open_store(CacheOptions options, bool named) {
  if (options.directory.empty() && options.read_only.empty()) return nullptr;
  std::vector<std::string> read_only;
  for (std::string& path : options.read_only) read_only.push_back(cache::absolute_path(std::move(path)));
  return std::make_unique<cache::DiskStore>(
      cache::absolute_path(std::move(options.directory)), std::move(read_only), options.max_bytes,
      [](const std::string& line) { base::log_line(line); }, options.wait,
      named ? cache::Log([](const std::string& line) { base::tell_line(line); }) : cache::Log());
}

}  // namespace

CacheImpl::CacheImpl(const CacheOptions& options, bool named)
    : has_directory_(!options.directory.empty()),
      store_(open_store(options, named)),
      builder_(store_.get(), {.code_bytes = static_cast<std::size_t>(options.memory_bytes)}) {}

std::vector<const cache::Tier*> CacheImpl::tiers() const {
  std::vector<const cache::Tier*> tiers = store_ == nullptr ? std::vector<const cache::Tier*>() : store_->tiers();
  if (store_ == nullptr || store_->directory().empty()) tiers.push_back(&builder_.entries());
  return tiers;
}

std::shared_ptr<const CacheImpl::Listing> CacheImpl::recent_listing(const std::function<std::vector<cache::Entry>()>& list) {
  using Clock = std::chrono::steady_clock;
  const std::unique_lock lock(listing_mutex_, std::try_to_lock);
  const std::uint64_t written = builder_.stats().bytes_written;
  const Clock::time_point start = Clock::now();
  if (lock && listing_ != nullptr && listing_written_ == written && start < listing_until_) return listing_;
  auto made = std::make_shared<Listing>();
  for (cache::Entry& entry : list()) made->by_kernel[entry.kernel].push_back(std::move(entry));
  if (!lock) return made;
  const Clock::time_point end = Clock::now();
  listing_ = made;
  listing_written_ = written;
  listing_until_ = end + 10 * (end - start);
  return made;
}

cache::Folder CacheImpl::open_directory() const {
  return store_ == nullptr ? cache::Folder() : store_->open_directory();
}

}  // namespace kiln::detail

namespace kiln::program {
namespace {

constinit std::atomic<detail::CacheImpl*> current{nullptr};

}  // namespace

// No function-local static: its guard, held by another thread at a fork, would stay held in the child for ever.
detail::CacheImpl& process_cache() {
  detail::CacheImpl* known = current.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  cache::Settings settings = cache::read_settings([](const char* name) { return base::env(name); });
  auto made = std::make_unique<detail::CacheImpl>(CacheOptions{.directory = std::move(settings.directory),
                                                               .read_only = std::move(settings.read_only_directories),
                                                               .max_bytes = settings.max_bytes},
                                                  settings.named);
  if (!current.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *known;
  if (!settings.note.empty()) base::log_line(settings.note);
  for (const std::string& complaint : settings.complaints) base::tell_line(complaint);
  base::tell_misspelled_variables();
  return *made.release();
}

detail::CacheImpl* process_cache_if_used() noexcept {
  return current.load(std::memory_order_acquire);
}

}  // namespace kiln::program
