#include "clang/passes/conditional_divisions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <iterator>

#include "clang/passes/integer_divisions.hpp"

namespace kiln::clang_module {
namespace {

bool is_signed(const llvm::Instruction& division) {
  return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

class GuardConditionalDivisions : public llvm::PassInfoMixin<GuardConditionalDivisions> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    bool any = false;
    for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
      if (loop->isInnermost()) any = guard(*loop, loops, dominators, evolution) || any;
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

 private:
  // Operands come before their users.
  static bool guard(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
                    llvm::ScalarEvolution& evolution) {
    llvm::SmallVector<llvm::BasicBlock*, 2> latches;
    loop.getLoopLatches(latches);
    llvm::LoopBlocksRPO order(&loop);
    order.perform(&loops);
    bool any = false;
    const auto is_outside = [&](llvm::Value* value) {
      return loop.makeLoopInvariant(value, any, nullptr, nullptr, &evolution);
    };
    for (llvm::BasicBlock* const block : order) {
      if (llvm::all_of(latches, [&](const llvm::BasicBlock* latch) { return dominators.dominates(block, latch); })) continue;
      for (llvm::Instruction& each : llvm::make_early_inc_range(*block)) {
        if (!evolution.isSCEVable(each.getType()) || llvm::isa<llvm::PHINode>(each)) continue;
        if (llvm::isSafeToSpeculativelyExecute(&each)) {
          if (any) is_outside(&each);  // an address follows the division that it is computed from
          continue;
        }
        const bool divides = divides_integers(each);
        if (divides && loop.getLoopPreheader() == nullptr) {
          any = llvm::InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false) != nullptr || any;
        }
        if (divides && loop.getLoopPreheader() != nullptr && llvm::all_of(each.operands(), is_outside)) {
          hoist(each, *loop.getLoopPreheader()->getTerminator(), evolution);
          any = true;
        } else if (!each.use_empty() && !llvm::isa<llvm::SCEVUnknown>(evolution.getSCEV(&each))) {
          freeze(each, evolution);
          any = true;
        }
      }
    }
    return any;
  }

  static void hoist(llvm::Instruction& division, llvm::Instruction& before, llvm::ScalarEvolution& evolution) {
    llvm::IRBuilder<> builder(&before);
    builder.SetCurrentDebugLocation(division.getDebugLoc());
    // In front of the branch that asks for them, both may be poison.
    const auto frozen = [&](llvm::Value* value) {
      return llvm::isGuaranteedNotToBeUndefOrPoison(value) ? value : builder.CreateFreeze(value);
    };
    llvm::Value* const divisor = frozen(division.getOperand(1));
    llvm::Value* traps = builder.CreateIsNull(divisor);
    if (is_signed(division)) {
      llvm::Value* const dividend = frozen(division.getOperand(0));
      division.setOperand(0, dividend);
      const auto least = llvm::APInt::getSignedMinValue(dividend->getType()->getIntegerBitWidth());
      llvm::Value* const is_least = builder.CreateICmpEQ(dividend, builder.getInt(least));
      llvm::Value* const is_minus_one = builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(divisor->getType()));
      traps = builder.CreateOr(traps, builder.CreateAnd(is_least, is_minus_one));
    }
    evolution.forgetValue(&division);
    division.setOperand(1, builder.CreateSelect(traps, llvm::ConstantInt::get(divisor->getType(), 1), divisor));
    division.moveBefore(&before);
  }

  static void freeze(llvm::Instruction& instruction, llvm::ScalarEvolution& evolution) {
    evolution.forgetValue(&instruction);
    auto* const frozen = new llvm::FreezeInst(&instruction, "", std::next(instruction.getIterator()));
    instruction.replaceUsesWithIf(frozen, [&](const llvm::Use& use) { return use.getUser() != frozen; });
  }
};

}  // namespace

void guard_conditional_divisions(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(GuardConditionalDivisions()); });
}

}  // namespace kiln::clang_module
