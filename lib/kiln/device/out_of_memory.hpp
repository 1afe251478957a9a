// The DeviceError of an allocation that finds no room: what a call on host arrays can go around in chunks.
#pragma once

#include "kiln/error.hpp"

namespace kiln::backend {

class OutOfMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace kiln::backend
