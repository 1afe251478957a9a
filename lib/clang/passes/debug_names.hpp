// What debuggers and profilers call a kernel's functions.
#pragma once

#include <string>

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// The debug information has the body under the kernel's name, and its map, post and identity as "NAME_map": that is what
/// users know, and what they set breakpoints at.
void name_bodies(llvm::PassBuilder& builder, std::string kernel);

}  // namespace kiln::clang_module
