#include "cache/shards.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/usable_threads.hpp"

namespace kiln::cache {
namespace {

// The kernel's locks of a folder and of the page cache leave little for more.
constexpr int kMostThreads = 4;

}  // namespace

void for_each_shard(const std::function<void(unsigned shard)>& work) {
  std::atomic<unsigned> next{0};
  std::mutex mutex;
  std::exception_ptr fault;
  const auto some = [&] {
    try {
      for (unsigned shard = next++; shard < kShards; shard = next++) work(shard);
    } catch (...) {
      next = kShards;
      const std::lock_guard lock(mutex);
      if (fault == nullptr) fault = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const auto threads = static_cast<std::size_t>(std::min(base::usable_threads(), kMostThreads));
  others.reserve(threads - 1);
  try {
    while (others.size() + 1 < threads) others.emplace_back(some);
  } catch (const std::system_error&) {
    // Where there are no more threads, those that are there do it all.
  }
  some();
  for (std::thread& other : others) other.join();
  if (fault != nullptr) std::rethrow_exception(fault);
}

}  // namespace kiln::cache
