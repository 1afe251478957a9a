// How bodies of raw kernels use their pointers, as operand_use.hpp has it for all parameters.
#pragma once

#include <span>

#include "source/body_tokens.hpp"
#include "source/operand_use.hpp"

namespace kiln::codegen {

/// Of the pointers among the parameters. Throws ScanError at the first misuse.
void check_pointers(const BodyTokens& body, std::span<const ArrayUse> parameters);

}  // namespace kiln::codegen
