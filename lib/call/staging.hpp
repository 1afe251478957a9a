// Host arrays on their way to a GPU, and results on their way back.
#pragma once

#include <cstddef>
#include <span>

#include "array/rep.hpp"
#include "call/place.hpp"
#include "kiln/array.hpp"

namespace kiln::call {

/// The array on the device. Axes that only repeat (stride 0) are sent once and repeated there.
Array send(const Array& host, const Device& device);

/// How a host array would lie on a GPU, sent there or (an output) made for it: packed, at an address of its own that is aligned
/// as a device's are. Axes that only repeat stay so. For one of several, `index` tells them apart. Nothing is there to be read.
detail::ArrayRep as_sent(const detail::ArrayRep& rep, bool input, std::size_t index);

/// The results of a call that ran on staged arrays. A given host array is filled; a fresh result is a host array where
/// everything was on the host. An empty handle among `given`, or none at all, stands for a fresh one. Waits for the queue.
void fetch_results(std::span<const Array> given, std::span<const Array> computed, const Place& place, std::span<Array> results);

}  // namespace kiln::call
