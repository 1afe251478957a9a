// A pass for kernels in debug mode: shifts whose amount is out of range.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Shifts take the amount modulo the bits of the type. Such a shift has been reported by then, and the kernel goes on: LLVM
/// must not conclude that it never comes there.
void define_shifts(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
