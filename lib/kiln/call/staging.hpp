// Host arrays on their way to a GPU, and how they would lie there.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "array/rep.hpp"
#include "call/place.hpp"
#include "device/backend.hpp"
#include "device/capture.hpp"
#include "kiln/array.hpp"

namespace kiln::call {

/// The array on the device. Axes that only repeat (stride 0) are sent once and repeated there. With a queue the array is that
/// queue's alone: memory and copies are ordered with its work and with nothing else, and it outlives the array.
Array send(const Array& host, const Device& device, backend::Queue* queue = nullptr);

/// A packed array on the device for the work of that queue alone, which outlives it; null: the default one's.
Array allocate_for(backend::Queue* queue, const Shape& shape, DType dtype, const Device& device, Order order = Order::c);

/// The elements of a device's array, which lie without gaps and forwards, when the queue's work is done, in a host array of its
/// shape and dtype. Waits.
void fetch(const Array& from, const Array& host, backend::Queue* queue);

/// How a host array would lie on a GPU, sent there or (an output) made for it: packed, at an address of its own that is aligned
/// as a device's are. Axes that only repeat stay so. In no memory.
Array as_sent(const detail::ArrayRep& rep, bool input, std::size_t operand, const Device& device);

/// How the copy() of an array would lie. In no memory.
Array as_copied(const detail::ArrayRep& rep, std::size_t operand);

/// DeviceError in a capture: host arrays of a call on that device would be sent now, and not when the graph runs.
void refuse_staging(const std::string& what, const Device& device);

/// The bytes of the arrays are used by what is captured.
void note_memory(backend::Capture& capture, std::span<const Array> arrays);

}  // namespace kiln::call
