// Loops over items of a generalized ufunc: whether their vectors are of items, or along the items' cores.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>

#include "clang/spmd/shapes.hpp"

namespace kiln::clang_module::spmd {

using LoopSet = llvm::SmallPtrSet<const llvm::Loop*, 4>;

struct LoopAnalyses {
  llvm::ScalarEvolution& evolution;
  llvm::DominatorTree& dominators;
  llvm::LoopAccessInfoManager& accesses;
  const llvm::TargetTransformInfo& target;
};

/// Loops that are marked for one vector of width 1 are of items that have elements of their own.
[[nodiscard]] bool is_of_items(const llvm::Loop& loop);

/// Whether what an inner loop accesses is consecutive, or is one and the same.
[[nodiscard]] bool goes_along(const llvm::Loop& inner, llvm::ScalarEvolution& evolution);

/// Whether an item without loops has a few consecutive elements, which LLVM's vectorizer reads and writes as whole
/// vectors that it shuffles. `shapes`: without tiles.
[[nodiscard]] bool suits_shuffles(const llvm::Loop& loop, const Shapes& shapes);
/// Gives a loop over items to LLVM's vectorizer.
void leave_to_llvm(llvm::Loop& loop);

/// Whether lanes are better than what LLVM makes of one item: where items go different ways or read what is the same for all,
/// and where most of what they read and write is adjacent, unless each of an item's loops is a row of vectors itself.
[[nodiscard]] bool suits_lanes(llvm::Loop& loop, const Shapes& shapes, LoopAnalyses analyses);

/// The number of items below which they go one after the other, as a value in front of the loop; null where lanes take any
/// number, as in kernels for many items.
[[nodiscard]] llvm::Value* fewest_for_lanes(llvm::Loop& loop, const Shapes& shapes, LoopAnalyses analyses, unsigned lanes);

/// The inner loops of which LLVM makes vectors along cores that lanes have in windows. They go on for one item after the other,
/// on the cores themselves, between loops that lanes compute.
[[nodiscard]] LoopSet loops_along_cores(llvm::Loop& loop, const Shapes& shapes, LoopAnalyses analyses);

}  // namespace kiln::clang_module::spmd
