// Calls on host arrays in chunks, several of which run at the same time. They serve data larger than a device's memory or than
// the host's (open_npy, create_npy), and calls that show progress or may be stopped.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/callable.hpp"
#include "kiln/device.hpp"
#include "kiln/export.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/methods.hpp"
#include "kiln/reduction.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// Progress of a chunked call.
struct ChunkProgress {
  std::int64_t done = 0;        ///< chunks whose results are in the host's memory
  std::int64_t chunks = 0;      ///< chunks of the call
  std::int64_t bytes_done = 0;  ///< bytes of inputs and outputs in finished chunks
  std::int64_t bytes = 0;       ///< bytes of all inputs and outputs
  double seconds = 0;           ///< time since the call began
};

/// Options of a chunked call. Every member has a default.
struct ChunkOptions {
  /// Approximate bytes of the inputs and outputs of one chunk; 0: a size that suits the devices.
  std::int64_t chunk_bytes = 0;
  /// Devices that compute; a free device takes the next chunk. Empty: the device that a call would run on.
  std::vector<Device> devices = {};
  /// Callback, called in the thread of the call when chunks are done, and always for the last one. An exception of the callback
  /// ends the call, which rethrows it.
  std::function<void(const ChunkProgress&)> progress = nullptr;
  std::stop_token stop = {};  ///< token that is checked before each chunk; a request ends the call with Stopped
};

/// A ufunc whose calls run chunk by chunk: chunked(f)(a, b), chunked(f, {.devices = …})(a, b, {.out = c}). Results are bitwise
/// equal to those of f(a, b). Thread-safe, as f is.
///
/// Arrays are host arrays, mapped files included. A .stream throws TypeError, since chunks have their own streams. An output
/// may be the very array of an input; any other overlap throws ShapeError.
///
/// Chunks follow the memory of the largest operand. An operand that all chunks share is sent to each device once. On a GPU
/// three to eight chunks run at the same time, half as many as the host has threads. On the CPU one does.
///
/// A chunk that fails ends the call with its error, which reports the number of finished chunks. Their results are in .out.
class KILN_API ChunkedUfunc : public detail::Callable<ChunkedUfunc, CallOptions, Resolution> {
 public:
  ChunkedUfunc(Ufunc function, ChunkOptions options);  ///< constructor that chunked() uses

  /// Reduces as Ufunc::reduce does. A reorderable ufunc has the bits of partial(): elements are combined by the balanced tree
  /// over their numbers, in the order of the memory of the largest operand. Floating sums therefore depend neither on the
  /// chunks nor on the devices, and may differ in the last digits from those of f.reduce(a).
  ///
  /// A ufunc that is not reorderable is cut along the axes that are not reduced.
  [[nodiscard]] Array reduce(const Array& a, const ReduceOptions& options = {}) const;
  /// Accumulates as Ufunc::accumulate does. Chunks along the axis run in order; each continues from the result before it.
  [[nodiscard]] Array accumulate(const Array& a, const AccumulateOptions& options = {}) const;

  /// @name Members that Callable uses
  /// @{
  [[nodiscard]] int nout() const { return function_.nout(); }
  void call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const;
  /// @}

 private:
  Ufunc function_;
  ChunkOptions how_;
};

/// A generalized ufunc whose calls are cut along the loop dimensions. An output must not overlap an input. All else is as for
/// ChunkedUfunc.
class KILN_API ChunkedGufunc : public detail::Callable<ChunkedGufunc, GufuncOptions, GufuncResolution> {
 public:
  ChunkedGufunc(Gufunc function, ChunkOptions options);  ///< constructor that chunked() uses

  /// @name Members that Callable uses
  /// @{
  [[nodiscard]] int nout() const { return function_.nout(); }
  void call(std::span<const Arg> args, const GufuncOptions* options, std::span<Array> results) const;
  /// @}

 private:
  Gufunc function_;
  ChunkOptions how_;
};

/// A reduction whose calls are cut, and whose results are combined, as those of ChunkedUfunc::reduce are. All else is as for
/// ChunkedUfunc.
///
/// A call whose chunks share outputs throws TypeError unless all members of the accumulator have kiln's dtypes.
class KILN_API ChunkedReduction : public detail::Callable<ChunkedReduction, ReductionOptions, Resolution> {
 public:
  ChunkedReduction(Reduction function, ChunkOptions options);  ///< constructor that chunked() uses

  /// @name Members that Callable uses
  /// @{
  [[nodiscard]] int nout() const { return function_.nout(); }
  void call(std::span<const Arg> args, const ReductionOptions* options, std::span<Array> results) const;
  /// @}

 private:
  Reduction function_;
  ChunkOptions how_;
};

/// Returns the function in chunks. Cheap: nothing is opened. Throws TypeError for an empty handle or negative .chunk_bytes.
[[nodiscard]] KILN_API ChunkedUfunc chunked(const Ufunc& function, ChunkOptions options = {});
/// Returns the generalized ufunc in chunks, by the rules above.
[[nodiscard]] KILN_API ChunkedGufunc chunked(const Gufunc& function, ChunkOptions options = {});
/// Returns the reduction in chunks, by the rules above.
[[nodiscard]] KILN_API ChunkedReduction chunked(const Reduction& function, ChunkOptions options = {});

}  // namespace kiln
