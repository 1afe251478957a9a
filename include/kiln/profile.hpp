// What calls did: which kernels ran, on which device, for how long and over how many bytes, and where the kernels came from. As
// values, by a callback, or as a trace for Perfetto and chrome://tracing.
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

/// Where a call's kernel came from.
enum class KernelOrigin : std::uint8_t {
  memory,     ///< it was loaded already
  disk,       ///< the cache's directory
  read_only,  ///< one of the directories and bundles behind it
  compiled,   ///< a compiler made it
};
/// "memory", "disk", "read_only", "compiled".
[[nodiscard]] KILN_API std::string_view name(KernelOrigin origin) noexcept;

/// A stretch of time, in milliseconds.
struct TimeSpan {
  double start = 0;     ///< since the profile began
  double duration = 0;  ///< how long it took
};

/// One call of a ufunc or of a method of it, a gufunc, a reduction, or a raw kernel; or a copy between the host and a GPU, or
/// within one, which the program asked for or a call did for its arrays of the host.
struct CallRecord {
  std::string function;  ///< "add", "add.reduce"; of a raw kernel its name; "to_device", "copy_to_host", "copy"
  std::string kind;      ///< of the kernel's definition: "ufunc", "gufunc", "reduction" or "kernel"; "copy"
  std::string kernel;    ///< id of the kernel in the cache, 32 hex digits (`kiln cache show ID`)
  std::string variant;   ///< which of the loop's kernels: "contiguous", "reduce (block)"; may be empty
  KernelOrigin origin = KernelOrigin::memory;  ///< where the kernel came from
  std::optional<TimeSpan> load =
      std::nullopt;          ///< to find, compile and load it; nothing where this function had used it before
  Device device;             ///< where it ran
  std::uint64_t stream = 0;  ///< 0: the default one; others have a number of their own in the process
  std::int64_t thread = 0;   ///< that called: the system's number of it
  TimeSpan host;             ///< the call, from its beginning until it returned
  /// On the device: from the beginning of the call's first launch to the end of its last. On the CPU it is the wall time of the
  /// work, also where it was queued. Nothing where the device could not tell.
  std::optional<TimeSpan> run = std::nullopt;
  std::int64_t launches = 0;       ///< of kernels
  std::int64_t elements = 0;       ///< of the largest operand; 1 where all are scalars
  std::int64_t bytes_read = 0;     ///< of the inputs, the mask and indices; what broadcasting repeats counts once
  std::int64_t bytes_written = 0;  ///< of the outputs; of a raw kernel, of the arrays that are not const
  int depth = 0;                   ///< how many calls it was made in
  bool failed = false;             ///< the call threw
};

/// What profile() takes. Members are to be named.
struct ProfileOptions {
  bool all_threads = false;  ///< calls of every thread, not only of the one that calls profile()
  /// Gets each record once it is complete: by the thread that makes the call where its work is done when it returns, else by
  /// one that makes a later call, or that calls records(), write_trace() or stop(). By several threads at once with
  /// `all_threads`. Calls that it makes are not recorded; it may not use the Profile. What it throws fails no call: it is not
  /// called again, and stop() throws that.
  std::function<void(const CallRecord&)> on_call = {};
  std::size_t limit = 1'000'000;  ///< records that are kept; later calls are only counted
  bool ranges = false;            ///< also a range of NVTX and ROCTX for each call, where their libraries are
};

/// Gathers records from profile() until stop() or its end. Move-only: one that was moved from is assigned to or destroyed, and
/// nothing else. Thread-safe, but for moves and the destructor.
class KILN_API Profile {
 public:
  Profile(Profile&& other) noexcept;
  Profile& operator=(Profile&& other) noexcept;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  /// As stop(), and throws nothing.
  ~Profile();

  /// The copies, and the calls so far that asked for a kernel, in the order in which they ended; waits for the work that they
  /// queued. A call that had nothing to compute, or was refused before that, is none of them.
  [[nodiscard]] std::vector<CallRecord> records() const;
  /// Calls beyond ProfileOptions::limit.
  [[nodiscard]] std::size_t dropped() const;
  /// Writes records() as a JSON array of Chrome's trace events, whole or not at all: the calls by host thread, and their work
  /// by device and stream. IoError names the path.
  void write_trace(const std::string& path) const;
  /// Ends the gathering: calls that end later are not recorded. Waits for the work of those that are, and for the callback.
  /// Throws what the callback threw, once.
  void stop();

 private:
  friend KILN_API Profile profile(ProfileOptions options);
  explicit Profile(std::shared_ptr<profiling::Collector> collector) noexcept;
  std::shared_ptr<profiling::Collector> collector_;
};

/// Begins to record the calls of this thread, or of all. Several may be active at once, in one thread or in many; each has
/// every call that it sees.
[[nodiscard]] KILN_API Profile profile(ProfileOptions options = {});

}  // namespace kiln
