// Parameters in CuPy's notation: "T x, raw float32 y".
#pragma once

#include <string>
#include <string_view>

namespace kiln::cupy {

/// Returns the parameters as a signature has them: with `before` in front of those that are not raw, "inout T y, raw float32
/// z". Throws SignatureError with the place in the text.
[[nodiscard]] std::string parameters_of(const std::string& kernel, const std::string& text, std::string_view before = {});

}  // namespace kiln::cupy
