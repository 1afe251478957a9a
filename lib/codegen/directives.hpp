// What of the user's texts reaches beyond them: macros and included files. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace kiln::codegen {

/// Whether the text has an #include.
[[nodiscard]] bool includes_files(std::string_view text);
/// The macros that the text defines, without those that it surely undefines again. Of a text that does not scan, those before
/// the place where it does not.
[[nodiscard]] std::set<std::string> macros_of(std::string_view text);

/// "N=3", "N" (which is 1) and "F(x)=x" as lines with #define.
[[nodiscard]] std::string defines_text(std::span<const std::string> defines);
/// Lines with #undef. Macros that begin with KILN_ are kiln's own and stay.
[[nodiscard]] std::string undefine(const std::set<std::string>& macros);

}  // namespace kiln::codegen
