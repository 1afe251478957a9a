// Memory that the caller owns, as an argument or an output of a call, without an Array.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kiln/device.hpp"
#include "kiln/dtype.hpp"

namespace kiln {

class Event;

/// An array in the caller's memory. It owns nothing and allocates nothing: a call reads the members and the two lists before it
/// returns.
///
/// The elements must live until the call's work is done: until a call on the default stream of the CPU returns, else until the
/// stream is synchronized. In a capture they must live as long as the graph is launched, and `ready` is waited for once, at the
/// capture. Array::view() makes an array that may own its memory and outlive the call.
struct ArrayRef {
  void* data = nullptr;                         ///< element at index 0 of every axis
  DType dtype = DType::float64;                 ///< dtype of the elements
  std::span<const std::int64_t> shape = {};     ///< extents, outermost first; none: one element without axes
  std::span<const std::int64_t> strides = {};   ///< bytes between neighbours along each axis; empty: C order
  std::optional<Device> device = std::nullopt;  ///< device of the memory; none: memory of the host, on no device
  bool read_only = false;                       ///< true: a call that would write to it throws TypeError
  const Event* ready = nullptr;                 ///< the call's work waits for this event; null: the elements are ready
};

}  // namespace kiln
