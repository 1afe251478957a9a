// Host arrays on their way to a GPU.
#pragma once

#include "kiln/array.hpp"

namespace kiln::ufunc {

/// The array on the device. Axes that only repeat (stride 0) are sent once and repeated there.
Array send(const Array& host, const Device& device);

}  // namespace kiln::ufunc
