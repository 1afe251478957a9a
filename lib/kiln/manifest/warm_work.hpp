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
/// "native", and the GPUs of this process.
[[nodiscard]] std::vector<std::string> targets_here();

}  // namespace kiln::manifest
