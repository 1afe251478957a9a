#include "clang/spmd/region.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>

#include <algorithm>
#include <utility>

namespace kiln::clang_module::spmd {

llvm::BasicBlock* Edge::to() const {
  return from->getTerminator()->getSuccessor(successor);
}

Region::Region(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) : loop_(loop) {
  number(loops);
  for (unsigned at = 1; at < nodes_.size(); ++at) {
    Node& node = nodes_[at];
    for (llvm::BasicBlock* const from : llvm::predecessors(node.block)) {
      if (node.loop != nullptr && node.loop->contains(from)) continue;
      const llvm::Instruction& terminator = *from->getTerminator();
      for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i) {
        const Edge edge{from, i};
        const bool listed =
            llvm::any_of(node.before, [&](const Edge& each) { return each.from == from && each.successor == i; });
        if (edge.to() == node.block && !listed) node.before.push_back(edge);
      }
    }
    node.dominator = node_of(dominators.getNode(node.block)->getIDom()->getBlock());
    nodes_[node.dominator].dominated.push_back(at);
    node.always = always_reached(node.dominator, at);
  }
}

// Behind all that lead to it: the reverse of the order in which a search is done with them.
void Region::number(const llvm::LoopInfo& loops) {
  std::vector<Node> done;
  llvm::DenseSet<const llvm::BasicBlock*> seen;
  const std::function<void(llvm::BasicBlock*)> visit = [&](llvm::BasicBlock* block) {
    llvm::Loop* inner = loops.getLoopFor(block);
    while (inner != &loop_ && inner->getParentLoop() != &loop_) inner = inner->getParentLoop();
    Node node{.block = inner == &loop_ ? block : inner->getHeader(),
              .loop = inner == &loop_ ? nullptr : inner,
              .dominator = 0,
              .always = false,
              .dominated = {},
              .before = {}};
    if (!seen.insert(node.block).second) return;
    for (llvm::BasicBlock* const next : successors_of(node)) {
      if (next != nullptr) visit(next);
    }
    done.push_back(std::move(node));
  };
  visit(loop_.getHeader());
  nodes_.assign(std::make_move_iterator(done.rbegin()), std::make_move_iterator(done.rend()));
  for (unsigned at = 0; at < nodes_.size(); ++at) {
    if (nodes_[at].loop == nullptr) {
      numbers_[nodes_[at].block] = at;
    } else {
      for (const llvm::BasicBlock* const block : nodes_[at].loop->blocks()) numbers_[block] = at;
    }
  }
}

// Null for a way that leaves the loop, or goes to its next iteration, or has no end.
llvm::SmallVector<llvm::BasicBlock*, 4> Region::successors_of(const Node& node) const {
  llvm::SmallVector<llvm::BasicBlock*, 4> all;
  if (node.loop == nullptr) {
    llvm::append_range(all, llvm::successors(node.block));
  } else {
    node.loop->getExitBlocks(all);
  }
  for (llvm::BasicBlock*& next : all) {
    if (next == loop_.getHeader() || !loop_.contains(next)) next = nullptr;
  }
  if (all.empty()) all.push_back(nullptr);
  return all;
}

bool Region::always_reached(unsigned from, unsigned to) const {
  llvm::SmallVector<unsigned, 8> pending{from};
  llvm::DenseSet<unsigned> seen;
  while (!pending.empty()) {
    const unsigned at = pending.pop_back_val();
    if (at == to || !seen.insert(at).second) continue;
    for (const llvm::BasicBlock* const next : successors_of(nodes_[at])) {
      if (next == nullptr) return false;
      pending.push_back(node_of(next));
    }
  }
  return true;
}

Regions::Regions(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators)
    : outermost_(&loop), loops_(loops) {
  for (llvm::Loop* const each : loop.getLoopsInPreorder()) {
    regions_[each] = std::make_unique<Region>(*each, loops, dominators);
  }
}

}  // namespace kiln::clang_module::spmd
