// The declaration that an expression lacks: `kiln eval 'a + b' a.npy b.npy` shows how it is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// What to say of a kernel's text that is an expression ("a + b", "c = a + b", "f(a, b) = a + b") and no declaration: the whole
/// command that works, with the dtypes of the operands where they can be read. Nothing for any other text.
[[nodiscard]] std::optional<std::string> explain_expression(std::string_view text, const std::vector<std::string>& operands);

/// The word as a shell takes it, in quotes where it needs them.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace kiln::tool
