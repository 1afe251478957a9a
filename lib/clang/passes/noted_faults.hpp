// A pass for elementwise kernels in debug mode on the CPU: their checks in loops that become vectors.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// A check that fails calls a function, which keeps its loop from becoming vectors. In kernels-src/elementwise/cpu.hpp
/// notes_fault() gets checks that set a bit, which it gives; compute_unreported() gets none. Where notes_faults() would do more
/// than read, as print() does, it gives true instead: elements are computed once then, and reported.
void note_faults(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
