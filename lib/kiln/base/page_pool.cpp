#include "base/page_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/byte_count.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/usable_memory.hpp"

namespace kiln::base {
namespace {

void* map(std::size_t bytes, std::size_t used) noexcept {
  // A huge page must start on its own size: take one more and give the ends back.
  void* const mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  const auto misplaced = reinterpret_cast<std::uintptr_t>(begin) % kHugePage;
  const std::size_t head = misplaced == 0 ? 0 : kHugePage - misplaced;
  if (head > 0) munmap(begin, head);
  char* const address = begin + head;
  if (kHugePage > head) munmap(address + bytes, kHugePage - head);
  // Only a wish. Less than half of the last one would be wasted on small arrays; large ones may be for more than is used now.
  const std::size_t huge = used > 8 * kHugePage ? bytes : (used + kHugePage / 2) / kHugePage * kHugePage;
  if (huge > 0) madvise(address, huge, MADV_HUGEPAGE);
  return address;
}

// AddressSanitizer would not see the use of a freed array.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHidesErrors = true;
#elif defined(__has_feature)
constexpr bool kHidesErrors = __has_feature(address_sanitizer);
#else
constexpr bool kHidesErrors = false;
#endif

struct Limit {
  std::size_t bytes = 0;
  std::string complaint = {};
};

Limit limit_of_process() {
  const std::optional<std::string> wish = env("KILN_HOST_POOL_MAX_BYTES");
  const std::optional<std::uint64_t> bytes = wish ? parse_bytes(*wish) : std::nullopt;
  if (bytes) return {.bytes = *bytes};
  Limit limit{.bytes = kHidesErrors ? 0 : usable_memory() / 8};
  if (wish && !wish->empty()) {
    limit.complaint = "KILN_HOST_POOL_MAX_BYTES is \"" + *wish +
                      "\", which is no number of bytes; the bound is the default; write it as 0, 500M or 2G";
  }
  return limit;
}

}  // namespace

std::size_t pool_size(std::size_t bytes) noexcept {
  if (bytes > std::numeric_limits<std::size_t>::max() / 4) return 0;
  const std::size_t unit = std::max(kHugePage, std::bit_floor(bytes) / 8);
  return (bytes + unit - 1) / unit * unit;
}

bool PagePool::count(std::size_t size) noexcept {
  const std::size_t most = most_.load(std::memory_order_relaxed);
  const std::size_t used = used_.fetch_add(size, std::memory_order_relaxed) + size;
  if (used > most) {
    used_.fetch_sub(size, std::memory_order_relaxed);
    return false;
  }
  blocks_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t peak = peak_.load(std::memory_order_relaxed);
       used > peak && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed);) {
  }
  return true;
}

void* PagePool::allocate(std::size_t bytes, bool zeroed) noexcept {
  const std::size_t size = pool_size(bytes);
  if (size == 0 || !count(size)) return nullptr;
  void* address = nullptr;
  Blocks out;  // of which `leaving` are set
  std::size_t leaving = 0;
  if (const std::unique_lock guard(lock_, std::try_to_lock); guard.owns_lock() && kept_count_ > 0) {
    if (!zeroed) address = take(size);
    leaving = drop(out, 0, now());
  }
  unmap({out.data(), leaving});
  if (address != nullptr) return address;
  // What is kept makes room for it.
  if (used_.load(std::memory_order_relaxed) + total_.load(std::memory_order_relaxed) > most_.load(std::memory_order_relaxed)) {
    release();
  }
  address = map(size, bytes);
  if (address != nullptr) return address;
  release();
  address = map(size, bytes);
  if (address == nullptr) uncount(size);
  return address;
}

void PagePool::deallocate(void* address, std::size_t bytes) noexcept {
  const std::size_t size = pool_size(bytes);
  Blocks out;  // of which `leaving` are set
  std::size_t leaving = 0;
  uncount(size);
  if (const std::unique_lock guard(lock_, std::try_to_lock); size > limit_ || !guard.owns_lock()) {
    out[leaving++] = {.address = address, .bytes = size, .freed = {}};
  } else {
    const Clock::duration freed = now();
    leaving = drop(out, size, freed);
    kept_[kept_count_++] = {.address = address, .bytes = size, .freed = freed};
    total_ += size;
  }
  unmap({out.data(), leaving});
}

void PagePool::release() noexcept {
  Blocks out;  // of which `leaving` are set
  std::size_t leaving = 0;
  if (const std::unique_lock guard(lock_, std::try_to_lock); guard.owns_lock()) {
    out = kept_;
    leaving = std::exchange(kept_count_, 0);
    total_ = 0;
  }
  unmap({out.data(), leaving});
}

PagePool::Stats PagePool::stats() const noexcept {
  return {.used = used_.load(), .kept = total_.load(), .peak = peak_.load(), .blocks = blocks_.load(), .most = most_.load()};
}

std::string PagePool::why_none(std::size_t bytes) const {
  const Stats now = stats();
  const bool beyond = now.most != kNoLimit && (now.used > now.most || pool_size(bytes) > now.most - now.used);
  return (beyond ? "the limit is " + std::to_string(now.most) + " bytes (kiln::set_memory_limit)"
                 : std::string("the system has no more")) +
         "; " + std::to_string(now.used) + " bytes are in use in " + std::to_string(now.blocks) +
         " blocks of 2 MiB and more, and " + std::to_string(now.kept) + " are kept";
}

// The one of that size which was freed last: it is the likeliest to be in the caches.
void* PagePool::take(std::size_t size) noexcept {
  for (std::size_t k = kept_count_; k-- > 0;) {
    if (kept_[k].bytes != size) continue;
    void* const address = kept_[k].address;
    std::move(kept_.begin() + k + 1, kept_.begin() + kept_count_, kept_.begin() + k);
    --kept_count_;
    total_ -= size;
    return address;
  }
  return nullptr;
}

// Takes out what nobody has wanted for long, and as much as makes room for `room` bytes; gives how many blocks that is.
std::size_t PagePool::drop(Blocks& out, std::size_t room, Clock::duration now) noexcept {
  const auto goes = [&](const Block& oldest, std::size_t gone) {
    return now - oldest.freed > idle_ || total_ > limit_ - room || (room > 0 && kept_count_ - gone == kMostBlocks);
  };
  std::size_t leaving = 0;
  for (; leaving < kept_count_ && goes(kept_[leaving], leaving); ++leaving) {
    out[leaving] = kept_[leaving];
    total_ -= kept_[leaving].bytes;
  }
  std::move(kept_.begin() + leaving, kept_.begin() + kept_count_, kept_.begin());
  kept_count_ -= leaving;
  return leaving;
}

void PagePool::unmap(std::span<const Block> blocks) noexcept {
  for (const Block& block : blocks) munmap(block.address, block.bytes);
}

PagePool& page_pool() {
  // A static of the function's would leave a child for ever locked out that was forked while it is made.
  static constinit std::atomic<PagePool*> made{nullptr};
  PagePool* pool = made.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  const Limit limit = limit_of_process();
  auto mine = std::make_unique<PagePool>(limit.bytes);
  if (!made.compare_exchange_strong(pool, mine.get(), std::memory_order_acq_rel)) return *pool;
  if (!limit.complaint.empty()) tell_line(limit.complaint);
  return *mine.release();
}

}  // namespace kiln::base
