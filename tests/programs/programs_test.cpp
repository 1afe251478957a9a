// Random programs: kiln's kernels beside an interpreter. Programs run in children, since a wrong kernel may crash, or never
// end.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "check.hpp"
#include "faults/child.hpp"
#include "faults/seed.hpp"

using kiln::test::Child;
using kiln::test::Ended;
using kiln::test::Say;
using programs::Program;

namespace {

constexpr unsigned kSeconds = 60;  // for one call, which may compile
constexpr std::uint64_t kPrograms = 100;

std::uint64_t number_of_programs() {
  const char* const text = std::getenv("KILN_TEST_PROGRAMS");
  const char* const share = std::getenv("KILN_TEST_PROGRAMS_ONE_IN");  // of targets whose programs take longer
  const std::uint64_t all = text != nullptr ? std::stoull(text) : kPrograms;
  return share != nullptr ? std::max<std::uint64_t>(all / std::stoull(share), 1) : all;
}

std::uint64_t number_of_jobs() {
  const char* const text = std::getenv("KILN_TEST_JOBS");
  return std::max<std::uint64_t>(text != nullptr ? std::stoull(text) : std::thread::hardware_concurrency(), 1);
}

/// In a child: what would end it ends it at once, without a word of doctest's.
void end_by_signals() {
  for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) std::signal(each, SIG_DFL);
}

/// In a child: a call that takes too long ends it.
void begin_call() {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = kSeconds, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);  // of the processor: however busy the machine is
}

/// What is wrong with a program, in a process of its own; empty: nothing is.
std::string fault_of(const Program& program, std::uint64_t seed) {
  const Ended ended = kiln::test::in_child([&](const Say& say) {
    end_by_signals();
    const programs::Verdict verdict = programs::check(program, seed, kiln::Cache(kiln::CacheOptions{}), begin_call);
    if (!verdict.difference.empty()) say(verdict.difference);
  });
  // A candidate that does not compile is no smaller form of a program that does.
  if (ended.status == 128 + SIGPROF) return "never ends\n";
  if (ended.status >= 128) return fmt::format("ended by signal {}\n{}", ended.status - 128, ended.said);
  return ended.said;
}

/// Wrong numbers, a signal, or an exception.
bool is_alike(const std::string& fault, const std::string& first) {
  const auto begins = [&](const char* with) { return fault.starts_with(with) == first.starts_with(with); };
  return !fault.empty() && begins("exception") && begins("ended") && begins("never");
}

Program shrunk(Program program, std::uint64_t seed, const std::string& fault) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
  std::size_t at = 0;
  for (bool any = true; any;) {
    any = false;
    for (bool tried = true; tried;) {
      tried = false;
      const std::vector<Program> all = programs::smaller(program);
      for (std::size_t i = at; i < all.size(); ++i) {
        if (std::chrono::steady_clock::now() > end) return program;
        if (!is_alike(fault_of(all[i], seed), fault)) continue;
        program = all[i];
        at = i;
        tried = any = true;
        break;
      }
    }
    at = 0;
  }
  return program;
}

struct Tally {
  std::uint64_t ran = 0;
  std::vector<std::uint64_t> wrong;

  /// Told at once: what is made of it later takes its time.
  void add(std::uint64_t seed) {
    wrong.push_back(seed);
    std::printf("wrong: KILN_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
  }
};

/// Seeds from first on, each `step`-th, in a child; one that ends the child is wrong, and the next child goes on behind it.
class Lane {
 public:
  Lane(std::uint64_t first, std::uint64_t end, std::uint64_t step) : next_(first), end_(end), step_(step) { start(); }

  /// Waits; false where nothing is left.
  bool collect(Tally& tally) {
    const Ended ended = child_.front().wait();
    child_.clear();
    std::istringstream lines(ended.said);
    std::string line;
    std::uint64_t seed = 0;
    bool open = false;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string word;
      std::uint64_t of = 0;
      if (!(words >> word >> of)) continue;  // an exception's text
      seed = of;
      open = word == "begin";
      if (word == "ran") ++tally.ran;
      if (word == "wrong") tally.add(seed);
    }
    if (!open) return false;
    tally.add(seed);
    next_ = seed + step_;
    start();
    return true;
  }

 private:
  void start() {
    child_.emplace_back([this](const Say& say) {
      const kiln::Cache cache(kiln::CacheOptions{});
      end_by_signals();
      for (std::uint64_t seed = next_; seed < end_; seed += step_) {
        say(fmt::format("begin {}", seed));
        const programs::Verdict verdict = programs::check(programs::generate(seed), seed, cache, begin_call);
        say(fmt::format("{} {}", !verdict.difference.empty() ? "wrong" : verdict.ran ? "ran" : "long", seed));
      }
    });
  }

  std::uint64_t next_;
  std::uint64_t end_;
  std::uint64_t step_;
  std::vector<Child> child_;
};

}  // namespace

TEST_CASE("random programs give what an interpreter gives") {
  const std::uint64_t first = kiln::test::seed();
  const std::uint64_t count = number_of_programs();
  const std::uint64_t side_by_side = std::min<std::uint64_t>(number_of_jobs(), count);
  Tally tally;
  {
    std::vector<Lane> lanes;
    for (std::uint64_t i = 0; i < side_by_side; ++i) lanes.emplace_back(first + i, first + count, side_by_side);
    for (Lane& lane : lanes) {
      while (lane.collect(tally)) {
      }
    }
  }
  MESSAGE(tally.ran << " of " << count << " programs ran; the others take too long");
  // Of a few programs more may be long ones.
  CHECK(tally.ran * 10 >= count * (count < 100 ? 5 : 7));
  std::ranges::sort(tally.wrong);
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < tally.wrong.size(); ++i) {
    const std::uint64_t seed = tally.wrong[i];
    const Program program = programs::generate(seed);
    const std::string fault = fault_of(program, seed);
    INFO(programs::report(program, seed));
    INFO(fault);
    if (i < kShown) {
      const Program small = shrunk(program, seed, fault);
      INFO(programs::report(small, seed));
      INFO(fault_of(small, seed));
      FAIL_CHECK("a program is wrong");
    } else {
      FAIL_CHECK("a program is wrong: KILN_TEST_SEED=" << seed);
    }
  }
}
