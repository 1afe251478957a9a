// Processes that write, read, prune, mend and clear one small cache, and are killed at any time. KILN_STRESS_SECONDS says how
// long.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "faults/child.hpp"
#include "faults/kernels.hpp"
#include "faults/seed.hpp"
#include "kiln/cache.hpp"
#include "unit/base/temporary_directory.hpp"

using kiln::Cache;
using kiln::CacheOptions;
using kiln::test::Child;
using kiln::test::Ended;
using kiln::test::right;
using kiln::test::Say;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

namespace {

constexpr int kProcesses = 8;
constexpr int kKernels = 40;
// Room for about half of the kernels, so that there is always something to evict.
constexpr std::uint64_t kMaxBytes = 150'000;

double seconds() {
  const char* const text = std::getenv("KILN_STRESS_SECONDS");
  return text == nullptr ? 3 : std::stod(text);
}

class Worker {
 public:
  Worker(CacheOptions options, std::uint64_t seed, const Say& say) : options_(std::move(options)), random_(seed), say_(say) {}

  // Each with a handle of its own, as another process would have: what one remembers is not on the disk.
  void step() {
    const Cache cache(options_);
    const int kernel = static_cast<int>(random_() % kKernels);
    switch (random_() % 32) {
      case 0:
        return check_list(cache);
      case 1:
        return check_find(cache);
      case 2:
        return check(cache.verify(false));
      case 3:
        return check(cache.verify(true));
      case 4:
        cache.prune(random_() % kMaxBytes);
        return count("prune");
      case 5:
        if (random_() % 4 != 0) return;
        cache.clear();
        return count("clear");
      default:
        if (random_() % 2 == 0) {
          (void)kiln::test::numbered_kernel(kernel, cache).compile("native");
        } else if (!right(kernel, cache)) {
          say_(fmt::format("wrong result of kernel {}", kernel));
        }
        count(cache.stats().compiles != 0 ? "compile" : cache.stats().disk_hits != 0 ? "disk hit" : "memory hit");
    }
  }

 private:
  void check_list(const Cache& cache) {
    for (const kiln::cache::Entry& entry : cache.list()) {
      if (entry.id.size() != 32 || !entry.kernel.starts_with("kernel_") || entry.code_bytes == 0) {
        say_(fmt::format("wrong: listed {} {}", entry.id, entry.kernel));
      }
    }
    count("list");
  }

  void check_find(const Cache& cache) {
    for (const kiln::cache::Entry& entry : cache.list()) {
      const auto contents = cache.find(entry.id);  // it may be gone
      if (contents && (contents->entry.kernel != entry.kernel || !contents->code.starts_with("\x7f"
                                                                                             "ELF"))) {
        say_(fmt::format("wrong: found {} as {}", entry.kernel, contents->entry.kernel));
      }
    }
    count("find");
  }

  // Somebody else's half-written file is no fault while he lives, and nothing tears an entry.
  void check(const kiln::cache::Verification& verification) {
    for (const auto& fault : verification.faults) {
      if (fault.path.ends_with(".kiln")) say_(fmt::format("wrong: {}: {}", fault.path, fault.reason));
    }
    count("verify");
  }

  void count(const char* what) { say_(what); }

  CacheOptions options_;
  std::mt19937_64 random_;
  const Say& say_;
};

}  // namespace

TEST_CASE("8 processes that write, read, prune, mend and clear, and are killed at random" * doctest::test_suite("churn")) {
  const kiln::test::TemporaryDirectory folder;
  const CacheOptions options{.directory = folder / "cache", .max_bytes = kMaxBytes, .wait = std::chrono::seconds(60)};
  kiln::test::open_compiler();
  std::mt19937_64 random(kiln::test::seed());
  const auto start = [&] {
    return Child([&, seed = random()](const Say& say) {
      kiln::cache::set_log([&](std::string_view line) { say(fmt::format("wrong: {}", line)); });
      Worker worker(options, seed, say);
      while (true) worker.step();
    });
  };
  std::map<std::string, int> counts;
  const auto look = [&](const Ended& ended) {
    CHECK(ended.status == 128 + SIGKILL);  // by this test alone
    for (std::size_t from = 0; from < ended.said.size(); from = ended.said.find('\n', from) + 1) {
      const std::string line = ended.said.substr(from, ended.said.find('\n', from) - from);
      if (line.starts_with("wrong") || line.starts_with("exception")) {
        FAIL_CHECK(line);
      } else {
        ++counts[line];
      }
    }
  };
  std::vector<std::unique_ptr<Child>> workers;
  for (int i = 0; i < kProcesses; ++i) workers.push_back(std::make_unique<Child>(start()));
  int kills = 0;
  for (const auto deadline = Clock::now() + std::chrono::duration<double>(seconds()); Clock::now() < deadline; ++kills) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    std::unique_ptr<Child>& victim = workers[random() % workers.size()];
    victim->kill();
    look(victim->wait());
    victim = std::make_unique<Child>(start());
  }
  for (const auto& worker : workers) worker->kill();
  for (const auto& worker : workers) look(worker->wait());

  // One that was killed between publishing and sweeping left more than the bound allows, until somebody stores the next.
  const Ended next = kiln::test::in_child([&](const Say& say) {
    if (!right(kKernels, Cache(options))) say("wrong result of a new kernel");
  });
  CHECK(next.said == "");
  CHECK(next.status == 0);
  // What they left: sound entries within the bound, and once mended nothing else.
  const Cache cache(options);
  const kiln::cache::Verification left = cache.verify(true);
  for (const auto& fault : left.faults) {
    CAPTURE(fault.path);
    CAPTURE(fault.reason);
    CHECK(fault.mended);
    CHECK_FALSE(fault.path.ends_with(".kiln"));
  }
  const kiln::cache::Verification mended = cache.verify(false);
  CHECK(mended.faults.empty());
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;
  for (const auto& file : fs::recursive_directory_iterator(options.directory)) {
    if (!file.is_regular_file()) continue;
    const std::string name = fs::relative(file.path(), options.directory).string();
    if (name == "usage" || name == "sweep.lock") continue;
    CAPTURE(name);
    CHECK(name.size() == std::string_view("3f/0123456789abcdef0123456789abcd.kiln").size());
    CHECK(name.ends_with(".kiln"));
    ++entries;
    bytes += file.file_size();
    largest = std::max<std::uint64_t>(largest, file.file_size());
  }
  CHECK(entries == mended.entries);
  // One that was killed between publishing and counting left an entry that the estimate knows nothing of, until the next sweep.
  CHECK(bytes <= kMaxBytes + kProcesses * largest);
  const Ended after = kiln::test::in_child([&](const Say& say) {
    kiln::cache::set_log([&](std::string_view line) { say(line); });
    const Cache whole(CacheOptions{.directory = options.directory});
    for (int i = 0; i < kKernels; ++i) {
      if (!right(i, whole)) say(fmt::format("wrong result of kernel {}", i));
    }
  });
  CHECK(after.said == "");
  CHECK(after.status == 0);
  std::string summary = fmt::format("{} kills, {} left to mend", kills, left.faults.size());
  for (const auto& [what, number] : counts) summary += fmt::format(", {} {}", number, what);
  MESSAGE(summary);
}
