// Bodies of masked loops: computed for every element, or only for those that count.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines answer kiln_computes(counts), which loops under a mask branch on: `true` if all that the branch
/// guards may be executed for any element, else `counts`. Without the branch LLVM makes vectors of what it would not compute
/// under a mask. Such code reads operands alone, writes nothing, ends, and calls functions of the C library and of its own
/// kind. Integer divisions get the divisor 1 where `counts` is false; for their sake kiln_leaves_blocks() is true in that
/// function, so that the loop skips blocks without an element that counts. The pass runs behind the inliner and in front of
/// passes of loops.
void decide_masked_bodies(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
