// Host arrays on their way to a GPU, and how they would lie there.
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
/// as a device's are. Axes that only repeat stay so. In no memory.
Array as_sent(const detail::ArrayRep& rep, bool input, std::size_t operand, const Device& device);

/// How the copy() of an array would lie. In no memory.
Array as_copied(const detail::ArrayRep& rep, std::size_t operand);

}  // namespace kiln::call
