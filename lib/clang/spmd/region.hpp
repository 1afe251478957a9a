// The blocks of a loop in an order in which all lanes can run through them: what comes before what, what guards what, and which
// blocks the same lanes reach. Nothing is changed here.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <functional>
#include <memory>
#include <vector>

namespace kiln::clang_module::spmd {

/// A way from one block to another: the successor's number of the block's terminator.
struct Edge {
  llvm::BasicBlock* from;
  unsigned successor;
  [[nodiscard]] llvm::BasicBlock* to() const;
};

/// A block of a loop, or a loop in it.
struct Node {
  llvm::BasicBlock* block;            ///< of a loop its header
  llvm::Loop* loop;                   ///< null: a block
  unsigned dominator;                 ///< the node that every way here leads through
  bool always;                        ///< whoever reaches the dominator reaches this in the same iteration
  std::vector<unsigned> dominated;    ///< whose dominator this is, in order
  llvm::SmallVector<Edge, 2> before;  ///< ways here that stay in the loop; none of the first node
};

/// A loop whose inner loops are single nodes: without cycles, from the header (node 0) on. A node stands behind every node that
/// leads to it.
class Region {
 public:
  Region(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators);

  [[nodiscard]] llvm::Loop& loop() const { return loop_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  /// The node that the block is, or is in; the block is the loop's.
  [[nodiscard]] unsigned node_of(const llvm::BasicBlock* block) const { return numbers_.lookup(block); }

 private:
  void number(const llvm::LoopInfo& loops);
  [[nodiscard]] bool always_reached(unsigned from, unsigned to) const;
  [[nodiscard]] llvm::SmallVector<llvm::BasicBlock*, 4> successors_of(const Node& node) const;

  llvm::Loop& loop_;
  std::vector<Node> nodes_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> numbers_;
};

/// The regions of a loop and of all loops in it.
class Regions {
 public:
  Regions(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators);
  [[nodiscard]] const Region& of(const llvm::Loop* loop) const { return *regions_.find(loop)->second; }
  [[nodiscard]] llvm::Loop& outermost() const { return *outermost_; }
  [[nodiscard]] llvm::Loop* innermost_of(const llvm::BasicBlock* block) const { return loops_.getLoopFor(block); }

 private:
  llvm::Loop* outermost_;
  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const llvm::Loop*, std::unique_ptr<Region>> regions_;
};

}  // namespace kiln::clang_module::spmd
