// Parameters in CuPy's notation: "T x, raw float32 y".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kiln::cupy {

/// What a list of parameters may hold.
struct ParameterRules {
  std::string_view before = {};                  ///< in front of those that are not raw: "inout "
  std::span<const std::string_view> taken = {};  ///< names that texts have of their own
  std::string_view no_raw = {};                  ///< why none may be raw; empty: they may
  std::string_view others = {};                  ///< parameters of the other list
};

/// Returns the parameters as a signature has them: "inout T y, raw float32 z". Throws SignatureError with the place in the
/// text.
[[nodiscard]] std::string parameters_of(const std::string& kernel, const std::string& text, const ParameterRules& rules);

}  // namespace kiln::cupy
