// Functions of the user's that a CPU's kernel does not need.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Removes hidden functions that nothing refers to: before all passes those that nobody calls, and before loops are vectorized
/// those that were inlined everywhere. Their linkage stays external while they are needed, so that LLVM treats the others as
/// before. For modules of which the kernel alone is used.
void drop_unused_functions(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
