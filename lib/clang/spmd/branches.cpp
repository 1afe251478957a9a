// Where lanes go from a block: the masks of the blocks that it branches to, and the values that arrive there.
#include "clang/spmd/vectorizer.hpp"

namespace kiln::clang_module::spmd {

void Vectorizer::leave(const Region& region, unsigned at) {
  llvm::BasicBlock* const from = region.nodes()[at].block;
  const Vectors mask = reached_.lookup({&region, at});
  if (auto* const choice = llvm::dyn_cast<llvm::SwitchInst>(from->getTerminator())) return leave_switch(region, at, *choice);
  auto* const branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
  if (branch == nullptr) return;
  if (branch->isUnconditional()) return take({from, 0}, nullptr, mask);
  if (!shapes_.diverges(from)) {
    llvm::Value* const condition = widener_.scalar(branch->getCondition());
    take({from, 0}, condition, mask);
    take({from, 1}, builder_.CreateNot(condition), mask);
    return;
  }
  Vectors condition;
  for (unsigned part = 0; part < widener_.width().parts; ++part)
    condition.push_back(widener_.vector(branch->getCondition(), part));
  take({from, 0}, nullptr, both(mask, condition));
  take({from, 1}, nullptr, both(mask, inverse(condition)));
}

void Vectorizer::leave_switch(const Region& region, unsigned at, llvm::SwitchInst& choice) {
  llvm::BasicBlock* const from = region.nodes()[at].block;
  const Vectors mask = reached_.lookup({&region, at});
  const bool uniform = !shapes_.diverges(from);
  Vectors value;
  Vectors other;
  for (unsigned part = 0; part < (uniform ? 1 : widener_.width().parts); ++part) {
    value.push_back(uniform ? widener_.scalar(choice.getCondition()) : widener_.vector(choice.getCondition(), part));
    other.push_back(uniform ? builder_.getTrue() : widener_.all());
  }
  const auto go = [&](const Edge& edge, const Vectors& is) {
    uniform ? take(edge, is.front(), mask) : take(edge, nullptr, both(mask, is));
  };
  for (const auto& each : choice.cases()) {
    llvm::Value* const number = each.getCaseValue();
    Vectors is;
    for (unsigned part = 0; part < value.size(); ++part) {
      is.push_back(
          builder_.CreateICmpEQ(value[part], uniform ? number : builder_.CreateVectorSplat(widener_.width().lanes, number)));
      other[part] = builder_.CreateAnd(other[part], builder_.CreateNot(is[part]));
    }
    go({from, each.getSuccessorIndex()}, is);
  }
  go({from, 0}, other);
}

// The one in which the way begins and ends.
const Region& Vectorizer::region_of(const Edge& edge) const {
  const llvm::Loop* loop = regions_.innermost_of(edge.to());
  while (loop->getHeader() == edge.to() && !loop->contains(edge.from)) loop = loop->getParentLoop();
  return regions_.of(loop);
}

void Vectorizer::take(const Edge& edge, llvm::Value* taken, const Vectors& mask) {
  llvm::BasicBlock* const to = edge.to();
  if (!loop_.contains(to) || to == loop_.getHeader()) return;
  const Region& region = region_of(edge);
  if (to == region.loop().getHeader()) return repeat(region, edge, taken, mask);
  if (const Slots arrival = arrivals_.lookup({&region, region.node_of(to)}); !arrival.empty()) {
    const bool together = shapes_.comes_together(to);
    const Vectors before = load(arrival);
    for (unsigned part = 0; part < arrival.size(); ++part) {
      llvm::Value* const now = together ? whether(taken) : chosen(taken, mask, part);
      builder_.CreateStore(builder_.CreateOr(before[part], now), arrival[part]);
    }
  }
  give_phis(edge, taken, mask);
}

// What leaves a loop: of a lane that stays in it, it is given again before that leaves. So the condition need not be known.
void Vectorizer::give_phis(const Edge& edge, llvm::Value* taken, const Vectors& edge_mask) {
  const bool together = shapes_.comes_together(edge.to());
  const llvm::Loop* const loop = regions_.innermost_of(edge.from);
  const bool leaves = !loop->contains(edge.to()) && shapes_.diverges(loop);
  const Vectors mask = leaves ? reached_.lookup({&regions_.of(loop), regions_.of(loop).node_of(edge.from)}) : edge_mask;
  for (llvm::PHINode& phi : edge.to()->phis()) {
    llvm::Value* const value = phi.getIncomingValueForBlock(edge.from);
    const bool varying = shapes_.of(&phi).is_varying();
    const Slots given = phis_.lookup(&phi);
    const Vectors before = load(given);
    for (unsigned part = 0; part < given.size(); ++part) {
      llvm::Value* widened = varying ? widener_.vector(value, part) : widener_.scalar(value);
      if (varying && !mask.empty() && !together) {
        widened = builder_.CreateSelect(chosen(taken, mask, part), widened, before[part]);
      } else if (taken != nullptr) {
        widened = builder_.CreateSelect(taken, widened, before[part]);
      }
      builder_.CreateStore(widened, given[part]);
    }
  }
}

}  // namespace kiln::clang_module::spmd
