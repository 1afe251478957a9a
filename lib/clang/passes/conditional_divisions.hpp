// Divisions in a branch, which LLVM's loop vectorizer runs lane by lane, but may take for the same in all lanes.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines move integer divisions of loop invariants out of the branches of innermost loops, with a divisor
/// that cannot trap. Other instructions that a branch guards are frozen, where scalar evolution knows their values: if it finds
/// an address invariant or consecutive, LLVM 19 computes the first lane's alone, which need not be in the branch.
void guard_conditional_divisions(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
