// A program of one file over a real MPI: what kiln/mpi.hpp promises, one mode a run. Compiled by MPI's own flags, as a user's
// is.
#include <kiln/math.hpp>
#include <kiln/mpi.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "manifests.hpp"

namespace {

using kiln::Communicator;
using kiln::RankError;
using Clock = std::chrono::steady_clock;

int own_rank = 0;
int ranks = 1;

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("wrong: " + what);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

kiln::Cache cache_in(const std::string& folder) {
  return kiln::Cache(kiln::CacheOptions{.directory = folder + "/rank" + std::to_string(own_rank)});
}

/// Bytes of that many, other ones for each rank.
std::string bytes_of(int rank, std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(i * 31 + static_cast<std::size_t>(rank) * 7 + i / 251);
  return bytes;
}

/// Messages of any sizes come as they were sent, also where a message holds few bytes.
void messages(const std::string&) {
  for (const std::size_t largest : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{1} << 30}) {
    const Communicator all = kiln::mpi::communicator(MPI_COMM_WORLD, largest);
    require(all.rank == own_rank && all.size == ranks, "the communicator's rank and size");
    for (const std::size_t unit : {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{3001}}) {
      if (largest == 1 && unit > 10) continue;
      // Rank 0 has none.
      const auto size_of = [&](int rank) { return static_cast<std::size_t>(rank) * unit; };
      const auto gathered = all.allgather(bytes_of(own_rank, size_of(own_rank)), in(60));
      require(gathered.size() == static_cast<std::size_t>(ranks), "one message of each rank");
      for (int rank = 0; rank < ranks; ++rank) {
        require(gathered[static_cast<std::size_t>(rank)] == bytes_of(rank, size_of(rank)), "gathered bytes");
      }
      const int root = ranks - 1;
      require(all.broadcast(own_rank == root ? bytes_of(root, unit) : "ignored", root, in(60)) == bytes_of(root, unit),
              "broadcast bytes");
    }
  }
}

/// Each kernel is compiled once in all, with a cache of its own for each rank, and all ranks have all.
void warm(const std::string& folder) {
  constexpr int kKernels = 6;
  const Communicator all = kiln::mpi::communicator(MPI_COMM_WORLD);
  const kiln::Manifest manifest = kiln::test::manifest_of_kernels(kKernels);
  const kiln::Cache cache = cache_in(folder);
  const kiln::WarmReport report = kiln::warm(all, manifest, {.targets = {"native"}, .cache = cache});
  unsigned long long compiles = cache.stats().compiles;
  MPI_Allreduce(MPI_IN_PLACE, &compiles, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  require(compiles == report.kernels && report.compiled.size() == report.kernels, "each is compiled once");
  require(kiln::test::all_are_there(kKernels, cache_in(folder)), "all are there");
  const kiln::WarmReport again = kiln::warm(all, manifest, {.targets = {"native"}, .cache = cache});
  require(again.compiled.empty() && again.found == report.kernels && again.bytes == 0, "nothing is left to do");
  if (own_rank == 0) std::printf("%s\n", to_string(report).c_str());
}

/// A sum has the bits of one rank's, whatever the number of ranks.
void sum(const std::string&) {
  constexpr std::int64_t kCount = 1'000'003;
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i * 7919 % 10'007 + 1);
  const kiln::Array x = kiln::Array::view(values);
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return kiln::partial(kiln::math::add, x[{kiln::Slice{begin, end}}], {.global_offset = begin, .global_size = kCount});
  };
  // Of a few bytes at once, too.
  for (const std::size_t largest : {std::size_t{1} << 30, std::size_t{11}}) {
    const Communicator all = kiln::mpi::communicator(MPI_COMM_WORLD, largest);
    const float found = kiln::allreduce(all, [&] { return part(kCount * own_rank / ranks, kCount * (own_rank + 1) / ranks); })
                            .finish()
                            .item<float>();
    require(found == part(0, kCount).finish().item<float>(), "the sum of all ranks");
    const std::optional<kiln::Partial> on_last =
        kiln::reduce(all, ranks - 1, [&] { return part(kCount * own_rank / ranks, kCount * (own_rank + 1) / ranks); });
    require(on_last.has_value() == (own_rank == ranks - 1), "who has the sum");
    require(!on_last || on_last->finish().item<float>() == found, "the sum on one rank");
  }
  const Communicator all = kiln::mpi::communicator(MPI_COMM_WORLD);
  const kiln::Slice own{kCount * own_rank / ranks, kCount * (own_rank + 1) / ranks};
  const kiln::Array running =
      kiln::accumulate(all, kiln::math::add, x[own], {.global_offset = *own.start, .global_size = kCount});
  require(running.to_vector<float>() == kiln::accumulate_part(kiln::math::add, x, kiln::Partial())[own].to_vector<float>(),
          "the running sums of all ranks");
}

/// Runs `work`, which must throw on this rank within the time.
RankError error_of(double most_seconds, const std::function<void()>& work) {
  const auto start = Clock::now();
  try {
    work();
  } catch (const RankError& error) {
    require(Clock::now() - start < std::chrono::duration<double>(most_seconds), "the error came too late");
    return error;
  }
  throw std::runtime_error("wrong: no error");
}

void mismatch(const std::string&) {
  const int odd = ranks - 1;
  const Communicator all = kiln::mpi::communicator(MPI_COMM_WORLD);
  const RankError error = error_of(60, [&] {
    static_cast<void>(kiln::warm(all, kiln::test::manifest_of_kernels(own_rank == odd ? 2 : 1), {.targets = {"native"}}));
  });
  require(error.rank() == odd && contains(error.what(), "calls do not match: its manifest has the hash"), error.what());
  const RankError of_kind = error_of(60, [&] {
    own_rank == odd ? static_cast<void>(all.broadcast("", 0, in(60))) : static_cast<void>(all.allgather("", in(60)));
  });
  require(of_kind.rank() == odd, of_kind.what());
  require(contains(of_kind.what(), "calls do not match: rank " + std::to_string(odd) +
                                       " makes a broadcast from rank 0, and rank 0 an allgather"),
          of_kind.what());
}

/// One rank does not come: before the first call, or after it.
void absent(const std::string&) {
  for (const int missing : {ranks - 1, 0}) {
    for (const bool first : {true, false}) {
      const Communicator all = kiln::mpi::communicator(MPI_COMM_WORLD);
      if (!first) static_cast<void>(all.allgather("", in(60)));
      if (own_rank == missing) {
        std::this_thread::sleep_for(std::chrono::seconds(6));
      } else {
        // Ranks come at several times.
        std::this_thread::sleep_for(std::chrono::milliseconds(200 * own_rank));
        const RankError error = error_of(6, [&] {
          static_cast<void>(
              kiln::warm(all, kiln::test::manifest_of_kernels(1), {.targets = {"native"}, .timeout = std::chrono::seconds(1)}));
        });
        require(error.rank() == missing, "the missing rank is " + std::to_string(missing) + ": " + error.what());
        require(contains(error.what(), "rank " + std::to_string(missing) + " of " + std::to_string(ranks) +
                                           " did not come within the time limit"),
                error.what());
        require(contains(error_of(1, [&] { static_cast<void>(all.allgather("", in(60))); }).what(), "an earlier call"),
                "it is unusable");
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

/// A rank's own error, between two calls of kiln.
void throws(const std::string& folder) {
  if (own_rank == 1) throw std::runtime_error("an error of its own");
  const RankError error = error_of(10, [&] {
    static_cast<void>(kiln::warm(kiln::mpi::communicator(MPI_COMM_WORLD), kiln::test::manifest_of_kernels(1),
                                 {.targets = {"native"}, .timeout = std::chrono::seconds(2), .cache = cache_in(folder)}));
  });
  require(error.rank() == 1, error.what());
}

/// Rank 1 is killed at a step: MPI's launcher ends the others, as it does for any program.
void killed(const std::string& folder) {
  const char* const step = std::getenv("KILN_TEST_STEP");
  Communicator all = kiln::mpi::communicator(MPI_COMM_WORLD);
  const auto gather = all.allgather;
  int calls = 0;
  all.allgather = [&](const std::string& bytes, Communicator::Deadline deadline) {
    if (own_rank == 1 && step != nullptr && calls++ == std::atoi(step)) ::raise(SIGKILL);
    return gather(bytes, deadline);
  };
  static_cast<void>(kiln::warm(all, kiln::test::manifest_of_kernels(2),
                               {.targets = {"native"}, .timeout = std::chrono::seconds(20), .cache = cache_in(folder)}));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::map<std::string, void (*)(const std::string&)> modes{
      {"messages", messages}, {"warm", warm},     {"sum", sum},      {"mismatch", mismatch},
      {"absent", absent},     {"throws", throws}, {"killed", killed}};
  int status = 0;
  try {
    modes.at(argc > 1 ? argv[1] : "")(argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", own_rank, error.what());
    status = std::string(error.what()) == "an error of its own" ? 0 : 1;
  }
  MPI_Finalize();
  return status;
}
