// Calls on host arrays in chunks, several of which are under way at once: for data larger than a device's memory, or than the
// host's (open_npy, create_npy), and for calls whose progress is shown or that may be stopped.
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
#include "kiln/error.hpp"
#include "kiln/export.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/methods.hpp"
#include "kiln/reduction.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// How far a chunked call has come.
struct ChunkProgress {
  std::int64_t done = 0;        ///< chunks whose results are in the host's memory
  std::int64_t chunks = 0;      ///< all of them
  std::int64_t bytes_done = 0;  ///< of inputs and outputs, in chunks that are done
  std::int64_t bytes = 0;       ///< of all inputs and outputs
  double seconds = 0;           ///< since the call began
};

/// How a call is cut. Every member has a default.
struct ChunkOptions {
  std::int64_t chunk_bytes = 0;      ///< of the inputs and outputs of one chunk, about; 0: what suits the devices
  std::vector<Device> devices = {};  ///< that compute: whoever is free takes the next chunk. Empty: where a call would run
  /// Called when chunks are done, for the last one in any case, in the thread of the call. What it throws ends the call, and is
  /// thrown.
  std::function<void(const ChunkProgress&)> progress = nullptr;
  std::stop_token stop = {};  ///< asked before each chunk; where it says so the call ends as a Stopped
};

/// A ufunc whose calls go chunk by chunk: chunked(f)(a, b), chunked(f, {.devices = …})(a, b, {.out = c}). Results are those of
/// f(a, b), to the bit. Arrays are host arrays, mapped files among them; a .stream is a TypeError, since chunks have their own.
/// An output may be the very array of an input; it may not overlap one otherwise (ShapeError). Chunks follow the memory of the
/// largest operand. An operand that all chunks share is sent to each device once. Three to eight chunks are under way on a GPU,
/// by the threads of the host, one on the CPU. Where a chunk fails the call ends with its error, which says how many chunks are
/// done: their results are in .out. Thread-safe, as f is.
class KILN_API ChunkedUfunc : public detail::Callable<ChunkedUfunc, CallOptions, Resolution> {
 public:
  ChunkedUfunc(Ufunc function, ChunkOptions options);  ///< chunked() makes one

  /// As Ufunc::reduce. Where chunks share outputs their partial results are combined in the order of the chunks: floating sums
  /// depend on .chunk_bytes (without it on the devices, the host's threads and the free memory), never on which device took
  /// what. A ufunc that is not reorderable is cut along the axes that stay alone, and so is one without an identity that has a
  /// mask.
  [[nodiscard]] Array reduce(const Array& a, const ReduceOptions& options = {}) const;
  /// As Ufunc::accumulate. Along the axis chunk follows chunk, each from the result before it.
  [[nodiscard]] Array accumulate(const Array& a, const AccumulateOptions& options = {}) const;

  /// @name What Callable's forms come down to.
  /// @{
  [[nodiscard]] int nout() const { return function_.nout(); }
  void call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const;
  /// @}

 private:
  Ufunc function_;
  ChunkOptions how_;
};

/// The same of a generalized ufunc: cut along the loop dimensions. An output may not overlap an input.
class KILN_API ChunkedGufunc : public detail::Callable<ChunkedGufunc, GufuncOptions, GufuncResolution> {
 public:
  ChunkedGufunc(Gufunc function, ChunkOptions options);  ///< chunked() makes one

  /// @name What Callable's forms come down to.
  /// @{
  [[nodiscard]] int nout() const { return function_.nout(); }
  void call(std::span<const Arg> args, const GufuncOptions* options, std::span<Array> results) const;
  /// @}

 private:
  Gufunc function_;
  ChunkOptions how_;
};

/// The same of a reduction, cut as ChunkedUfunc::reduce. Where chunks share outputs it is the accumulators that are combined:
/// a TypeError where their members are not plain ones of kiln's dtypes. With a mask it is cut along the axes that stay alone.
class KILN_API ChunkedReduction : public detail::Callable<ChunkedReduction, ReductionOptions, Resolution> {
 public:
  ChunkedReduction(Reduction function, ChunkOptions options);  ///< chunked() makes one

  /// @name What Callable's forms come down to.
  /// @{
  [[nodiscard]] int nout() const { return function_.nout(); }
  void call(std::span<const Arg> args, const ReductionOptions* options, std::span<Array> results) const;
  /// @}

 private:
  Reduction function_;
  ChunkOptions how_;
};

/// The function in chunks. Cheap: nothing is opened. TypeError for an empty handle or negative .chunk_bytes.
[[nodiscard]] KILN_API ChunkedUfunc chunked(const Ufunc& function, ChunkOptions options = {});
/// The same.
[[nodiscard]] KILN_API ChunkedGufunc chunked(const Gufunc& function, ChunkOptions options = {});
/// The same.
[[nodiscard]] KILN_API ChunkedReduction chunked(const Reduction& function, ChunkOptions options = {});

}  // namespace kiln
