// What callers of the C interface can do wrong that C++'s types rule out.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace kiln::c {

/// Becomes KILN_E_ARGUMENT. `option` is the parameter or the member that is wrong.
class ArgumentError : public std::runtime_error {
 public:
  ArgumentError(const std::string& message, std::string option) : std::runtime_error(message), option_(std::move(option)) {}
  [[nodiscard]] const std::string& option() const noexcept { return option_; }

 private:
  std::string option_;
};

/// @name Throw kiln's own errors
/// @{
[[noreturn]] void fail_type(const std::string& message);
[[noreturn]] void fail_shape(const std::string& message);
[[noreturn]] void fail_device(const std::string& message);
[[noreturn]] void fail_stopped(const std::string& message);
[[noreturn]] void fail_signature(const std::string& message, const std::string& text, std::size_t position);
/// @}

}  // namespace kiln::c
