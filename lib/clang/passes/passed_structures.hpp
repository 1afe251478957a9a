// How small structures are passed by value.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines load and store small structures member by member, where Clang passes them by value. The ABIs of
/// C++ pass two float32 as a vector and two int32 as one integer, which would stay the types of variables after inlining: no
/// vectorizer takes the first, and the second has half as many lanes.
void split_passed_structures(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
