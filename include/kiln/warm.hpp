// Compiled kernels for many processes at once: the ranks of a parallel program compile each kernel once in all, and give it to
// the others in messages. kiln/mpi.hpp does it over MPI; this header knows no way to send messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kiln/cache_handle.hpp"
#include "kiln/definition.hpp"
#include "kiln/error.hpp"
#include "kiln/export.hpp"
#include "kiln/manifest.hpp"

namespace kiln {

namespace detail {
class WarmingImpl;
}

/// Options of warm(). Members are to be named. `targets`, `timeout` and `other_sizes` must be the same on all ranks.
struct WarmOptions {
  /// Targets to compile for: "native", "sm_90". Empty: the CPU and the GPUs of each rank.
  ///
  /// "native" is the target that the CPUs of all ranks can run, so that nodes of several kinds have the same kernels. It
  /// becomes the process's set_cpu_target().
  std::vector<std::string> targets = {};
  std::chrono::milliseconds timeout = std::chrono::minutes(10);  ///< time limit of the whole call
  int jobs = 0;             ///< compiles at once on this rank; 0: its share of the CPUs that it may use
  Cache cache = {};         ///< cache that kernels are looked up in and stored to
  bool other_sizes = true;  ///< true: adds kernels for arrays of other sizes, as Manifest::compile() does
};

/// One kernel that was compiled by warm().
struct WarmKernel {
  std::string id;         ///< hash of the key: 32 hex digits
  std::string kernel;     ///< name of the kernel
  std::string target;     ///< target in short: "sm_90", "x86-64-v4"
  int rank = 0;           ///< rank that compiled it
  double compile_ms = 0;  ///< time of the compile
};

/// The part of one rank in warm().
struct WarmRank {
  std::size_t kernels = 0;   ///< kernels that the rank asked for
  std::size_t found = 0;     ///< kernels among these that its cache had
  std::size_t compiled = 0;  ///< kernels that it compiled
  int threads = 0;           ///< compiles at once; 0 for a rank that compiled nothing
  double compile_ms = 0;     ///< time of its compiles, from the first to the last
};

/// Result of warm(), the same on all ranks but for `seconds`.
struct WarmReport {
  std::string cpu_target;            ///< target of "native", as cpu_target() has it; empty if there was none
  std::size_t kernels = 0;           ///< different kernels of all ranks
  std::size_t found = 0;             ///< kernels among these that some rank's cache had
  std::vector<WarmKernel> compiled;  ///< the others, sorted by id
  std::vector<WarmRank> ranks;       ///< one for each rank
  std::uint64_t bytes = 0;           ///< bytes of kernels that were sent to every rank
  double seconds = 0;                ///< time of the call on this rank
};

/// Returns one line: "50 kernels for 64 ranks: 50 compiled by 2 ranks, 0 found, 1.2 MB sent, 3.1 s".
[[nodiscard]] KILN_API std::string to_string(const WarmReport& report);

/// Returns a manifest of functions, which may have type variables only where a restriction fixes their dtypes. Throws TypeError
/// by the rules of definition_text(), and CacheError, with the JSON path, for a type variable without a restriction.
[[nodiscard]] KILN_API Manifest manifest_of(const std::vector<AnyFunction>& functions);

/// One rank's part of warm(), without the messages: whoever can gather bytes of all ranks can run it.
///
///     kiln::Warming work(rank, size, manifest, options);
///     while (!work.done()) work.receive(allgather(work.message()));
///
/// An error of this rank becomes part of its next message, and an exception on every rank that receives it. A Warming belongs
/// to one thread at a time.
class KILN_API Warming {
 public:
  /// Begins. Throws TypeError for a rank that is not from 0 to size - 1. Nothing is compiled.
  Warming(int rank, int size, const Manifest& manifest, const WarmOptions& options);
  /// Returns true once all ranks are known to have all kernels.
  [[nodiscard]] bool done() const noexcept;
  /// Returns the bytes that every rank is to receive next, at most some MiB for each kernel.
  [[nodiscard]] const std::string& message() const noexcept;
  /// Takes the messages of all ranks, in the order of the ranks, and works until the next message. It takes as long as this
  /// rank's compiles. Throws RankError on all ranks, if
  /// - a rank failed: its kernels do not compile, its cache does not take kernels, it has no compiler, its time ran out;
  /// - a rank called another collective function of kiln's, or with other arguments;
  /// - a message is damaged.
  void receive(const std::vector<std::string>& messages);
  /// Returns the time at which the call's time limit ends.
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const noexcept;
  /// Returns the report. Throws TypeError before done().
  [[nodiscard]] const WarmReport& report() const;

 private:
  std::shared_ptr<detail::WarmingImpl> impl_;
};

}  // namespace kiln
