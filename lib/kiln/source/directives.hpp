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

/// Those of them that take arguments wherever they are defined, so that a name alone is no use of them.
[[nodiscard]] std::set<std::string> called_macros_of(std::string_view text);

/// "N=3", "N" (which is 1) and "F(x)=x" as lines with #define.
[[nodiscard]] std::string defines_text(std::span<const std::string> defines);
/// Lines with #undef. Macros that begin with KILN_ are kiln's own and stay, and so do those that keep_before() noted.
[[nodiscard]] std::string undefine(const std::set<std::string>& macros);
/// What stands before the texts with those macros: it notes which of the names that C++ reserves for compilers are macros
/// already ("__device__"), for undefine().
[[nodiscard]] std::string keep_before(const std::set<std::string>& macros);

}  // namespace kiln::codegen
