// Loops of the user's functions that a kernel in debug mode on the CPU can be asked to end.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// At the end of each iteration the function looks at `stop` of the kernel's FaultBuffer (kernels-src/core/faults.hpp). Where
/// it is set it says so there, and returns. Loops that end after a few iterations are left alone, so that they unroll. Before
/// all passes: the functions of the user's are not inlined yet.
void let_loops_stop(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
