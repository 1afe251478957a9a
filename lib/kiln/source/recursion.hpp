// Whether functions of a text call themselves, as far as its tokens tell.
#pragma once

#include <span>

#include "source/scanner.hpp"

namespace kiln::codegen {

/// Whether a function that the tokens define names itself, or one that in turn names it. Functions of one name count as one.
/// Pure.
[[nodiscard]] bool recurses(std::span<const Token> tokens);

}  // namespace kiln::codegen
