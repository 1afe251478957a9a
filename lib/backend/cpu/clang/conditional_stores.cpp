#include "backend/cpu/clang/conditional_stores.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace kiln::clang_module {
namespace {

class KeepConditionalStores : public llvm::PassInfoMixin<KeepConditionalStores> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (!loop->isInnermost()) continue;
      llvm::SmallVector<llvm::BasicBlock*, 2> latches;
      loop->getLoopLatches(latches);
      const auto is_one_place = [&](llvm::Instruction& instruction) {
        auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        return store != nullptr && !loop->isLoopInvariant(store->getPointerOperand()) &&
               evolution.isLoopInvariant(evolution.getSCEV(store->getPointerOperand()), loop);
      };
      const bool any = llvm::any_of(loop->blocks(), [&](llvm::BasicBlock* block) {
        const bool always =
            llvm::all_of(latches, [&](const llvm::BasicBlock* latch) { return dominators.dominates(block, latch); });
        return !always && llvm::any_of(*block, is_one_place);
      });
      if (any) llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    }
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

void keep_conditional_stores(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(KeepConditionalStores()); });
}

}  // namespace kiln::clang_module
