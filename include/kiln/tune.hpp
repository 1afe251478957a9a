// Launch shapes that are measured: how many threads a block has and how many elements a thread loads at once, for elementwise
// kernels and raw kernels by items on a GPU. docs/tuning.md says what is tried, and what the cost model chooses otherwise.
#pragma once

#include <span>

#include "kiln/arg.hpp"
#include "kiln/export.hpp"
#include "kiln/kernel.hpp"
#include "kiln/tune_report.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// Runs f(args…) once for its results, and its kernel some times over with each launch shape that there is. The best is used by
/// calls of about as many elements (between the same powers of four) in this process, and kept beside the kernel's entry in the
/// cache for others on this device with this driver. Results are the same with each. Takes about 50 ms of the device's time,
/// and a compile for each number of elements a thread; .out is written as by a call. Tries nothing, and says why, for calls on
/// a CPU, by tiles, of debug mode, in a graph's capture, and where an output is also an input. Throws what the call would.
/// Thread-safe; one kernel is measured at a time, and other work of the device disturbs its times.
KILN_API TuneReport tune(const Ufunc& f, std::span<const Arg> args, const CallOptions& options = {});
/// The same for a raw kernel with .size: block sizes. Arrays that it may write are copied before each run, so that all runs see
/// what the launch sees; they have to be contiguous and share no memory with other arguments.
KILN_API TuneReport tune(const RawKernel& kernel, const LaunchOptions& options, std::span<const Arg> args);

}  // namespace kiln
