// Vector math functions, glibc's and kiln's own, for the loop vectorizer. LLVM 19 itself (-fveclib=libmvec) knows five of them,
// none 512 bits wide, and calls AVX2's where the target has none.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines tell the vectorizer of the variants that libmvec has for each call of a math function, and of
/// those that a call of kiln_of_lanes_… names (kernels-src/math/avx512_cpu.hpp), which compute single numbers, too. Of
/// libmvec's it is the widest variant's first lane that computes what stands outside loops, as it is the same for all elements,
/// and what whole vectors leave over, so that it has the same bits. A call of kiln_rarely_… (kernels-src/core/same_bits.hpp)
/// gets variants that look at all lanes at once, and call for those that need it. Only what the process's own libmvec defines
/// is named, so an older glibc is right, too. On other processors nothing of libmvec is named.
void use_vector_math(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
