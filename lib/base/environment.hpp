// Reading environment variables.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace kiln::base {

/// The variable's value, also an empty one; nothing where it is not set, and in set-user-ID programs, whose caller must not
/// choose the files that they load. Safe beside other readers, not beside setenv.
[[nodiscard]] inline std::optional<std::string> env(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace kiln::base
