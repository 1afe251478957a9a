// A disk that is full: a small tmpfs where this process may mount one, and a limit on the size of files everywhere.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "child.hpp"
#include "kernels.hpp"
#include "kiln/cache.hpp"
#include "not_run.hpp"
#include "unit/base/temporary_directory.hpp"

using kiln::Cache;
using kiln::CacheOptions;
using kiln::test::in_child;
using kiln::test::right;
using kiln::test::Say;
using kiln::test::TemporaryDirectory;

namespace {

constexpr int kKernels = 12;

struct Run {
  std::vector<std::string> lines;
  std::uint64_t compiles = 0;
};

// Calls every kernel with a cache of its own.
Run call_all(const std::string& directory, const Say& say) {
  Run run;
  kiln::cache::set_log([&](std::string_view line) { run.lines.emplace_back(line); });
  const Cache cache(CacheOptions{.directory = directory});
  for (int i = 0; i < kKernels; ++i) {
    if (!right(i, cache)) say(fmt::format("wrong result of kernel {}", i));
  }
  kiln::cache::set_log(nullptr);
  run.compiles = cache.stats().compiles;
  return run;
}

void expect(bool holds, std::string_view what, const Say& say) {
  if (!holds) say(fmt::format("wrong: {}", what));
}

void check_whole(const std::string& directory, const Say& say) {
  for (const auto& fault : Cache(CacheOptions{.directory = directory}).verify().faults) {
    say(fmt::format("wrong: left over: {}: {}", fault.path, fault.reason));
  }
}

// The next process to come: it has loaded no kernel yet.
void in_another(const Say& say, const std::function<void(const Say&)>& work) {
  const kiln::test::Ended ended = in_child(work);
  if (!ended.said.empty()) say(ended.said);
  if (ended.status != 0) say(fmt::format("wrong: status {}", ended.status));
}

bool says_once(const Run& run, const std::string& why) {
  return run.lines.size() == 1 && run.lines[0].starts_with("kernels are not stored in the cache: ") &&
         run.lines[0].find(why) != std::string::npos;
}

}  // namespace

TEST_CASE("a full disk costs one line, and what was stored before it was full stays") {
  const TemporaryDirectory folder;
  kiln::test::open_compiler();
  const auto ended = in_child([&](const Say& say) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=64k,mode=700") != 0) {
      return say("no mount");
    }
    const std::string directory = folder / "cache";
    std::size_t stored = 0;
    in_another(say, [&](const Say& inner) {
      const Run run = call_all(directory, inner);
      expect(run.compiles == kKernels, "each kernel was compiled once", inner);
      expect(says_once(run, "No space left on device"), fmt::format("{}", fmt::join(run.lines, "\n")), inner);
    });
    check_whole(directory, say);
    stored = Cache(CacheOptions{.directory = directory}).list().size();
    expect(stored > 0 && stored < kKernels, fmt::format("{} kernels were stored", stored), say);
    in_another(say, [&](const Say& inner) {
      const Run run = call_all(directory, inner);
      expect(run.compiles == kKernels - stored, fmt::format("{} compiles with {} stored", run.compiles, stored), inner);
      expect(run.lines.size() <= 1, fmt::format("{}", fmt::join(run.lines, "\n")), inner);
    });
    check_whole(directory, say);
    // Nothing but room was missing.
    if (::mount("none", folder.path().c_str(), nullptr, MS_REMOUNT, "size=4m,mode=700") != 0) return say("wrong: no remount");
    in_another(say, [&](const Say& inner) {
      const Run run = call_all(directory, inner);
      expect(run.lines.empty(), fmt::format("{}", fmt::join(run.lines, "\n")), inner);
    });
    in_another(say, [&](const Say& inner) {
      expect(call_all(directory, inner).compiles == 0, "with room everything is stored", inner);
    });
  });
  if (ended.said == "no mount\n") {
    ++kiln::test::cases_not_run()["tmpfs"];
    return;
  }
  CHECK(ended.said == "");
  CHECK(ended.status == 0);
}

TEST_CASE("a limit on the size of files costs one line") {
  const TemporaryDirectory folder;
  kiln::test::open_compiler();
  const auto ended = in_child([&](const Say& say) {
    // Not below what kernels are loaded from: memory files are limited too.
    ::signal(SIGXFSZ, SIG_IGN);
    const std::string directory = folder / "cache";
    in_another(say, [&](const Say& inner) { (void)call_all(directory, inner); });
    std::uintmax_t code = 0;
    std::uintmax_t file = 0;
    const Cache cache(CacheOptions{.directory = directory});
    for (const kiln::cache::Entry& entry : cache.list()) {
      code = std::max<std::uintmax_t>(code, entry.code_bytes);
      file = file == 0 ? entry.bytes : std::min<std::uintmax_t>(file, entry.bytes);
    }
    cache.clear();
    if (file <= code + 1000) return say("wrong: an entry is hardly larger than its code");
    // Halfway: the length of an entry varies with the digits of the time that it took.
    const rlimit limit{(code + file) / 2, (code + file) / 2};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return say("wrong: no limit");
    in_another(say, [&](const Say& inner) {
      const Run run = call_all(directory, inner);
      expect(says_once(run, "File too large"), fmt::format("{}", fmt::join(run.lines, "\n")), inner);
    });
    check_whole(directory, say);
    expect(cache.list().empty(), "nothing fits", say);
  });
  CHECK(ended.said == "");
  CHECK(ended.status == 0);
}
