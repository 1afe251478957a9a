// Profiles of calls: the kernels that ran, their devices, times and bytes, and the origins of the kernels. Records are
// available as values, through a callback, or as a trace for Perfetto and chrome://tracing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

namespace profiling {
class Collector;
}

/// Origin of a call's kernel.
enum class KernelOrigin : std::uint8_t {
  memory,     ///< already loaded
  disk,       ///< found in the cache's directory
  read_only,  ///< found in one of the read-only directories and bundles
  compiled,   ///< made by a compiler
};
/// Returns "memory", "disk", "read_only" or "compiled".
[[nodiscard]] KILN_API std::string_view name(KernelOrigin origin) noexcept;

/// A time span, in milliseconds.
struct TimeSpan {
  double start = 0;     ///< start, relative to the beginning of the profile
  double duration = 0;  ///< length
};

/// Durations of the stages in which Clang made a kernel, in milliseconds.
struct CompileStages {
  double front_end = 0;  ///< reading the texts, and translating them for LLVM
  double passes = 0;     ///< optimizing
  double code = 0;       ///< making machine code
  double link = 0;       ///< linking the machine code; 0 for NVIDIA's targets
  double load = 0;       ///< loading the machine code on the device
};

/// One call of a ufunc or of a method of it, a gufunc, a reduction, or a raw kernel. A record may also be a copy between the
/// host and a GPU, or on a GPU. The program requested such a copy, or a call made it for its host arrays.
struct CallRecord {
  std::string function;  ///< "add", "add.reduce"; name of a raw kernel; "to_device", "copy_to_host", "copy"
  std::string kind;      ///< kind of the kernel's definition: "ufunc", "gufunc", "reduction" or "kernel"; "copy"
  std::string kernel;    ///< id of the kernel in the cache, 32 hex digits (`kiln cache show ID`)
  std::string variant;   ///< variant among the loop's kernels: "contiguous", "reduce (block)"; may be empty
  KernelOrigin origin = KernelOrigin::memory;  ///< origin of the kernel
  /// Span of finding, compiling and loading the kernel; absent if this function had used it before.
  std::optional<TimeSpan> load = std::nullopt;
  /// Stages of the compile, which are parts of `load`; absent unless Clang compiled the kernel for this call.
  std::optional<CompileStages> stages = std::nullopt;
  Device device;             ///< device of the call
  std::uint64_t stream = 0;  ///< number of the stream, unique in the process; 0: the default stream
  std::int64_t thread = 0;   ///< system's number of the calling thread
  TimeSpan host;             ///< span from the call's beginning to its return
  /// Span on the device, from the beginning of the call's first launch to the end of its last. On the CPU it is the wall time
  /// of the work, queued work included. Absent if the device could not measure it.
  std::optional<TimeSpan> run = std::nullopt;
  std::int64_t launches = 0;       ///< number of kernel launches
  std::int64_t elements = 0;       ///< elements of the largest operand; 1 if all are scalars
  std::int64_t bytes_read = 0;     ///< bytes of the inputs, the mask and indices; repeated elements of a broadcast count once
  std::int64_t bytes_written = 0;  ///< bytes of the outputs; for a raw kernel, bytes of the arrays that are not const
  int depth = 0;                   ///< number of calls that enclose this one
  bool failed = false;             ///< true: the call threw
};

/// Options of profile(). Members are to be named.
struct ProfileOptions {
  bool all_threads = false;  ///< true: calls of every thread; false: calls of the thread that calls profile()
  /// Callback that receives each record once it is complete. If the work is done when a call returns, the calling thread runs
  /// it. Otherwise a thread runs it that makes a later call, or that calls records(), write_trace() or stop().
  ///
  /// With `all_threads` several threads may run it at once. Its own calls are not recorded; it must not use the Profile. An
  /// exception of it fails no call: the callback is not called again, and stop() rethrows the exception.
  std::function<void(const CallRecord&)> on_call = {};
  std::size_t limit = 1'000'000;  ///< maximum of stored records; later calls are only counted
  bool ranges = false;            ///< true: adds a range of NVTX and ROCTX for each call, if their libraries are available
};

/// Gathers records from profile() until stop() or its destruction. Move-only: a moved-from object may only be assigned to or
/// destroyed. Thread-safe, except for moves and the destructor.
class KILN_API Profile {
 public:
  Profile(Profile&& other) noexcept;
  Profile& operator=(Profile&& other) noexcept;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  /// Stops the profile, as stop() does, but does not throw.
  ~Profile();

  /// Returns the records in the order in which they ended: copies, and calls that asked for a kernel. Waits for the work that
  /// these calls queued. Calls with nothing to compute, and calls that were rejected earlier, have no record.
  [[nodiscard]] std::vector<CallRecord> records() const;
  /// Returns the number of calls beyond ProfileOptions::limit.
  [[nodiscard]] std::size_t dropped() const;
  /// Writes records() as a JSON array of Chrome's trace events, whole or not at all. Calls are grouped by host thread, their
  /// work by device and stream. Throws IoError, with the path, if writing fails.
  void write_trace(const std::string& path) const;
  /// Ends the gathering: calls that end later are not recorded. Waits for the work of recorded calls, and for the callback.
  /// Rethrows the callback's exception, once.
  void stop();

 private:
  friend KILN_API Profile profile(ProfileOptions options);
  explicit Profile(std::shared_ptr<profiling::Collector> collector) noexcept;
  std::shared_ptr<profiling::Collector> collector_;
};

/// Starts to record the calls of this thread, or of all. Several profiles may be active at once, in one thread or in many; each
/// records every call that it sees.
[[nodiscard]] KILN_API Profile profile(ProfileOptions options = {});

}  // namespace kiln
