// Indices that no compiler refuses.
#pragma once

#include <span>

#include "source/operand.hpp"
#include "source/user_text.hpp"

namespace kiln::codegen {

/// Throws CompileError where a body indexes a view by a negative literal, or a view or pointer by `[i, j]`, of which C++ takes
/// the last alone. Texts with macros, and names that the body may declare itself, are not looked at.
void check_literal_indices(const UserText& text, std::span<const Operand> operands);

}  // namespace kiln::codegen
