// Constants as C++ text that has exactly their bits.
#pragma once

#include <string>

#include "fusion/expr_node.hpp"

namespace kiln::fusion {

/// The constant converted to `dtype`, as a body gets a parameter of that dtype: "0x1.8p+1f", "::kiln::int8(-5)",
/// "::kiln::complex64(0x1p+0f, 0x0p+0f)"; halves as float. Pure.
[[nodiscard]] std::string literal(const Constant& constant, DType dtype);

}  // namespace kiln::fusion
