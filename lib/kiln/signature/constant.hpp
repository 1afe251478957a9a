// The qualifier of scalars whose values are part of the kernel: "constant int32 n".
#pragma once

#include <cstddef>
#include <string_view>

#include "signature/cursor.hpp"

namespace kiln::signature {

inline constexpr std::string_view kConstant = "constant";

/// Skips the qualifier where one is next; else nothing.
[[nodiscard]] inline bool accept_constant(Cursor& cursor) {
  Cursor ahead = cursor;
  if (ahead.name() != kConstant) return false;
  cursor = ahead;
  return true;
}

/// Fails at the type of an array that is qualified.
[[noreturn]] inline void fail_constant_array(const Cursor& cursor, std::size_t type_at) {
  cursor.fail_at(type_at, "an array cannot be \"constant\": only the value of a scalar is part of the kernel");
}

}  // namespace kiln::signature
