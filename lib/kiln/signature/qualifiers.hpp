// The qualifiers of parameters: words before a type.
#pragma once

#include <cstddef>
#include <string_view>

#include "signature/cursor.hpp"

namespace kiln::signature {

inline constexpr std::string_view kConstant = "constant";  ///< a scalar whose value is part of the kernel
inline constexpr std::string_view kRaw = "raw";            ///< an array that is not broadcast: each element sees the whole
inline constexpr std::string_view kInout = "inout";        ///< an output whose elements are read first

/// Skips the qualifier if it is next.
[[nodiscard]] inline bool accept_qualifier(Cursor& cursor, std::string_view qualifier) {
  Cursor ahead = cursor;
  if (ahead.name() != qualifier) return false;
  cursor = ahead;
  return true;
}

/// Throws SignatureError at the type of an array that is qualified as a constant.
[[noreturn]] inline void fail_constant_array(const Cursor& cursor, std::size_t type_at) {
  cursor.fail_at(type_at, "an array cannot be \"constant\": only the value of a scalar is part of the kernel");
}

}  // namespace kiln::signature
