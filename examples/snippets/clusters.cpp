// Snippets of docs/clusters.md.
#if __has_include(<mpi.h>)
// snippet: warm
#include <kiln/mpi.hpp>

// end
#include <cstdio>
#include <fstream>
#include <iostream>
#include <kiln/kiln.hpp>

int main(int argc, char** argv) {
  std::ofstream("kernels.json") << R"({"kiln_manifest": 2, "kernels": [{"kernel": "float32 half(float32 a) = a / 2"}]})";
  // snippet: warm
  MPI_Init(&argc, &argv);
  const kiln::Communicator ranks = kiln::mpi::communicator(MPI_COMM_WORLD);
  const kiln::WarmReport report = kiln::warm(ranks, kiln::Manifest::read("kernels.json"), {.timeout = std::chrono::minutes(5)});
  if (ranks.rank == 0) std::puts(to_string(report).c_str());
  // end

  const std::int64_t first = 0, n = 4;
  const kiln::Array x = kiln::arange(4.0);
  // snippet: sum
  const kiln::Partial whole = kiln::allreduce(ranks, [&] {
    return kiln::partial(kiln::math::add, x, {.global_offset = first, .global_size = n});  // x: this rank's elements
  });
  const double sum = whole.finish().item<double>();  // on every rank
  // end
  // snippet: running
  const kiln::Array running = kiln::accumulate(ranks, kiln::math::add, x, {.global_offset = first, .global_size = n});
  // end
  MPI_Finalize();
  return sum == 6 && running.to_vector<double>().back() == 6 ? 0 : 1;
}
#else
#include <iostream>

int main() {
  std::cerr << "MPI is not there\n";
  return 77;
}
#endif
