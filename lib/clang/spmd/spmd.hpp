// Loops over items whose bodies have loops of their own, with a lane for each item.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// LLVM's loop vectorizer takes innermost loops alone: an item with a loop in it would be computed by itself. Of loops that
/// kernels-src marks as safe to vectorize those come here. What cannot be taken stays as it is.
void vectorize_items_with_loops(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
