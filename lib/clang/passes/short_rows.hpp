// Loops over a core of a few elements: LLVM unrolls a loop whose iterations it knows before it looks for vectors, and of what
// is left it makes few.
#pragma once

#include <llvm/ADT/ArrayRef.h>

namespace llvm {
class Loop;
class PassBuilder;
}  // namespace llvm

namespace kiln::clang_module {

/// Makes `builder`'s pipelines keep loops that vectors can take, in functions annotated "kiln_rows", from being unrolled
/// before, and put such functions into their callers behind that.
void keep_short_rows(llvm::PassBuilder& builder);

/// Of loops that keep_short_rows() kept because each element waits for the one before: those that no lanes took may unroll now.
void unroll_carried(llvm::ArrayRef<llvm::Loop*> loops);

}  // namespace kiln::clang_module
