// Linkage of the user's functions in a CPU's kernel.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Gives the user's hidden functions internal linkage and removes those that nothing refers to, before all passes. LLVM then
/// inlines a function that is called once, however large it is, and removes it. For modules of which the kernel alone is used.
void make_hidden_internal(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
