// Loops that both compute elements for themselves and add them up in order.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

namespace kiln::clang_module::spmd {

/// Of items' loops over a core, such as `y(i) = exp(x(i)); s += y(i)`: a loop that stores, of which vectors can be made along
/// the core, and one behind it that reads what was stored, for what waits for the iteration before. Whether there were any.
bool split_loops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, llvm::DominatorTree& dominators);

}  // namespace kiln::clang_module::spmd
