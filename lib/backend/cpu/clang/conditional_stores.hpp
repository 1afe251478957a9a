// Loops with stores under a condition that LLVM's vectorizer gets wrong.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines leave loops as they are that store under a condition where the address is the same in each
/// iteration, and computed there, as a division is that may not run otherwise: LLVM 19 takes the address of the first iteration
/// of a vector, which may not have come by.
void keep_conditional_stores(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
