#include "backend/cpu/clang/spmd/spmd.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <string>

#include "backend/cpu/clang/spmd/blocks.hpp"
#include "backend/cpu/clang/spmd/vectorizer.hpp"

namespace kiln::clang_module {
namespace {

using namespace spmd;

/// Iterations of an inner loop wait for one another: two vectors side by side take the time of one until the arithmetic itself
/// is the limit, on any processor whose additions take longer than they keep the next one waiting.
constexpr unsigned kParts = 2;

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

/// Bits of the widest number that the lanes compute with, or keep from iteration to iteration.
unsigned widest_number(const llvm::Loop& loop, const Shapes& shapes) {
  unsigned bits = 8;
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

class VectorizeItems : public llvm::PassInfoMixin<VectorizeItems> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    bool any = false;
    while (vectorize_one(function, analyses)) {
      analyses.invalidate(function, llvm::PreservedAnalyses::none());
      any = true;
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

 private:
  static bool vectorize_one(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
      if (loop->isInnermost() && function.getName() != kThreadsName) continue;
      if (!llvm::getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable")) continue;
      auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
      auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
      std::string why = why_not(*loop, loops, evolution);
      if (why.empty() && !bring_addresses_into(*loop)) why = "uses a local variable outside the item";
      if (why.empty()) {
        const Regions regions(*loop, loops, dominators);
        const Shapes shapes(regions, evolution);
        why = why_not(*loop, shapes);
        if (why.empty() && (any_diverges(*loop, shapes) || !only_where_loops_diverge(*loop))) {
          const auto registers = analyses.getResult<llvm::TargetIRAnalysis>(function).getRegisterBitWidth(
              llvm::TargetTransformInfo::RGK_FixedWidthVector);
          const unsigned lanes = static_cast<unsigned>(registers.getFixedValue()) / widest_number(*loop, shapes);
          const Width width{.lanes = std::max(lanes, 2U), .parts = kParts};
          Vectorizer(regions, shapes, evolution, width).run();
          if (function.getName() == kThreadsName) function.addFnAttr(kLanesName, std::to_string(width.all()));
          return true;
        }
      }
    }
    return false;
  }
};

}  // namespace

void vectorize_items_with_loops(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.addPass(VectorizeItems());
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
  });
}

}  // namespace kiln::clang_module
