// kiln::warm over ranks that are threads, and over ranks that are processes and die.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <map>
#include <set>

#include "kiln/compilers.hpp"
#include "local_ranks.hpp"
#include "manifests.hpp"
#include "unit/base/temporary_directory.hpp"

using namespace kiln;
using kiln::test::all_are_there;
using kiln::test::Ended;
using kiln::test::manifest_of_kernels;
using kiln::test::ProcessRanks;
using kiln::test::Say;
using kiln::test::TemporaryDirectory;
using kiln::test::ThreadRanks;

namespace {

Cache cache_of(const TemporaryDirectory& folder, int rank) {
  return Cache(CacheOptions{.directory = folder / ("rank" + std::to_string(rank))});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The number of kernels of a manifest, found by compiling nothing.
std::size_t kernels_of(const Manifest& manifest) {
  std::set<std::string> keys;
  for (const ManifestKernel& kernel : manifest.kernels("native")) keys.insert(kernel.key);
  return keys.size();
}

}  // namespace

TEST_CASE("warm: each kernel is compiled once among all ranks, and all have all") {
  for (const int size : {1, 2, 5}) {
    CAPTURE(size);
    constexpr int kKernels = 4;
    const TemporaryDirectory folder;
    const Manifest manifest = manifest_of_kernels(kKernels);
    std::vector<WarmReport> reports(static_cast<std::size_t>(size));
    std::vector<std::uint64_t> compiles(reports.size());
    const auto errors = ThreadRanks(size).run([&](const Communicator& ranks) {
      const auto own = static_cast<std::size_t>(ranks.rank);
      const Cache cache = cache_of(folder, ranks.rank);
      reports[own] = warm(ranks, manifest, {.targets = {"native"}, .cache = cache});
      compiles[own] = cache.stats().compiles;
    });
    for (const std::string& error : errors) CHECK(error.empty());
    const std::size_t expected = kernels_of(manifest);
    std::uint64_t total = 0;
    for (const std::uint64_t each : compiles) total += each;
    CHECK(total == expected);
    for (int rank = 0; rank < size; ++rank) {
      const WarmReport& report = reports[static_cast<std::size_t>(rank)];
      CHECK(report.kernels == expected);
      CHECK(report.compiled.size() == expected);
      CHECK(report.found == 0);
      CHECK(report.cpu_target == cpu_target());
      CHECK(report.ranks.size() == static_cast<std::size_t>(size));
      CHECK(report.ranks[static_cast<std::size_t>(rank)].compiled == compiles[static_cast<std::size_t>(rank)]);
      CHECK(report.ranks[static_cast<std::size_t>(rank)].kernels == expected);
      CHECK(cache_of(folder, rank).list().size() == expected);
      CHECK(cache_of(folder, rank).verify().faults.empty());
      CHECK(all_are_there(kKernels, cache_of(folder, rank)));
    }
    const std::string ranks = size == 1 ? "1 rank" : std::to_string(size) + " ranks";
    CHECK(contains(to_string(reports[0]), std::to_string(expected) + " kernels for " + ranks + ": "));
  }
}

TEST_CASE("warm: one kernel and one rank are said as one") {
  WarmReport report;
  report.kernels = 1;
  report.compiled.resize(1);
  report.ranks.resize(1);
  report.ranks[0].compiled = 1;
  CHECK(contains(to_string(report), "1 kernel for 1 rank: 1 compiled by 1 rank, 0 found"));
  report.ranks.resize(2);
  CHECK(contains(to_string(report), "1 kernel for 2 ranks: 1 compiled by 1 rank, "));
}

TEST_CASE("warm: what one rank's cache has is sent, and not compiled") {
  constexpr int kKernels = 3;
  const TemporaryDirectory folder;
  const Manifest manifest = manifest_of_kernels(kKernels);
  CHECK(manifest.compile({"native"}, {.cache = cache_of(folder, 2)}).failed == 0);
  std::vector<WarmReport> reports(4);
  const auto errors = ThreadRanks(4).run([&](const Communicator& ranks) {
    reports[static_cast<std::size_t>(ranks.rank)] =
        warm(ranks, manifest, {.targets = {"native"}, .cache = cache_of(folder, ranks.rank)});
  });
  for (const std::string& error : errors) CHECK(error.empty());
  CHECK(reports[0].found == kernels_of(manifest));
  CHECK(reports[0].compiled.empty());
  CHECK(reports[3].ranks[2].found == kernels_of(manifest));
  for (int rank = 0; rank < 4; ++rank) CHECK(all_are_there(kKernels, cache_of(folder, rank)));
}

TEST_CASE("warm: caches in memory alone, and one directory for all") {
  constexpr int kKernels = 3;
  const TemporaryDirectory folder;
  const Manifest manifest = manifest_of_kernels(kKernels);
  const Cache shared = cache_of(folder, 0);
  for (const bool in_memory : {true, false}) {
    CAPTURE(in_memory);
    std::vector<Cache> caches;
    for (int i = 0; i < 3; ++i)
      caches.push_back(in_memory ? Cache(CacheOptions{}) : Cache(CacheOptions{.directory = shared.directory()}));
    const auto errors = ThreadRanks(3).run([&](const Communicator& ranks) {
      const Cache& cache = caches[static_cast<std::size_t>(ranks.rank)];
      static_cast<void>(warm(ranks, manifest, {.targets = {"native"}, .cache = cache}));
      const std::uint64_t before = cache.stats().compiles;
      for (int i = 0; i < kKernels; ++i) {
        const Ufunc kernel = vectorize({.name = "of_ranks_" + std::to_string(i),
                                        .signatures = {"float64(float64 a)"},
                                        .expression = "3 * a + " + std::to_string(i),
                                        .compile = {.cache = cache}});
        if (kernel(to_device(Array::full({5}, 2.0), Device::cpu())).to_vector<double>() != std::vector<double>(5, 6.0 + i)) {
          throw std::runtime_error("wrong");
        }
      }
      if (cache.stats().compiles != before) throw std::runtime_error("compiled again");
    });
    for (const std::string& error : errors) CHECK(error == "");
  }
}

TEST_CASE("warm: ranks that share a directory send nothing to each other, and to others what they lack") {
  constexpr int kKernels = 3;
  const TemporaryDirectory folder;
  const Manifest manifest = manifest_of_kernels(kKernels);
  for (const bool one_apart : {false, true}) {
    const auto cache_for = [&](int rank) {
      return Cache(CacheOptions{.directory = folder / (one_apart && rank == 2 ? "apart" : one_apart ? "two" : "all")});
    };
    std::vector<WarmReport> reports(3);
    const auto errors = ThreadRanks(3).run([&](const Communicator& ranks) {
      const Cache cache = cache_for(ranks.rank);
      reports[static_cast<std::size_t>(ranks.rank)] = warm(ranks, manifest, {.targets = {"native"}, .cache = cache});
    });
    for (const std::string& error : errors) CHECK(error == "");
    CHECK((reports[0].bytes > 0) == one_apart);
    CHECK(reports[0].compiled.size() == kernels_of(manifest));
    for (int rank = 0; rank < 3; ++rank) CHECK(all_are_there(kKernels, cache_for(rank)));
  }
}

TEST_CASE("warm: functions instead of a manifest") {
  const TemporaryDirectory folder;
  const auto errors = ThreadRanks(2).run([&](const Communicator& ranks) {
    const std::vector<AnyFunction> functions{
        vectorize({.name = "twice", .signatures = {"T(T a) where T: float32, float64"}, .expression = "2 * a"}),
        reduction({.name = "total", .signatures = {"float64(float64 x)"}, .reduce = "return a + b;", .identity = "0"})};
    const WarmReport report = warm(ranks, functions, {.targets = {"native"}, .cache = cache_of(folder, ranks.rank)});
    std::set<std::string> names;
    for (const WarmKernel& kernel : report.compiled) names.insert(kernel.kernel);
    if (names != std::set<std::string>{"twice", "total"}) throw std::runtime_error("other names");
  });
  for (const std::string& error : errors) CHECK(error == "");
  CHECK_THROWS_WITH_AS(static_cast<void>(manifest_of({vectorize({.name = "f", .signatures = {"T(T a)"}, .expression = "a"})})),
                       doctest::Contains("functions: /kernels/0"), CacheError);
}

TEST_CASE("warm: ranks without kernels, and more ranks than kernels") {
  const TemporaryDirectory folder;
  const Manifest none = Manifest::parse(R"({"kiln_manifest": 2, "kernels": []})");
  std::vector<WarmReport> reports(6);
  auto errors = ThreadRanks(6).run([&](const Communicator& ranks) {
    const Manifest manifest = ranks.rank % 2 == 0 ? none : manifest_of_kernels(1);
    reports[static_cast<std::size_t>(ranks.rank)] =
        warm(ranks, manifest, {.targets = {"native"}, .cache = cache_of(folder, ranks.rank)});
  });
  for (const std::string& error : errors) CHECK(error == "");
  for (int rank = 0; rank < 6; ++rank) {
    CHECK(reports[static_cast<std::size_t>(rank)].kernels == kernels_of(manifest_of_kernels(1)));
    CHECK(cache_of(folder, rank).list().size() == (rank % 2 == 0 ? 0 : kernels_of(manifest_of_kernels(1))));
    CHECK((reports[0].ranks[static_cast<std::size_t>(rank)].compiled == 0 || rank % 2 == 1));
  }
  errors = ThreadRanks(3).run([&](const Communicator& ranks) {
    if (warm(ranks, none, {.targets = {"native"}}).kernels != 0) throw std::runtime_error("kernels of nothing");
  });
  for (const std::string& error : errors) CHECK(error == "");
}

TEST_CASE("warm: calls that do not match are an error of every rank, which names the one that differs") {
  const auto fails = [](const std::string& expected, const std::function<void(const Communicator&)>& work) {
    for (const std::string& error : ThreadRanks(4).run(work)) CHECK(contains(error, expected));
  };
  const Manifest two = manifest_of_kernels(2);
  const auto targets = [](const Communicator& ranks) -> std::vector<std::string> {
    return {ranks.rank == 2 ? "sm_90" : "native"};
  };
  fails("kiln::warm: rank 2 of 4: calls do not match: its .targets are sm_90, and of rank 0 native",
        [&](const Communicator& ranks) { static_cast<void>(warm(ranks, two, {.targets = targets(ranks)})); });
  fails("kiln::warm: rank 3 of 4: calls do not match: its manifest has the hash ", [&](const Communicator& ranks) {
    static_cast<void>(warm(ranks, manifest_of_kernels(ranks.rank == 3 ? 3 : 2), {.targets = {"native"}}));
  });
  fails("rank 1 of 4: calls do not match: its .timeout is 1000 ms, and of rank 0 2000 ms", [&](const Communicator& ranks) {
    static_cast<void>(warm(ranks, two, {.targets = {"native"}, .timeout = std::chrono::seconds(ranks.rank == 1 ? 1 : 2)}));
  });
  fails("rank 1 of 4: calls do not match: its .other_sizes is false, and of rank 0 true", [&](const Communicator& ranks) {
    static_cast<void>(warm(ranks, two, {.targets = {"native"}, .other_sizes = ranks.rank != 1}));
  });
  fails("rank 1 of 4: calls do not match: it called kiln::other", [&](const Communicator& ranks) {
    if (ranks.rank != 1) return static_cast<void>(warm(ranks, two, {.targets = {"native"}}));
    static_cast<void>(ranks.allgather("kiln::other\n", std::chrono::steady_clock::now() + std::chrono::seconds(60)));
    throw std::runtime_error("rank 1 of 4: calls do not match: it called kiln::other");
  });
  fails("rank 0 of 4: its message is damaged", [&](const Communicator& ranks) {
    if (ranks.rank != 0) return static_cast<void>(warm(ranks, two, {.targets = {"native"}}));
    static_cast<void>(ranks.allgather("MPI", std::chrono::steady_clock::now() + std::chrono::seconds(60)));
    throw std::runtime_error("rank 0 of 4: its message is damaged");
  });
  const Communicator wrong{.rank = 4, .size = 4, .allgather = {}, .broadcast = {}};
  CHECK_THROWS_WITH_AS(static_cast<void>(warm(wrong, two)), doctest::Contains("rank 4 is none of the 4 ranks"), TypeError);
}

TEST_CASE("warm: a kernel that does not compile, an unknown target and a refused cache are errors of every rank") {
  const TemporaryDirectory folder;
  const Manifest bad = Manifest::parse(R"({"kiln_manifest": 2, "kernels": [{"kernel": "float64 wrong(float64 a) = b"}]})");
  for (const std::string& error : ThreadRanks(3).run([&](const Communicator& ranks) {
         static_cast<void>(warm(ranks, bad, {.targets = {"native"}, .cache = cache_of(folder, ranks.rank)}));
       })) {
    CHECK(contains(error, "kiln::warm: rank "));
    CHECK(contains(error, "undeclared identifier 'b'"));
  }
  for (const std::string& error : ThreadRanks(3).run([&](const Communicator& ranks) {
         static_cast<void>(warm(ranks, manifest_of_kernels(1), {.targets = {"sm_7"}, .cache = cache_of(folder, ranks.rank)}));
       })) {
    CHECK(contains(error, "kiln::warm: rank 0 of 3: "));
    CHECK(contains(error, "sm_7"));
    CHECK(contains(error, "and so did ranks 1, 2"));
  }
  // Whoever compiles fails to store, whoever receives to import.
  test::write_text(folder / "file", "no directory");
  for (int broken = 0; broken < 3; ++broken) {
    for (const std::string& error : ThreadRanks(3).run([&](const Communicator& ranks) {
           const Cache cache =
               ranks.rank == broken
                   ? Cache(CacheOptions{.directory = folder / "file"})
                   : Cache(CacheOptions{.directory = folder / (std::to_string(broken) + "of" + std::to_string(ranks.rank))});
           static_cast<void>(warm(ranks, manifest_of_kernels(3), {.targets = {"native"}, .cache = cache}));
         })) {
      CHECK(contains(error, "kiln::warm: rank " + std::to_string(broken) + " of 3: "));
      CHECK(contains(error, "directory"));
    }
  }
}

TEST_CASE("warm: a rank that does not come is an error of the others within the time limit") {
  const auto start = std::chrono::steady_clock::now();
  const auto errors = ThreadRanks(3).run([&](const Communicator& ranks) {
    if (ranks.rank == 1) throw std::runtime_error("an error of its own");
    static_cast<void>(warm(ranks, manifest_of_kernels(1), {.targets = {"native"}, .timeout = std::chrono::milliseconds(300)}));
  });
  CHECK(errors == std::vector<std::string>{"rank 1 did not come", "an error of its own", "rank 1 did not come"});
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("warm: compiles end with the time limit, and say how far they came") {
  const TemporaryDirectory folder;
  const auto errors = ThreadRanks(2).run([&](const Communicator& ranks) {
    static_cast<void>(
        warm(ranks, manifest_of_kernels(200),
             {.targets = {"native"}, .timeout = std::chrono::milliseconds(1500), .cache = cache_of(folder, ranks.rank)}));
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK((contains(error, "the time limit") || contains(error, "did not come")));
  }
}

TEST_CASE("warm: nodes of two kinds get kernels for the least of their CPUs") {
  const std::string own = cpu_target();
  if (own.find("x86-64") == std::string::npos || own == "x86-64") return;
  CHECK(common_cpu_target({own, own}) == own);
  CHECK(common_cpu_target({own, "x86-64"}) == "x86-64");
  CHECK(common_cpu_target({"x86-64-v3", "x86-64-v2", "x86-64-v4"}) == "x86-64-v2");
  CHECK_THROWS_WITH_AS(static_cast<void>(common_cpu_target({own, "m68k"})), doctest::Contains("one of them is no target"),
                       DeviceError);
  CHECK_THROWS_AS(static_cast<void>(common_cpu_target({})), DeviceError);
  // Processes, as the target is the process's.
  constexpr int kKernels = 2;
  const TemporaryDirectory folder;
  ProcessRanks ranks(3, [&](const Communicator& communicator, const Say& say) {
    if (communicator.rank == 1) set_cpu_target("x86-64");
    const Cache cache = cache_of(folder, communicator.rank);
    const WarmReport report = warm(communicator, manifest_of_kernels(kKernels), {.targets = {"native"}, .cache = cache});
    say(report.cpu_target + " " + cpu_target() + " " + std::to_string(report.compiled.size()));
    const Cache again = cache_of(folder, communicator.rank);
    if (!all_are_there(kKernels, again)) say("not all are there");
  });
  std::set<std::string> keys;
  for (const ManifestKernel& kernel : manifest_of_kernels(kKernels).kernels("x86-64")) keys.insert(kernel.key);
  for (const Ended& ended : ranks.serve()) {
    CHECK(ended.status == 0);
    CHECK(ended.said == "x86-64 x86-64 " + std::to_string(keys.size()) + "\n");
  }
}

TEST_CASE("warm: a rank that is killed at any step is an error of the others") {
  constexpr int kSize = 3;
  for (int victim = 0; victim < kSize; ++victim) {
    for (int step = 0; step < 10; ++step) {
      CAPTURE(victim);
      CAPTURE(step);
      const TemporaryDirectory folder;
      ProcessRanks ranks(kSize, [&](const Communicator& communicator, const Say& say) {
        Communicator own = communicator;
        int calls = 0;
        own.allgather = [&](const std::string& bytes, Communicator::Deadline deadline) {
          if (own.rank == victim && calls++ == step / 2 && step % 2 == 0) ::raise(SIGKILL);
          auto all = communicator.allgather(bytes, deadline);
          if (own.rank == victim && calls - 1 == step / 2 && step % 2 != 0) ::raise(SIGKILL);
          return all;
        };
        try {
          say(std::to_string(
              warm(own, manifest_of_kernels(2), {.targets = {"native"}, .cache = cache_of(folder, own.rank)}).kernels > 0));
        } catch (const RankError& error) {
          say("rank " + std::to_string(error.rank()));
        }
      });
      const std::vector<Ended> ended = ranks.serve();
      for (int rank = 0; rank < kSize; ++rank) {
        const Ended& one = ended[static_cast<std::size_t>(rank)];
        CHECK(one.status == (rank == victim ? 128 + SIGKILL : 0));
        // Behind the last exchange all others have all.
        if (rank != victim) CHECK(one.said == (step == 9 ? "1\n" : "rank " + std::to_string(victim) + "\n"));
      }
      // What the others stored is sound.
      for (int rank = 0; rank < kSize; ++rank)
        CHECK(cache_of(folder, rank).verify(true).entries <= 2 * kernels_of(manifest_of_kernels(2)));
    }
  }
}

TEST_CASE("warm: a rank that is killed while it works is an error of the others") {
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    const TemporaryDirectory folder;
    ProcessRanks ranks(3, [&](const Communicator& communicator, const Say& say) {
      std::jthread killer;
      if (communicator.rank == round % 3) {
        killer = std::jthread([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20 + 60 * round));
          ::raise(SIGKILL);
        });
      }
      try {
        static_cast<void>(
            warm(communicator, manifest_of_kernels(8), {.targets = {"native"}, .cache = cache_of(folder, communicator.rank)}));
        say("done");
      } catch (const RankError& error) {
        say("rank " + std::to_string(error.rank()));
      }
    });
    const std::vector<Ended> ended = ranks.serve();
    for (int rank = 0; rank < 3; ++rank) {
      const std::string& said = ended[static_cast<std::size_t>(rank)].said;
      if (rank != round % 3) CHECK((said == "done\n" || said == "rank " + std::to_string(round % 3) + "\n"));
    }
  }
}

TEST_CASE("warm: a full disk of one rank is an error of every rank") {
  for (int broken = 0; broken < 3; ++broken) {
    CAPTURE(broken);
    const TemporaryDirectory folder;
    ProcessRanks ranks(3, [&](const Communicator& communicator, const Say& say) {
      const Cache cache = cache_of(folder, communicator.rank);
      if (communicator.rank == broken) {
        // The compiler works without files; entries are larger.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
      }
      try {
        static_cast<void>(warm(communicator, manifest_of_kernels(3), {.targets = {"native"}, .cache = cache}));
        say("done");
      } catch (const RankError& error) {
        say(std::to_string(error.rank()) + " " + error.what());
      }
    });
    for (const Ended& ended : ranks.serve()) {
      CHECK(ended.said.starts_with(std::to_string(broken) + " kiln::warm: rank " + std::to_string(broken) + " of 3: "));
      CHECK(contains(ended.said, "File too large"));
    }
  }
}
