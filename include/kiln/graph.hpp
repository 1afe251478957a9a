// Calls that are recorded once and run again and again as one: what they cost beside their kernels is paid once.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

#include "kiln/array.hpp"
#include "kiln/export.hpp"
#include "kiln/stream.hpp"

namespace kiln {

namespace detail {
struct GraphImpl;
}

/// Recorded calls. A Graph is a shared handle: copies name the same calls. It keeps the arrays that the calls use, their
/// results and their kernels. Thread-safe.
class KILN_API Graph {
 public:
  /// No calls: valid() is false.
  Graph() noexcept = default;
  /// Whether the handle names recorded calls, or is empty.
  [[nodiscard]] bool valid() const noexcept { return impl_ != nullptr; }

  /// Runs the calls in their order, on the stream that was captured, with the scalars that they had then and with what is in
  /// the arrays when they run. Returns like a call on that stream. On a GPU the first launch, and the first after exchange(),
  /// makes a graph of the driver's, which later ones start as one; where the driver has none, the kernels start one by one.
  /// DeviceError for an empty handle, inside of a capture, and where the driver refuses.
  void launch() const;
  /// The same on another stream of the device. Launches on different streams are not ordered, and use the same results.
  void launch(const Stream& stream) const;

  /// From the next launch on `now` takes the place of `old`: wherever calls use memory of `old`, by it or by views of it, they
  /// use that of `now`. Launches that are queued are not changed. TypeError or ShapeError unless both have the same dtype,
  /// shape and strides; DeviceError where they are on different devices. ShapeError where no call uses `old`, where one uses it
  /// together with memory beside it, where the addresses are aligned differently (modulo 64 bytes), for a `now` that is
  /// read-only where `old` is not, and where `now` shares memory with another array of the calls.
  void exchange(const Array& old, const Array& now);
  /// Several at once, as if they had no order: {{a, b}, {b, a}} swaps two.
  void exchange(std::initializer_list<std::pair<Array, Array>> pairs);

  /// Kernels that a launch runs; 0 for an empty handle. A call may have several.
  [[nodiscard]] std::size_t kernels() const;

 private:
  explicit Graph(std::shared_ptr<detail::GraphImpl> impl) noexcept : impl_(std::move(impl)) {}
  std::shared_ptr<detail::GraphImpl> impl_;
  friend KILN_API Graph capture(const Stream& stream, const std::function<void()>& calls);
};

/// Runs `calls` in the calling thread, and records what they give to `stream` instead of running it: every kind of kernel,
/// compiled as ever. Arrays that they make are there afterwards, with what the graph's launches write to them. Of a default
/// Stream all calls run on one device.
///
/// DeviceError, after which nothing is recorded and the stream is as it was: calls to other streams and of two devices; a call
/// on a GPU with host arrays; an output that shares memory with an input so that a copy would be made; Ufunc::at; copies of a
/// GPU's arrays to the host or on the device; waiting for a stream; a capture inside of another. What the host does by itself,
/// such as to_device() and work on the elements of host arrays, is done once and is no part of the graph. Exceptions of `calls`
/// are the caller's.
[[nodiscard]] KILN_API Graph capture(const Stream& stream, const std::function<void()>& calls);

}  // namespace kiln
