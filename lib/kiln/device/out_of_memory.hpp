// The DeviceError of an allocation that finds no room: what a call on host arrays can go around in chunks.
#pragma once

#include <string>
#include <utility>

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::backend {

class OutOfMemory : public DeviceError, public HasReason {
 public:
  explicit OutOfMemory(const std::string& message, int code = 0, std::string code_name = {})
      : DeviceError(message, code, std::move(code_name)), HasReason(Reason::memory) {}
};

}  // namespace kiln::backend
