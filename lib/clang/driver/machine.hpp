// The machine that the module's kernels run on: its target in LLVM, and the parts of its C library. All other files are
// compiled alike for any.
#pragma once

#include <string>

namespace kiln::clang_module {

/// Registers its target; once a process.
void initialize_machine();

/// The file of the C library's part (libm, libmvec, libc) that defines the name; empty where none does.
std::string library_of(const char* name);

/// Whether its libmvec has vector functions by x86-64's names.
bool has_vector_math();

}  // namespace kiln::clang_module
