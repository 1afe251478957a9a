// Loops over a core of a few elements: LLVM unrolls a loop whose turns it knows before it looks for vectors, and of what is
// left it makes few.
#pragma once

#include <llvm/ADT/ArrayRef.h>

namespace llvm {
class Loop;
class PassBuilder;
}  // namespace llvm

namespace kiln::clang_module {

/// Makes `builder`'s pipelines keep loops that vectors can take, in functions annotated "kiln_rows", from being unrolled
/// before, and put such functions into their callers behind that. One thread, Zen 4, nanoseconds of an item of float32 with and
/// without, 5, 12, 16 and 31 elements (bench/rows.cpp): exp(a(i)) * b(i) 23, 56, 75 and 43, now 3.9, 4.0, 3.5 and 9.5;
/// sqrt(a(i) / b(i)) 12, 28, 37 and 71, now 2.6, 4.8, 4.8 and 9.2; a(i) * b(i) + 1 1.8, 4.0, 5.2 and 9.6, now 1.1, 2.1, 2.5
/// and 5.2. By AVX2 of 16 elements 5.0, 7.5 and 2.4 times as fast.
void keep_short_rows(llvm::PassBuilder& builder);

/// Of loops that keep_short_rows() kept because each element waits for the one before: those that no lanes took may unroll now.
void unroll_chains(llvm::ArrayRef<llvm::Loop*> loops);

}  // namespace kiln::clang_module
