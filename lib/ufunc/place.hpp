// Where a method runs: the rules of calls, for methods of a few arrays. Pure but for asking for the best device.
#pragma once

#include <span>
#include <string>

#include "kiln/array.hpp"
#include "kiln/stream.hpp"

namespace kiln::ufunc {

struct PlacedArray {
  const Array* array = nullptr;  ///< null: not there
  const char* name = "";         ///< for messages: "the array"
};

struct Place {
  Device device;
  bool on_host = true;  ///< all are host arrays, and so is the result
};

/// The device of the arrays that have one, else the stream's, else the best. `what` begins messages: "add.at". DeviceError
/// where the arrays or the stream are on different devices.
[[nodiscard]] Place choose_place(const std::string& what, std::span<const PlacedArray> arrays, const Stream& stream);

}  // namespace kiln::ufunc
