#include "base/page_pool.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "base/child_process.hpp"

using kiln::base::kHugePage;
using kiln::base::PagePool;
using kiln::base::pool_size;

namespace {

constexpr std::size_t kMany = std::numeric_limits<std::size_t>::max();

bool is_mapped(void* address) {
  return msync(address, 4096, MS_ASYNC) == 0;
}

}  // namespace

TEST_CASE("blocks of nearly one size have one size") {
  CHECK(pool_size(1) == kHugePage);
  CHECK(pool_size(kHugePage) == kHugePage);
  CHECK(pool_size(kHugePage + 1) == 2 * kHugePage);
  CHECK(pool_size(200 << 20) == 208 << 20);
  CHECK(pool_size(203 << 20) == 208 << 20);
  CHECK(pool_size(256 << 20) == 256 << 20);
  CHECK(pool_size(kMany) == 0);
  CHECK(pool_size(kMany / 2) == 0);
  for (std::size_t bytes = kHugePage; bytes < std::size_t{1} << 40; bytes += bytes / 7 + 1) {
    CAPTURE(bytes);
    CHECK(pool_size(bytes) >= bytes);
    CHECK(pool_size(bytes) - bytes < std::max(kHugePage, bytes / 8 + 1));
    CHECK(pool_size(bytes) % kHugePage == 0);
    CHECK(pool_size(pool_size(bytes)) == pool_size(bytes));
  }
}

TEST_CASE("what is freed is the next block of its size") {
  PagePool pool(64 << 20);
  void* const first = pool.allocate(5 << 20, false);
  REQUIRE(first != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(first) % kHugePage == 0);
  std::memset(first, 7, 5 << 20);
  pool.deallocate(first, 5 << 20);
  CHECK(is_mapped(first));
  void* const other = pool.allocate(3 << 20, false);
  CHECK(other != first);
  void* const again = pool.allocate((5 << 20) + 1, false);
  CHECK(again == first);
  pool.deallocate(again, (5 << 20) + 1);
  void* const zeroed = pool.allocate(5 << 20, true);
  CHECK(zeroed != first);
  const char* const bytes = static_cast<const char*>(zeroed);
  CHECK(std::all_of(bytes, bytes + (5 << 20), [](char byte) { return byte == 0; }));
  pool.deallocate(zeroed, 5 << 20);
  CHECK(pool.allocate(5 << 20, false) == zeroed);  // freed last
  CHECK(pool.allocate(5 << 20, false) == first);
  pool.deallocate(other, 3 << 20);
  pool.release();
  CHECK_FALSE(is_mapped(other));
  pool.deallocate(first, 5 << 20);
  pool.deallocate(zeroed, 5 << 20);
}

TEST_CASE("a pool keeps no more than its limit, and what was freed last") {
  void* last = nullptr;
  {
    PagePool pool(10 << 20);
    std::vector<void*> blocks;
    for (int k = 0; k < 4; ++k) blocks.push_back(pool.allocate(4 << 20, false));
    for (void* const block : blocks) pool.deallocate(block, 4 << 20);
    CHECK_FALSE(is_mapped(blocks[0]));
    CHECK_FALSE(is_mapped(blocks[1]));
    CHECK(is_mapped(blocks[2]));
    CHECK(is_mapped(blocks[3]));
    void* const large = pool.allocate(12 << 20, false);
    pool.deallocate(large, 12 << 20);
    CHECK_FALSE(is_mapped(large));
    CHECK(is_mapped(blocks[2]));
    last = blocks[3];
  }
  CHECK_FALSE(is_mapped(last));
}

TEST_CASE("a pool keeps 64 blocks") {
  PagePool pool(kMany);
  std::vector<void*> blocks;
  for (int k = 0; k < 66; ++k) blocks.push_back(pool.allocate(1, false));
  for (void* const block : blocks) pool.deallocate(block, 1);
  CHECK(std::count_if(blocks.begin(), blocks.end(), is_mapped) == 64);
  CHECK_FALSE(is_mapped(blocks[1]));
  CHECK(is_mapped(blocks[2]));
}

TEST_CASE("what nobody wants for long goes back") {
  PagePool pool(64 << 20, std::chrono::milliseconds(1));
  void* const old = pool.allocate(4 << 20, false);
  void* const other = pool.allocate(8 << 20, false);
  pool.deallocate(old, 4 << 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(is_mapped(old));
  pool.deallocate(other, 8 << 20);
  CHECK_FALSE(is_mapped(old));
  CHECK(is_mapped(other));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(pool.allocate(8 << 20, false) == other);  // wanted, however old
  pool.deallocate(other, 8 << 20);
}

TEST_CASE("memory that the system has not is no block") {
  PagePool pool(64 << 20);
  CHECK(pool.allocate(kMany, false) == nullptr);
  CHECK(pool.allocate(kMany / 4, true) == nullptr);
}

TEST_CASE("a pool counts what it hands out and keeps") {
  PagePool pool(64 << 20);
  void* const a = pool.allocate(5 << 20, false);
  void* const b = pool.allocate(2 << 20, true);
  PagePool::Stats stats = pool.stats();
  CHECK(stats.used == 8 << 20);
  CHECK(stats.blocks == 2);
  CHECK(stats.kept == 0);
  pool.deallocate(a, 5 << 20);
  stats = pool.stats();
  CHECK(stats.used == 2 << 20);
  CHECK(stats.kept == 6 << 20);
  CHECK(stats.peak == 8 << 20);
  pool.reset_peak();
  CHECK(pool.stats().peak == 2 << 20);
  pool.deallocate(pool.allocate(6 << 20, false), 6 << 20);
  CHECK(pool.stats().kept == 6 << 20);
  pool.deallocate(b, 2 << 20);
  pool.release();
  stats = pool.stats();
  CHECK(stats.used == 0);
  CHECK(stats.blocks == 0);
  CHECK(stats.kept == 0);
  CHECK(pool.allocate(std::size_t{1} << 60, false) == nullptr);
  CHECK(pool.stats().used == 0);
  CHECK(pool.stats().blocks == 0);
}

TEST_CASE("a pool hands out no more than it may, and gives what it keeps back for it") {
  PagePool pool(64 << 20);
  pool.set_most(16 << 20);
  void* const a = pool.allocate(8 << 20, false);
  void* const b = pool.allocate(6 << 20, false);
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  CHECK(pool.allocate(4 << 20, false) == nullptr);
  CHECK(pool.why_none(4 << 20) ==
        "the limit is 16777216 bytes (kiln::set_memory_limit); 14680064 bytes are in use in 2 blocks of 2 MiB and more, and 0 "
        "are kept");
  pool.deallocate(a, 8 << 20);
  CHECK(pool.stats().kept == 8 << 20);
  // Of another size: what is kept would be too much beside it.
  void* const c = pool.allocate(10 << 20, false);
  REQUIRE(c != nullptr);
  CHECK(pool.stats().kept == 0);
  CHECK(pool.stats().used == 16 << 20);
  // The system may have put the new block there.
  const auto* const begin = static_cast<const char*>(c);
  const bool reused =
      std::less_equal<>()(begin, static_cast<const char*>(a)) && std::less<>()(static_cast<const char*>(a), begin + (10 << 20));
  CHECK((reused || !is_mapped(a)));
  pool.set_most(0);
  CHECK(pool.allocate(1, false) == nullptr);
  pool.deallocate(b, 6 << 20);
  pool.deallocate(c, 10 << 20);
  CHECK(pool.stats().used == 0);
  pool.set_most(PagePool::kNoLimit);
  pool.deallocate(pool.allocate(1, false), 1);
}

TEST_CASE("threads do not get one block at a time") {
  PagePool pool(16 << 20);
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned char own) {
    for (int k = 0; k < 300; ++k) {
      const std::size_t bytes = (1 + static_cast<std::size_t>(k) % 3) * kHugePage;
      auto* const block = static_cast<unsigned char*>(pool.allocate(bytes, false));
      std::memset(block, own, 4096);
      block[bytes - 1] = own;
      std::this_thread::yield();
      wrong += !std::all_of(block, block + 4096, [own](unsigned char byte) { return byte == own; }) || block[bytes - 1] != own;
      pool.deallocate(block, bytes);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned char own = 1; own <= 4; ++own) threads.emplace_back(work, own);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a child forked while another thread is in the pool can go on") {
  PagePool pool(16 << 20);
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) pool.deallocate(pool.allocate(kHugePage, false), kHugePage);
  });
  int failed = 0;
  for (int k = 0; k < 20; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      for (int i = 0; i < 3; ++i) {
        void* const block = pool.allocate(kHugePage, false);
        if (block == nullptr) _exit(1);
        *static_cast<char*>(block) = 1;
        pool.deallocate(block, kHugePage);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  done = true;
  other.join();
  CHECK(failed == 0);
}
