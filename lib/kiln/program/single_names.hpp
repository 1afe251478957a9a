// Which of a definition's parameters are of single precision, in loops that have nothing of double.
#pragma once

#include <span>

#include "signature/kernel_signature.hpp"
#include "signature/signature.hpp"
#include "source/wide_constants.hpp"

namespace kiln::program {

/// By the names of the first signature. A type variable counts as single where it may be. Pure.
[[nodiscard]] codegen::SingleNames single_names(std::span<const signature::TypeSignature> signatures);
[[nodiscard]] codegen::SingleNames single_names(const signature::KernelSignature& signature);

}  // namespace kiln::program
