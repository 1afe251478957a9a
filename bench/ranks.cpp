// What kiln::warm takes among the ranks of MPI, with cold caches: one empty directory for all of a machine, or one for each
// rank. A line for each round has ranks, kernels, seconds of the slowest rank, and megabytes that are sent.
//   mpirun -n 64 ranks one|each [KERNELS] [ROUNDS]
// What a sum of float32 over all ranks takes, in parts and by kiln::allreduce: milliseconds of the slowest rank.
//   mpirun -n 4 ranks sum [ELEMENTS] [ROUNDS]
#include <kiln/array.hpp>
#include <kiln/cache.hpp>
#include <kiln/math.hpp>
#include <kiln/mpi.hpp>
#include <kiln/partial.hpp>
#include <kiln/ufunc.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double largest_of(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

/// Kernels of ordinary length, each another one.
kiln::Manifest manifest_of(int kernels) {
  std::string text = R"({"kiln_manifest": 2, "kernels": [)";
  for (int i = 0; i < kernels; ++i) {
    const std::string number = std::to_string(i);
    text += (i == 0 ? "" : ", ") + (R"({"kernel": "float64 price_)" + number) +
            "(float64 spot, float64 strike, float64 years) { const float64 d = (log(spot / strike) + " + number +
            ".5 * years) / sqrt(years); return spot * exp(-d * d) - strike * exp(d) + " + number + R"(;}"})";
  }
  return kiln::Manifest::parse(text + "]}");
}

void run(int argc, char** argv) {
  const bool each = argc > 1 && std::string(argv[1]) == "each";
  const int kernels = argc > 2 ? std::atoi(argv[2]) : 50;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 3;
  const kiln::Communicator ranks = kiln::mpi::communicator(MPI_COMM_WORLD);
  const kiln::Manifest manifest = manifest_of(kernels);
  const std::string job = ranks.broadcast(std::to_string(::getpid()), 0, Clock::now() + std::chrono::minutes(1));
  const std::string folder = std::filesystem::temp_directory_path().string() + "/kiln-bench-ranks-" + job + "-" +
                             std::to_string(each ? ranks.rank : 0);
  for (int round = 0; round < rounds; ++round) {
    if (each || ranks.rank == 0) std::filesystem::remove_all(folder);
    const kiln::Cache cache(kiln::CacheOptions{.directory = folder});
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = Clock::now();
    const kiln::WarmReport report = kiln::warm(ranks, manifest, {.targets = {"native"}, .cache = cache, .other_sizes = false});
    const double seconds = largest_of(seconds_since(start));
    double compiling = 0;
    for (const kiln::WarmRank& rank : report.ranks) compiling = std::max(compiling, rank.compile_ms / 1e3);
    if (ranks.rank == 0) {
      std::printf("%d ranks, %zu kernels compiled: %.4f s, of which %.4f s compiling, %.2f MB\n", ranks.size,
                  report.compiled.size(), seconds, compiling, static_cast<double>(report.bytes) / 1e6);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (each || ranks.rank == 0) std::filesystem::remove_all(folder);
}

void run_sum(int argc, char** argv) {
  const std::int64_t elements = argc > 2 ? std::atoll(argv[2]) : 400'000'000;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
  const kiln::Communicator ranks = kiln::mpi::communicator(MPI_COMM_WORLD);
  const std::int64_t begin = elements * ranks.rank / ranks.size;
  const kiln::Array x = kiln::Array::full({elements * (ranks.rank + 1) / ranks.size - begin}, 0.1F);
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = Clock::now();
    const kiln::Partial whole = kiln::allreduce(
        ranks, [&] { return kiln::partial(kiln::math::add, x, {.global_offset = begin, .global_size = elements}); });
    const float sum = whole.finish().item<float>();
    const double seconds = largest_of(seconds_since(start));
    if (ranks.rank == 0) {
      std::printf("%d ranks, %lld elements: %.3f ms, %a\n", ranks.size, static_cast<long long>(elements), seconds * 1e3,
                  static_cast<double>(sum));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    argc > 1 && std::string(argv[1]) == "sum" ? run_sum(argc, argv) : run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
