// Loops over items whose bodies have loops of their own, with a lane for each item.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// The pass that remarks of missed optimizations name: why items of a loop are computed one at a time, and where in the user's
/// text.
inline constexpr const char* kLanesRemark = "kiln-lanes";
/// An attribute of loops whose items are computed one at a time, for which there was such a remark.
inline constexpr const char* kScalarItems = "kiln.loop.scalar_items";

/// LLVM's loop vectorizer takes innermost loops alone: an item with a loop in it would be computed by itself. Of loops that
/// kernels-src marks as safe to vectorize those come here. What cannot be taken stays as it is.
void vectorize_items_with_loops(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
