// Whether kiln's own loader takes an object as it is, so that nothing has to link it.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace kiln::clang_module {

/// True for a relocatable object of instructions and constants with relocations that the loader applies
/// (lib/kiln/binary/code_block.hpp, which checks them again). False for one with data that is written, variables of a thread,
/// functions that run at loading, or weak or the linker's own symbols.
[[nodiscard]] bool is_placeable(llvm::StringRef object);

}  // namespace kiln::clang_module
