// Loops of a body: as long as one of the lanes is in them.
#include <llvm/IR/Instructions.h>

#include "clang/spmd/vectorizer.hpp"

namespace kiln::clang_module::spmd {
namespace {

/// What decides at the end of an iteration, where that grows from lane to lane: `i < n` of a loop that begins at the lane's
/// number. Null: something else does.
const llvm::ICmpInst* comparison_of(const llvm::Loop& loop, const Shapes& shapes) {
  const llvm::BasicBlock* const latch = loop.getLoopLatch();
  const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  if (loop.getExitingBlock() != latch || branch == nullptr || !branch->isConditional()) return nullptr;
  const auto* const comparison = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (comparison == nullptr || comparison->isEquality() || !loop.contains(comparison)) return nullptr;
  for (const llvm::Use& each : comparison->operands()) {
    if (!shapes.of(each).is_strided() || !each->getType()->isIntegerTy()) return nullptr;
  }
  return comparison;
}

}  // namespace

// Where all lanes are on, and the first and the last decide whether they stay, a loop without masks comes first.
void Vectorizer::emit_loop(const Node& node, const Vectors& mask) {
  if (along_cores_.contains(node.loop)) return emit_along_cores(*node.loop, mask);
  const Region& region = regions_.of(node.loop);
  const Slots next = next_.lookup(node.loop);
  const bool divergent = shapes_.diverges(node.loop);
  for (unsigned part = 0; divergent && part < next.size(); ++part) {
    builder_.CreateStore(mask.empty() ? widener_.all() : mask[part], next[part]);
  }
  llvm::BasicBlock* const begin = block(node.block->getName());
  llvm::BasicBlock* const end = block("left");
  // Each level that is written twice writes all within it twice.
  constexpr unsigned kMostNested = 2;
  const bool twice = divergent && node.loop->getLoopDepth() - loop_.getLoopDepth() <= kMostNested;
  if (const llvm::ICmpInst* const comparison = twice ? comparison_of(*node.loop, shapes_) : nullptr) {
    llvm::BasicBlock* const full = block("full");
    llvm::BasicBlock* const rest = block("rest");
    builder_.CreateCondBr(all(next), full, begin);
    builder_.SetInsertPoint(full);
    clear(next);
    emit_level(region, {});
    builder_.CreateCondBr(all_stay(*node.loop, *comparison), full, rest);
    builder_.SetInsertPoint(rest);
    builder_.CreateCondBr(any(next), begin, end);
  } else {
    builder_.CreateBr(begin);
  }
  builder_.SetInsertPoint(begin);
  const Vectors on = divergent ? load(next) : mask;
  clear(next);
  emit_level(region, on);
  builder_.CreateCondBr(divergent ? any(next) : load(next).front(), begin, end);
  builder_.SetInsertPoint(end);
}

// By the first and the last: those between have what is between, if the numbers do not begin again there.
llvm::Value* Vectorizer::all_stay(const llvm::Loop& loop, const llvm::ICmpInst& comparison) {
  const bool is_signed = comparison.isSigned();
  llvm::Value* stay = builder_.getTrue();
  llvm::SmallVector<llvm::Value*, 2> first;
  llvm::SmallVector<llvm::Value*, 2> last;
  for (const llvm::Use& each : comparison.operands()) {
    const std::int64_t span = shapes_.of(each).stride * static_cast<std::int64_t>(widener_.width().all() - 1);
    first.push_back(widener_.scalar(each));
    last.push_back(builder_.CreateAdd(first.back(), llvm::ConstantInt::getSigned(each->getType(), span)));
    if (span == 0) continue;
    const auto order = span > 0 ? (is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT)
                                : (is_signed ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT);
    stay = builder_.CreateAnd(stay, builder_.CreateICmp(order, first.back(), last.back()));
  }
  const bool stays_if_true =
      llvm::cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator())->getSuccessor(0) == loop.getHeader();
  const auto predicate = stays_if_true ? comparison.getPredicate() : comparison.getInversePredicate();
  stay = builder_.CreateAnd(stay, builder_.CreateICmp(predicate, first[0], first[1]));
  return builder_.CreateAnd(stay, builder_.CreateICmp(predicate, last[0], last[1]));
}

// What lanes have that are in the loop no longer does not matter.
void Vectorizer::repeat(const Region& region, const Edge& edge, llvm::Value* taken, const Vectors& mask) {
  const Slots next = next_.lookup(&region.loop());
  const bool divergent = shapes_.diverges(&region.loop());
  for (unsigned part = 0; part < next.size(); ++part) {
    builder_.CreateStore(divergent ? chosen(taken, mask, part) : whether(taken), next[part]);
  }
  for (llvm::PHINode& phi : edge.to()->phis()) {
    llvm::Value* const value = phi.getIncomingValueForBlock(edge.from);
    const Slots given = phis_.lookup(&phi);
    for (unsigned part = 0; part < given.size(); ++part) {
      builder_.CreateStore(shapes_.of(&phi).is_varying() ? widener_.vector(value, part) : widener_.scalar(value), given[part]);
    }
  }
}

}  // namespace kiln::clang_module::spmd
