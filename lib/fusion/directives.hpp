// What of a ufunc's text reaches beyond it when several stand in one unit: macros and included files. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::fusion {

/// Whether the text has an #include.
[[nodiscard]] bool includes_files(std::string_view text);
/// The macros that the text defines.
[[nodiscard]] std::set<std::string> macros_of(std::string_view text);

/// An element of UfuncDefinition::defines.
struct Macro {
  std::string name;
  std::string head;  ///< with its parameters
  std::string value;
};
/// "N=3" and "N", which is 1.
[[nodiscard]] std::vector<Macro> macros(std::span<const std::string> defines);

}  // namespace kiln::fusion
