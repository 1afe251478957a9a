// Measured launch shapes: the threads of a block and the elements that a thread loads at once. They apply to elementwise
// kernels, and to raw kernels by items, on a GPU. docs/tuning.md lists the candidates, and the cost model that chooses
// otherwise.
#pragma once

#include <span>

#include "kiln/arg.hpp"
#include "kiln/export.hpp"
#include "kiln/kernel.hpp"
#include "kiln/tune_report.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// Runs f(args…) once for its results, then its kernel several times with each possible launch shape. Results are the same with
/// each. .out is written as by a call. Each number of elements per thread takes a compile; docs/tuning.md has the duration of
/// the runs.
///
/// The best shape serves calls of a similar number of elements (between the same powers of four) in this process. It is stored
/// beside the kernel's entry in the cache, for others on this device with this driver.
///
/// Nothing is tried, and the report has the reason, for calls on a CPU, by tiles, in debug mode or in a graph's capture. The
/// same holds if an output is also an input.
///
/// Throws the exceptions of the call. Thread-safe. One kernel is measured at a time; other work of the device disturbs its
/// times.
KILN_API TuneReport tune(const Ufunc& f, std::span<const Arg> args, const CallOptions& options = {});
/// Tunes the block size of a raw kernel with .size. Arrays that it may write are copied before each run, so that every run sees
/// the original contents. They must be contiguous, and share no memory with other arguments.
KILN_API TuneReport tune(const RawKernel& kernel, const LaunchOptions& options, std::span<const Arg> args);

}  // namespace kiln
