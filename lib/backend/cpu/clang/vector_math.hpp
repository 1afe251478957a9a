// glibc's vector math functions, for the loop vectorizer. LLVM 19 itself (-fveclib=libmvec) knows five of them, none 512 bits
// wide, and calls AVX2's where the target has none.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines tell the vectorizer of the variants that libmvec has for each call of a math function. Only
/// what the process's own libmvec defines is named, so an older glibc is right, too. Nothing happens on other processors.
void use_vector_math(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
