// What one rank knows and does in warm(): its processors, its compiles.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "program/job.hpp"
#include "program/program.hpp"

namespace kiln::manifest {

/// A kernel that this rank wants.
struct Wanted {
  program::Request request;
  program::Job job;
};

struct Compiled {
  const Wanted* kernel;
  program::Code code;
};

/// What became of compiles.
struct CompileResults {
  std::vector<Compiled> done;
  std::string error;  ///< of the first that failed
};

/// Compiles kernels on several threads until all are done, one fails, or the time is over.
[[nodiscard]] CompileResults compile_wanted(std::vector<const Wanted*> kernels, int threads,
                                            std::chrono::steady_clock::time_point end);

/// The processors that this process may use: one bit each.
[[nodiscard]] std::vector<std::uint8_t> usable_processors();
/// Which machine this is.
[[nodiscard]] base::Hash128 this_host();
/// All that decides the kernels of a manifest for targets, apart from the manifest and the agreed target of "native". `rank`
/// makes it unique where files of this machine decide, too.
[[nodiscard]] base::Hash128 environment_of(const std::string& manifest, const std::vector<std::string>& targets, int rank);
/// The directory that the cache stores in, which is made; unique to the rank where there is none. CacheError where it is
/// refused.
[[nodiscard]] base::Hash128 place_of(const Cache& cache, int rank);
/// "native", where this kiln has the CPU, and the GPUs of this process.
[[nodiscard]] std::vector<std::string> targets_here();

}  // namespace kiln::manifest
