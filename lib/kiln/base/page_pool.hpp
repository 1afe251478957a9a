// Memory of whole pages for large arrays. What is freed is kept for the next array of its size: fresh pages cost more than most
// kernels, for the system clears them and maps them one fault at a time.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <mutex>
#include <span>
#include <string>

namespace kiln::base {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Blocks of at least this many bytes are worth pages of their own. 1e6 float32 lie below 4 MiB: with huge pages a sum of two
/// such arrays takes one thread 0.127 ns an element instead of 0.152 (AMD EPYC, Zen 4), for they are more pages than its TLB
/// has.
inline constexpr std::size_t kPagesFrom = kHugePage;

/// Pure. How many bytes a block of `bytes` is given: whole huge pages, an eighth more at most beyond 16 MiB, so that arrays of
/// nearly one size take each other's. 0: there is no such memory.
[[nodiscard]] std::size_t pool_size(std::size_t bytes) noexcept;

/// Keeps up to `limit` bytes of freed blocks; what was freed first makes room for the next, and what nobody wanted for as long
/// as `idle` goes back to the system when the pool is next used. Thread-safe, also in a child forked while another thread was
/// in here. What is kept goes with the pool, what is in use does not.
class PagePool {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  /// Bytes of whole blocks.
  struct Stats {
    std::size_t used = 0;    ///< handed out
    std::size_t kept = 0;    ///< freed, for the next blocks
    std::size_t peak = 0;    ///< the most of `used`
    std::size_t blocks = 0;  ///< handed out
    std::size_t most = kNoLimit;
  };

  explicit PagePool(std::size_t limit, Clock::duration idle = std::chrono::seconds(1)) : limit_(limit), idle_(idle) {}
  ~PagePool() { release(); }
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// At the start of a huge page, `bytes` > 0; null where the system has no memory, and beyond set_most(). `zeroed`: every byte
  /// is 0, at no cost before it is used; else they are what they happen to be.
  [[nodiscard]] void* allocate(std::size_t bytes, bool zeroed) noexcept;
  /// `bytes` as it was allocated with.
  void deallocate(void* address, std::size_t bytes) noexcept;
  /// Gives all that is kept back to the system.
  void release() noexcept;

  /// Of moments that may differ.
  [[nodiscard]] Stats stats() const noexcept;
  void reset_peak() noexcept { peak_.store(used_.load()); }
  /// How many bytes may be handed out and kept at once; what is handed out already stays.
  void set_most(std::size_t bytes) noexcept { most_.store(bytes); }
  /// Why allocate() gave null, with the sizes that tell.
  [[nodiscard]] std::string why_none(std::size_t bytes) const;

 private:
  struct Block {
    void* address;
    std::size_t bytes;
    Clock::duration freed;  ///< since the clock's epoch: unlike a time_point it needs no constructor, and lists of blocks none
  };
  static constexpr std::size_t kMostBlocks = 64;
  using Blocks = std::array<Block, kMostBlocks>;

  /// Whether so much more may be handed out: it is counted then.
  [[nodiscard]] bool count(std::size_t size) noexcept;
  void uncount(std::size_t size) noexcept {
    used_.fetch_sub(size, std::memory_order_relaxed);
    blocks_.fetch_sub(1, std::memory_order_relaxed);
  }
  void* take(std::size_t size) noexcept;
  std::size_t drop(Blocks& out, std::size_t room, Clock::duration now) noexcept;
  [[nodiscard]] static Clock::duration now() noexcept { return Clock::now().time_since_epoch(); }
  static void unmap(std::span<const Block> blocks) noexcept;

  // Where it is another's, and in a forked child perhaps for ever, blocks come from the system and go to it.
  std::mutex lock_;
  Blocks kept_{};  // kept_count_ of them, the one freed first is the first
  std::size_t kept_count_ = 0;
  std::atomic<std::size_t> total_{0};  // read without the lock
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> peak_{0};
  std::atomic<std::size_t> blocks_{0};
  std::atomic<std::size_t> most_{kNoLimit};
  const std::size_t limit_;
  const Clock::duration idle_;
};

/// The pool of the process: KILN_HOST_POOL_MAX_BYTES, or an eighth of the memory that the process may use; nothing under
/// AddressSanitizer. Never destroyed: arrays may outlive all else. A variable that is no number of bytes is a line of the log.
[[nodiscard]] PagePool& page_pool();

}  // namespace kiln::base
