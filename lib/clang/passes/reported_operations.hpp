// A pass for kernels in debug mode: what its checks have reported has a result all the same.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Shifts take the amount modulo the bits of the type, a conversion that overflows gives what the processor does, and an index
/// beyond an array is 0. Each has been reported by then, and the kernel goes on: LLVM must not conclude that it never comes
/// there.
void define_what_is_reported(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
