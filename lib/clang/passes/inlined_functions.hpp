// Which of the user's functions a CPU's kernel inlines.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Has LLVM inline the user's functions up to the size that it inlines at hot calls: a body runs once for each element, and a
/// call that stays is made for one element at a time. Functions that call themselves and those marked noinline stay.
void inline_small_functions(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
