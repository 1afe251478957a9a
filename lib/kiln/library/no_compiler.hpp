// The error where nobody is there who could compile: what tells it from a compile that failed.
#pragma once

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::backend {

/// The compiler's library is missing, is of another build, or was taken away by its variable.
class NoCompiler : public DeviceError, public HasReason {
 public:
  explicit NoCompiler(const std::string& message) : DeviceError(message), HasReason(Reason::compiler) {}
};

}  // namespace kiln::backend
