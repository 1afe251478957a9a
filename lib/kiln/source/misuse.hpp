// Misuse of operands, which compilers find, in the words of the definition. A compiler says that something is wrong and where;
// the text at that place is read only for the words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/diagnostic.hpp"
#include "source/operand.hpp"

namespace kiln::codegen {

/// Gives errors at operands of `body` the words of the definition, and the place of the operand, index or member that is meant:
/// another number of indices, an index that is no integer, a view as a number, an input that is written, a member that is not
/// there. `file` is the body's name in diagnostics. Other errors stay. Pure.
[[nodiscard]] std::vector<Diagnostic> in_words_of_operands(std::vector<Diagnostic> found, std::string_view file,
                                                           std::string_view body, std::span<const Operand> operands);

/// What is said of several indices in one subscript of a view or a pointer.
[[nodiscard]] std::string one_index(const Operand& operand);

}  // namespace kiln::codegen
