// Where a thread is, in functions of the user's: the compiler's side of kernels-src/raw/here_cpu.hpp.
#pragma once

namespace llvm {
class PassBuilder;
}  // namespace llvm

namespace kiln::clang_module {

/// The variable kiln_here becomes the one that the kernel hands to kiln_enter(), in every function that the kernel calls: these
/// are inlined. Arrays of the section kiln_dynamic become the memory that the first member of it points to.
void give_places(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
