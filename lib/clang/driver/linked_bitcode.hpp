// Bitcode from outside that a kernel is linked with: several files as one, which clang links into the kernel's module.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "clang/driver/compile.hpp"

namespace kiln::clang_module {

/// Puts the request's bitcode among the files and into the invocation: what the kernel needs of it becomes the kernel's own,
/// with the target's features. Kernels for AMD's GPUs get the code object version of what they are linked with. False, with a
/// diagnostic, where a file is no bitcode of this LLVM or older, or two files do not go together.
bool link_bitcode(const kiln_clang_request& request, clang::CompilerInvocation& invocation,
                  llvm::vfs::InMemoryFileSystem& files, Compiled& out);

}  // namespace kiln::clang_module
