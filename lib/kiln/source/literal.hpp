// Values as C++ text that has exactly their bits.
#pragma once

#include <string>

#include "kiln/dtype.hpp"

namespace kiln::codegen {

/// The value of that dtype, as a body gets a parameter: "0x1.8p+1f", "::kiln::int8(-5)",
/// "::kiln::complex64(0x1p+0f, 0x0p+0f)"; halves as float. Pure.
[[nodiscard]] std::string literal(DType dtype, const void* value);

}  // namespace kiln::codegen
