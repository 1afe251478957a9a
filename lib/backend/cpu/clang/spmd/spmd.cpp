#include "backend/cpu/clang/spmd/spmd.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "backend/cpu/clang/spmd/blocks.hpp"
#include "backend/cpu/clang/spmd/vectorizer.hpp"

namespace kiln::clang_module {
namespace {

using namespace spmd;

/// Iterations of an inner loop wait for one another: two vectors side by side take the time of one until the arithmetic itself
/// is the limit, on any processor whose additions take longer than they keep the next one waiting.
constexpr unsigned kParts = 2;
/// Two lanes gain less than masks cost.
constexpr unsigned kFewestLanes = 4;

/// Of a switch that has a case for each value there can be, the default leads out of all loops, to what is never reached. The
/// last case becomes the default. Whether there was one.
bool make_defaults_reachable(llvm::Function& function) {
  bool any = false;
  for (llvm::BasicBlock& block : function) {
    auto* const choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
    if (choice == nullptr || choice->getNumCases() == 0) continue;
    if (!llvm::isa<llvm::UnreachableInst>(choice->getDefaultDest()->getFirstNonPHIOrDbg())) continue;
    choice->getDefaultDest()->removePredecessor(&block);
    const auto last = std::prev(choice->case_end());
    choice->setDefaultDest(last->getCaseSuccessor());
    choice->removeCase(last);
    any = true;
  }
  return any;
}

bool is_marked(const llvm::Loop* loop) {
  return llvm::getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable");
}

/// Why the loop cannot be taken; empty where it can.
std::string why_not(const llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
  if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != loop.getLoopLatch() || loop.getExitBlock() == nullptr ||
      !loop.getExitBlock()->phis().empty()) {
    return "leaves the loop over items";
  }
  if (llvm::isa<llvm::SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop))) return "changes the number of items";
  llvm::LoopBlocksRPO order(const_cast<llvm::Loop*>(&loop));
  order.perform(&loops);
  if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops)) return "jumps into a loop";
  return "";
}

std::string why_not(const llvm::Loop& loop, const Shapes& shapes) {
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    if (!shapes.of(&phi).is_strided()) return "takes a value from one item to the next";
  }
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (std::string why = why_not_wide(instruction, shapes); !why.empty()) return why;
    }
  }
  return "";
}

/// Bits of the widest number that the lanes compute with, or keep from iteration to iteration. C++ computes with 32 at least.
unsigned widest_number(const llvm::Loop& loop, const Shapes& shapes) {
  unsigned bits = 32;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      llvm::Type* type = instruction.getType();
      bool counts =
          shapes.of(&instruction).is_varying() &&
          (type->isFloatingPointTy() || (type->isIntegerTy() && llvm::isa<llvm::PHINode, llvm::LoadInst>(instruction)));
      if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        type = store->getValueOperand()->getType();
        counts = !type->isPointerTy();
      }
      if (counts) bits = std::max(bits, static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
    }
  }
  return bits;
}

/// Loops that are marked for one vector of width 1 are LLVM's where the items' own loops have the same length: along those
/// elements lie side by side.
bool only_where_loops_diverge(const llvm::Loop& loop) {
  return llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.vectorize.width") == 1;
}
bool any_diverges(const llvm::Loop& loop, const Shapes& shapes) {
  return llvm::any_of(loop.getLoopsInPreorder(), [&](const llvm::Loop* inner) { return shapes.diverges(inner); });
}

/// The loop as the vectorizer wants it, and what is known of it.
class Candidate {
 public:
  Candidate(llvm::Loop& loop, llvm::FunctionAnalysisManager& analyses)
      : loop_(loop),
        function_(*loop.getHeader()->getParent()),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function_)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function_)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function_)),
        target_(analyses.getResult<llvm::TargetIRAnalysis>(function_)) {
    llvm::simplifyLoop(&loop, &dominators_, &loops_, &evolution_, nullptr, nullptr, /*PreserveLCSSA=*/false);
    llvm::formLCSSARecursively(loop, dominators_, &loops_, &evolution_);
  }

  /// Whether it became a loop over vectors of items.
  bool vectorize() {
    if (!why_not(loop_, loops_, evolution_).empty() || !bring_addresses_into(loop_)) return false;
    const Regions regions(loop_, loops_, dominators_);
    const Shapes shapes(regions, evolution_);
    const unsigned registers =
        static_cast<unsigned>(target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
    const Width width{.lanes = registers / widest_number(loop_, shapes), .parts = kParts};
    const bool threads = function_.getName() == kThreadsName;
    if (!why_not(loop_, shapes).empty() || width.lanes < (threads ? 2 : kFewestLanes)) return false;
    if (only_where_loops_diverge(loop_) && !any_diverges(loop_, shapes)) return false;
    Vectorizer(regions, shapes, evolution_, width).run();
    if (threads) function_.addFnAttr(kLanesName, std::to_string(width.all()));
    return true;
  }

 private:
  llvm::Loop& loop_;
  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  llvm::TargetTransformInfo& target_;
};

/// Of memory that no other thread reaches: a block of one thread has its shared memory for itself.
bool lower_own_atomics(llvm::Function& function) {
  bool any = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
    if (change == nullptr && exchange == nullptr) continue;
    const llvm::Value* const memory = llvm::getUnderlyingObject(instruction.getOperand(0), /*MaxLookup=*/0);
    if (!llvm::isa<llvm::AllocaInst>(memory) ||
        llvm::PointerMayBeCaptured(memory, /*ReturnCaptures=*/true, /*StoreCaptures=*/true)) {
      continue;
    }
    any = true;
    if (change != nullptr) {
      llvm::lowerAtomicRMWInst(change);
    } else {
      llvm::lowerAtomicCmpXchgInst(exchange);
    }
  }
  return any;
}

class VectorizeItems : public llvm::PassInfoMixin<VectorizeItems> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    bool any = lower_own_atomics(function);
    if (llvm::any_of(analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder(), is_marked)) {
      any = make_defaults_reachable(function) || any;
    }
    if (any) analyses.invalidate(function, llvm::PreservedAnalyses::none());
    std::set<const llvm::BasicBlock*> seen;
    while (llvm::Loop* const loop = next(function, analyses, seen)) {
      if (Candidate(*loop, analyses).vectorize()) any = true;
      analyses.invalidate(function, llvm::PreservedAnalyses::none());
    }
    if (!any) return seen.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    llvm::FunctionPassManager cleanup;
    cleanup.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    cleanup.addPass(llvm::InstCombinePass());
    cleanup.addPass(llvm::SimplifyCFGPass());
    cleanup.run(function, analyses);
    return llvm::PreservedAnalyses::none();
  }

 private:
  /// Of loops that kernels-src marks as safe to vectorize one that LLVM's vectorizer does not take.
  static llvm::Loop* next(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                          std::set<const llvm::BasicBlock*>& seen) {
    for (llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (loop->isInnermost() && function.getName() != kThreadsName) continue;
      if (!is_marked(loop)) continue;
      if (seen.insert(loop->getHeader()).second) return loop;
    }
    return nullptr;
  }
};

}  // namespace

void vectorize_items_with_loops(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(VectorizeItems()); });
}

}  // namespace kiln::clang_module
