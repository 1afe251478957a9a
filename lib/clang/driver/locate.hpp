// From an instruction back to the text.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <vector>

#include "clang/driver/compile.hpp"

namespace kiln::clang_module {

/// Adds one with file, line and column; nothing where the debug information of the shared object tells none in a text of the
/// user's. The bytes may be any.
void locate(llvm::StringRef code, std::uint64_t address, std::vector<Diagnostic>& found);

}  // namespace kiln::clang_module
