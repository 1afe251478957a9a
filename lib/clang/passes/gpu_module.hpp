// What modules for GPUs need that the host's do not: nothing but the kernel is seen from outside, nothing is called that is not
// there, what may be approximate is, and lines are the user's.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace llvm {
class PassBuilder;
}  // namespace llvm

namespace kiln::clang_module {

/// Gives every function and variable but the kernel internal linkage before any other pass, as no one else can refer to them:
/// functions without a call are dropped, those with one call inlined.
void hide_all_but_kernel(llvm::PassBuilder& builder);

/// Lines of kiln's own functions become those of the user's text that they were inlined into.
void tell_users_lines(llvm::PassBuilder& builder);
/// For NVIDIA's GPUs: quotients, reciprocals and square roots of float32 that are marked "afn" become the instructions that
/// approximate them, as NVRTC's -use_fast_math has it. LLVM 19 asks an option of the whole module instead, and would take
/// kiln's own functions along, which are marked otherwise.
void approximate_where_allowed(llvm::PassBuilder& builder);

/// Readable names of the functions that a PTX text declares and does not define, in its order. Pure.
[[nodiscard]] std::vector<std::string> undefined_functions(llvm::StringRef ptx);

}  // namespace kiln::clang_module
