#include "call/constants.hpp"

namespace kiln::call {

bool ConstantLimit::is_first_refusal(const Device& device) {
  if (refused_.find(ConstantKey(device)) != nullptr) return false;
  const std::lock_guard lock(mutex_);
  if (refused_.find(ConstantKey(device)) != nullptr) return false;
  refused_.add(ConstantKey(device), true);
  return true;
}

Diagnostic limit_warning(const std::string& kernel, const std::string& names, const Device& device, int most) {
  return {.severity = Severity::warning,
          .file = kernel,
          .text = names + " is \"constant\", and " + std::to_string(most) +
                  (most == 1 ? " value has a kernel of its own on " : " values have kernels of their own on ") +
                  to_string(device) +
                  ": further values run the plain kernel, which takes them as ordinary arguments; leave \"constant\" out of "
                  "the signature, or raise .compile.constant_variants"};
}

}  // namespace kiln::call
