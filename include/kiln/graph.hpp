// Recorded calls that run again and again as one. The cost of a call beside its kernels is paid once.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include "kiln/array.hpp"
#include "kiln/export.hpp"
#include "kiln/stream.hpp"

namespace kiln {

namespace detail {
struct GraphImpl;
}

/// Recorded calls. A Graph is a shared handle: copies name the same calls. It keeps the calls' arrays, results and kernels
/// alive. Thread-safe.
class KILN_API Graph {
 public:
  /// Constructs an empty handle: valid() is false.
  Graph() noexcept = default;
  /// Returns true if the handle names recorded calls.
  [[nodiscard]] bool valid() const noexcept { return impl_ != nullptr; }

  /// Runs the calls in their order, on the captured stream. Scalars have their captured values; arrays have the contents of the
  /// time of the run. The function returns when a call on that stream would.
  ///
  /// On a GPU the first launch, and the first after exchange(), makes a graph of the driver's; later launches start it as one.
  /// Without such graphs in the driver the kernels start one by one.
  ///
  /// Throws DeviceError for an empty handle, inside a capture, and if the driver refuses.
  void launch() const;
  /// Runs the calls on another stream of the device. Launches on different streams are not ordered, and use the same results.
  void launch(const Stream& stream) const;

  /// Replaces `old` by `now` from the next launch on. Calls then use memory of `now` instead of memory of `old`, also through
  /// views. Queued launches are not changed.
  ///
  /// Throws TypeError or ShapeError unless both have the same dtype, shape and strides, DeviceError if their devices differ.
  ///
  /// Throws ShapeError in these cases:
  /// - no call uses `old`, or one uses it together with adjacent memory;
  /// - the addresses differ in alignment (modulo 64 bytes; modulo 16 for arrays of fewer than 64);
  /// - `now` is read-only and `old` is not;
  /// - `now` shares memory with another array of the calls.
  void exchange(const Array& old, const Array& now);
  /// Replaces several arrays simultaneously: {{a, b}, {b, a}} swaps two.
  void exchange(std::initializer_list<std::pair<Array, Array>> pairs) { exchange(std::span(pairs.begin(), pairs.size())); }
  void exchange(std::span<const std::pair<Array, Array>> pairs);

  /// Returns the number of kernels that a launch runs; 0 for an empty handle. A call may have several.
  [[nodiscard]] std::size_t kernels() const;

 private:
  explicit Graph(std::shared_ptr<detail::GraphImpl> impl) noexcept : impl_(std::move(impl)) {}
  std::shared_ptr<detail::GraphImpl> impl_;
  friend struct detail::GraphImpl;
};

/// Runs `calls` in the calling thread, and records the work that they queue on `stream` instead of running it. Kernels of every
/// kind are recorded, and compiled as usual. For a default Stream all calls run on one device.
///
/// Arrays that the calls make exist afterwards and receive the results of the graph's launches. Work of the host, such as
/// to_device() and work on elements of host arrays, is done once and is no part of the graph.
///
/// Exceptions of `calls` reach the caller. Throws DeviceError in the following cases; nothing is recorded then, and the stream
/// is unchanged:
/// - calls to other streams, or of two devices;
/// - a call on a GPU with host arrays;
/// - an output that shares memory with an input so that a copy would be made;
/// - Ufunc::at;
/// - copies of a GPU's arrays to the host or on the device;
/// - waiting for a stream;
/// - a capture inside another one.
[[nodiscard]] KILN_API Graph capture(const Stream& stream, const std::function<void()>& calls);

}  // namespace kiln
