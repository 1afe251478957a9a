// Elements as bits, and how far two of them are apart.
#pragma once

#include "golden.hpp"

namespace math_tests {

kiln::Array array_of(const Bits& bits, kiln::DType dtype);
Bits bits_of(const kiln::Array& host);

/// Empty where every element is as `golden` has it, within its tolerance; else the first few that are not. `inputs` are the
/// case's, on the host.
std::string difference(const kiln::Array& got, const Case& golden, std::size_t output, const std::vector<kiln::Array>& inputs);

}  // namespace math_tests
