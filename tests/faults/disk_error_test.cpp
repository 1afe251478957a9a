// Each call that kiln makes on the files of its cache fails in turn, with each error that a disk knows. Kernels still give
// right results, nothing crashes, and what is lost is said.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "child.hpp"
#include "interposer.hpp"
#include "kernels.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "unit/base/sanitizer.hpp"
#include "unit/base/temporary_directory.hpp"

using kiln::Cache;
using kiln::CacheOptions;
using kiln::faults::Fault;
using kiln::faults::Kind;
using kiln::test::in_child;
using kiln::test::right;
using kiln::test::Say;
using kiln::test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

constexpr Fault kErrors[] = {
    {"EIO", EIO, Kind::error},       {"EACCES", EACCES, Kind::error}, {"EROFS", EROFS, Kind::error},
    {"ENOSPC", ENOSPC, Kind::error}, {"EDQUOT", EDQUOT, Kind::error}, {"ESTALE", ESTALE, Kind::error},
};
constexpr Fault kErrorsOnward[] = {
    {"EIO from there on", EIO, Kind::error_onward},
    {"EROFS from there on", EROFS, Kind::error_onward},
    {"ESTALE from there on", ESTALE, Kind::error_onward},
};
constexpr Fault kInterrupted{"EINTR", EINTR, Kind::error};
constexpr Fault kHalf{"half", 0, Kind::half};
// Calls that a signal can interrupt on Linux, and those that may move fewer bytes than asked for.
const std::set<std::string> kInterruptible{"open", "openat", "read", "write", "pread", "pwrite", "flock", "ftruncate", "fsync"};
const std::set<std::string> kMoving{"read", "write", "pread", "pwrite"};

// Kernels of the prepared cache.
enum Number { stored = 1, damaged, shipped, fresh, filler };
constexpr int kFillers = 3;

void age(const fs::path& file, std::time_t seconds) {
  const timespec stamp{std::time(nullptr) - seconds, 0};
  const timespec times[2] = {stamp, stamp};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
}

std::string path_of(const Cache& cache, int kernel) {
  for (const kiln::cache::Entry& entry : cache.list()) {
    if (entry.kernel == "kernel_" + std::to_string(kernel)) {
      return cache.directory() + "/" + entry.id.substr(0, 2) + "/" + entry.id.substr(2) + ".kiln";
    }
  }
  FAIL("no such kernel: " << kernel);
  return {};
}

/// A folder with a cache (one kernel used an hour ago, one damaged, some old ones), a read-only tier, and room for a new kernel
/// only where old ones go. Each run has a copy of it.
class Prepared {
 public:
  Prepared() {
    kiln::test::open_compiler();
    const auto made = in_child([&](const Say&) {
      const Cache cache(CacheOptions{.directory = master() / "cache"});
      const Cache tier(CacheOptions{.directory = master() / "tier"});
      for (int i = 0; i < kFillers; ++i) (void)right(filler + i, cache);
      if (!right(stored, cache) || !right(damaged, cache) || !right(shipped, tier)) throw std::runtime_error("wrong");
    });
    REQUIRE(made.said == "");
    REQUIRE(made.status == 0);
    const Cache cache(CacheOptions{.directory = master() / "cache"});
    const std::string broken = path_of(cache, damaged);
    fs::resize_file(broken, fs::file_size(broken) / 2);
    for (const auto& file : fs::recursive_directory_iterator(master())) {
      if (!file.is_regular_file()) continue;
      files_.push_back({fs::relative(file.path(), master()), kiln::test::read_text(file.path()), 0});
      if (files_.back().path.string().starts_with("cache/") && file.path().extension() == ".kiln")
        max_bytes_ += file.file_size();
    }
    const auto used = [&](int kernel, std::time_t seconds_ago) {
      const fs::path path = fs::relative(path_of(cache, kernel), master());
      for (File& file : files_) {
        if (file.path == path) file.age = seconds_ago;
      }
    };
    for (int i = 0; i < kFillers; ++i) used(filler + i, 86'400);
    used(stored, 3600);
  }

  /// Runs the work on a copy while the n-th call on its files fails (0: none does), then lets it look around undisturbed.
  [[nodiscard]] kiln::test::Ended run(int n, const Fault& fault,
                                      const std::function<void(const CacheOptions&, const Say&)>& work,
                                      const std::function<void(const CacheOptions&, const Say&)>& afterwards) const {
    const fs::path copy = fs::path(folder_.path()) / "copy";
    fs::remove_all(copy);
    for (const File& file : files_) {
      fs::create_directories((copy / file.path).parent_path());
      kiln::test::write_text(copy / file.path, file.bytes);
      REQUIRE(::chmod((copy / file.path).c_str(), 0600) == 0);
      if (file.age != 0) age(copy / file.path, file.age);
    }
    return in_child([&](const Say& say) {
      ::alarm(120);
      // One after another, so that a call has the same number in each run.
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
      if (::sched_setaffinity(0, sizeof one, &one) != 0) say("wrong: sched_setaffinity");
      const CacheOptions options{.directory = copy / "cache", .read_only = {copy / "tier"}, .max_bytes = max_bytes_};
      kiln::faults::watch(copy.c_str(), n, fault);
      work(options, say);
      kiln::faults::watch(nullptr);
      afterwards(options, say);
    });
  }

 private:
  [[nodiscard]] fs::path master() const { return fs::path(folder_.path()) / "master"; }

  struct File {
    fs::path path;
    std::string bytes;
    std::time_t age;
  };

  TemporaryDirectory folder_;
  std::vector<File> files_;
  std::uint64_t max_bytes_ = 0;
};

struct Log {
  Log() {
    kiln::cache::set_log([this](std::string_view line) { lines.emplace_back(line); });
  }
  ~Log() { kiln::cache::set_log(nullptr); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  std::vector<std::string> lines;
};

// The entry that is damaged from the beginning is said; what else is, is of the disk.
bool of_disk(const std::string& line) {
  return line.find(" is not used: truncated; ") == std::string::npos;
}

/// Of a run: "calls 57", "lines 1", "compiles 2", and "wrong …" for each promise that was broken.
std::uint64_t number_after(const std::string& said, const std::string& word) {
  const std::size_t at = ("\n" + said).find("\n" + word + " ");
  return at == std::string::npos ? UINT64_MAX : std::stoull(said.substr(at + word.size() + 1));
}

void call_kernels(const CacheOptions& options, const Say& say) {
  Log log;
  const Cache cache(options);
  for (const int kernel : {stored, damaged, shipped, fresh}) {
    if (!right(kernel, cache)) say(fmt::format("wrong result of kernel {}", kernel));
  }
  say(fmt::format("lines {}", std::count_if(log.lines.begin(), log.lines.end(), of_disk)));
  say(fmt::format("compiles {}", cache.stats().compiles));
  for (const std::string& line : log.lines) say("log: " + line);
}

/// The disk is well again: everything works, and what is not on it has to be compiled again.
void call_again(const CacheOptions& options, const Say& say) {
  say(fmt::format("calls {}", kiln::faults::calls()));
  Log log;
  const Cache cache(options);
  for (const int kernel : {stored, damaged, shipped, fresh}) {
    if (!right(kernel, cache)) say(fmt::format("wrong result of kernel {} afterwards", kernel));
  }
  say(fmt::format("again {}", cache.stats().compiles));
  for (const std::string& line : log.lines) {
    if (of_disk(line)) say("wrong: the disk is well, and still: " + line);
  }
  cache.verify(true);
  for (const auto& fault : cache.verify().faults) say("wrong: left over: " + fault.path + ": " + fault.reason);
}

struct Call {
  int n = 0;
  std::string name;
};

/// What a run that meets no fault does. Its calls, but of those of one name and one outcome the first ones alone: a sweep opens
/// 256 folders, of which most are not there.
struct Clean {
  std::vector<Call> calls;
  kiln::test::Ended ended;
};

/// KILN_FAULTS=all tries every error at every call, which takes many minutes; else each call tried has one of the errors, in
/// turn, and one that stays.
bool try_all() {
  const char* const text = std::getenv("KILN_FAULTS");
  return text != nullptr && std::string_view(text) == "all";
}

int alike() {
  return try_all() ? 1000 : 4;
}

Clean run_clean(const Prepared& prepared, const std::function<void(const CacheOptions&, const Say&)>& work,
                const std::function<void(const CacheOptions&, const Say&)>& afterwards) {
  Clean clean;
  clean.ended = prepared.run(0, kHalf, work, [&](const CacheOptions& options, const Say& say) {
    std::map<std::string, int> seen;
    for (int n = 1; n <= kiln::faults::calls(); ++n) {
      const char* const name = kiln::faults::call_name(n);
      if (++seen[fmt::format("{} {}", name, kiln::faults::call_error(n))] <= alike()) say(fmt::format("call {} {}", n, name));
    }
    afterwards(options, say);
  });
  std::istringstream lines(clean.ended.said);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("call ")) {
      const std::size_t blank = line.find(' ', 5);
      clean.calls.push_back({std::stoi(line.substr(5, blank - 5)), line.substr(blank + 1)});
    } else {
      rest += line + "\n";
    }
  }
  clean.ended.said = rest;
  return clean;
}

/// Every fault that is tried at a call of that name. Each is a process, which takes three times as long under a sanitizer: one
/// of them there, in turn.
std::vector<Fault> faults_for(const std::string& name, std::size_t index) {
  std::vector<Fault> faults;
  if (try_all()) {
    faults.assign(std::begin(kErrors), std::end(kErrors));
    faults.insert(faults.end(), std::begin(kErrorsOnward), std::end(kErrorsOnward));
  } else {
    faults = {kErrors[index % std::size(kErrors)], kErrorsOnward[index % std::size(kErrorsOnward)]};
  }
  if (kInterruptible.contains(name)) faults.push_back(kInterrupted);
  if (kMoving.contains(name)) faults.push_back(kHalf);
  if (kiln::test::kAddressSanitizer && !try_all()) return {faults[index % faults.size()]};
  return faults;
}

/// Runs both with each fault at each call. Nothing may be wrong in them; `check` has the rest.
template <class Work, class After, class Check>
void with_each_fault(const Prepared& prepared, const Clean& clean, const Work& work, const After& afterwards,
                     const Check& check) {
  REQUIRE(clean.calls.size() >= 30);
  std::size_t runs = 0;
  for (std::size_t i = 0; i < clean.calls.size(); ++i) {
    const Call& call = clean.calls[i];
    for (const Fault& fault : faults_for(call.name, i)) {
      const std::string what = fmt::format("call {}, {}: {}", call.n, call.name, fault.name);
      const auto ended = prepared.run(call.n, fault, work, afterwards);
      INFO(what);
      INFO(ended.said);
      ++runs;
      CHECK(ended.status == 0);
      CHECK(ended.said.find("wrong") == std::string::npos);
      check(call, fault, ended.said);
    }
  }
  MESSAGE(clean.calls.size() << " calls, " << runs << " faults");
}

}  // namespace

TEST_CASE("calls of kernels while any one call on the cache's files fails") {
  const Prepared prepared;
  const Clean clean = run_clean(prepared, call_kernels, call_again);
  CAPTURE(clean.ended.said);
  REQUIRE(clean.ended.status == 0);
  REQUIRE(clean.ended.said.find("wrong") == std::string::npos);
  CHECK(number_after(clean.ended.said, "lines") == 0);
  CHECK(number_after(clean.ended.said, "compiles") == 2);  // the damaged one and the fresh one
  CHECK(number_after(clean.ended.said, "again") == 0);
  std::size_t lost = 0;
  with_each_fault(prepared, clean, call_kernels, call_again,
                  [&](const Call& call, const Fault& fault, const std::string& said) {
                    CHECK(number_after(said, "calls") >= static_cast<std::uint64_t>(call.n));
                    const std::uint64_t lines = number_after(said, "lines");
                    const bool loses = number_after(said, "compiles") > 2 || number_after(said, "again") > 0;
                    lost += loses ? 1 : 0;
                    if (loses) CHECK(lines > 0);
                    // A signal and a slow disk are no faults.
                    if (fault.code == EINTR || fault.kind == Kind::half) {
                      CHECK_FALSE(loses);
                      CHECK(lines == 0);
                    }
                  });
  MESSAGE(lost << " faults lost something and said so");
  CHECK(lost > 0);
}

TEST_CASE("a fault that passes does not cost the cache for the life of its handle") {
  const Prepared prepared;
  const auto work = [](const CacheOptions& options, const Say& say) {
    const Log log;
    const Cache cache(options);
    for (const int kernel : {stored, fresh}) {
      if (!right(kernel, cache)) say(fmt::format("wrong result of kernel {}", kernel));
    }
    say(fmt::format("lines {}", log.lines.size()));
  };
  const auto afterwards = [](const CacheOptions& options, const Say& say) {
    say(std::string("first ") + kiln::faults::call_name(1));
    const Cache cache(options);
    for (const int kernel : {stored, fresh}) {
      if (!right(kernel, cache)) say(fmt::format("wrong result of kernel {} afterwards", kernel));
    }
    say(fmt::format("again {}", cache.stats().compiles));
  };
  const auto ended = prepared.run(1, kErrors[0], work, afterwards);
  CHECK(ended.status == 0);
  CHECK(ended.said == "lines 1\nfirst lstat\nagain 0\n");
}

TEST_CASE("looking after the cache while any one call on its files fails") {
  const Prepared prepared;
  const auto work = [](const CacheOptions& options, const Say& say) {
    const Log log;
    const Cache cache(options);
    const auto attempt = [&](const char* name, const std::function<void()>& action) {
      try {
        action();
      } catch (const kiln::Error& error) {
        say(fmt::format("{}: {}", name, error.what()));
        if (std::string_view(error.what()).find('/') == std::string_view::npos) say("wrong: an error says no path");
      }
    };
    attempt("list", [&] { (void)cache.list(); });
    attempt("verify", [&] { cache.verify(); });
    attempt("find", [&] { (void)cache.find("00"); });
    attempt("mend", [&] { cache.verify(true); });
    attempt("prune", [&] { cache.prune(50'000, std::chrono::hours(20)); });
    attempt("clear", [&] { cache.clear(); });
  };
  const auto afterwards = [](const CacheOptions& options, const Say& say) {
    say(fmt::format("calls {}", kiln::faults::calls()));
    const Log log;
    const Cache cache(options);
    for (const int kernel : {stored, damaged, shipped, fresh}) {
      if (!right(kernel, cache)) say(fmt::format("wrong result of kernel {} afterwards", kernel));
    }
    cache.verify(true);
    for (const auto& fault : cache.verify().faults) say("wrong: left over: " + fault.path + ": " + fault.reason);
    cache.clear();
    for (const kiln::cache::Entry& entry : cache.list()) {
      if (entry.tier == options.directory) say("wrong: clear() left " + entry.id);
    }
  };
  const Clean clean = run_clean(prepared, work, afterwards);
  CAPTURE(clean.ended.said);
  REQUIRE(clean.ended.status == 0);
  REQUIRE(clean.ended.said.find("wrong") == std::string::npos);
  with_each_fault(prepared, clean, work, afterwards, [](const Call&, const Fault& fault, const std::string& said) {
    if (fault.code == EINTR) CHECK(said.find("Interrupted") == std::string::npos);
  });
}

TEST_CASE("mending removes nothing that could not be read, and says so") {
  constexpr Fault kPassing[] = {{"EIO", EIO, Kind::error},
                                {"EMFILE", EMFILE, Kind::error},
                                {"ENOMEM", ENOMEM, Kind::error},
                                {"ESTALE from there on", ESTALE, Kind::error_onward}};
  const Prepared prepared;
  const auto work = [](const CacheOptions& options, const Say& say) {
    try {
      for (const auto& fault : Cache(options).verify(true).faults) {
        if (fault.reason.starts_with("cannot ")) say(fault.mended ? "wrong: mended" : "unread " + fault.reason);
      }
    } catch (const kiln::Error&) {  // a folder that cannot be read
    }
  };
  const auto afterwards = [](const CacheOptions& options, const Say& say) {
    if (const std::size_t left = Cache(options).verify().entries; left != kFillers + 1) {
      say(fmt::format("wrong: {} sound entries are left", left));
    }
  };
  const Clean clean = run_clean(prepared, work, afterwards);
  CAPTURE(clean.ended.said);
  REQUIRE(clean.ended.status == 0);
  REQUIRE(clean.ended.said.empty());
  std::size_t unread = 0;
  for (std::size_t i = 0; i < clean.calls.size(); ++i) {
    const Call& call = clean.calls[i];
    const Fault& fault = kPassing[i % std::size(kPassing)];
    const auto ended = prepared.run(call.n, fault, work, afterwards);
    INFO("call " << call.n << ", " << call.name << ": " << fault.name);
    INFO(ended.said);
    CHECK(ended.status == 0);
    CHECK(ended.said.find("wrong") == std::string::npos);
    unread += ended.said.find("unread cannot ") != std::string::npos ? 1U : 0U;
  }
  CHECK(unread > 0);
}
