// What a text says that compiles and is not what was meant, as far as its tokens tell: the same on every compiler, most of
// which let it pass in silence.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/diagnostic.hpp"
#include "source/user_text.hpp"
#include "source/wide_constants.hpp"

namespace kiln::codegen {

/// Warnings for divisions of integer literals that lose a fraction (`1/2 * a`), for chains of comparisons
/// (`1 < a < 3`), and for Python's `x // 2`.
/// `file` is the name shown, and `names` are those of parameters. Of a text that check_text() lets pass. Pure.
[[nodiscard]] std::vector<Diagnostic> suspicious_code(const std::string& file, const std::string& text,
                                                      std::span<const std::string> names = {});
/// The same for the texts of a definition, and wide_constants() of them.
[[nodiscard]] std::vector<Diagnostic> suspicious_code(const UserText& text, const SingleNames& single);

/// How a body writes to an output: `q = 1`, or `o(i) = 1` through a view.
enum class OutputForm { variable, view };
/// CompileError for an output that the body assigns nowhere. Where macros or headers may, nothing is thrown.
void check_outputs(const UserText& text, std::span<const std::string> outputs, OutputForm form);

}  // namespace kiln::codegen
