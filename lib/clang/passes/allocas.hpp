// What a body keeps in memory of its own, an array or a struct that was not taken apart, is one for all iterations of a loop.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines take such memory out of what `#pragma clang loop vectorize(assume_safety)` says, which would
/// have all lanes of a vector use it at once. The operands stay what they are said to be: independent of one iteration to the
/// next.
void keep_allocas(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
