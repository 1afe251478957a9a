#include "clang/passes/stoppable_loops.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <llvm/Transforms/Utils/Mem2Reg.h>
#include "clang/driver/users_texts.hpp"

namespace kiln::clang_module {
namespace {

constexpr llvm::StringRef kFaultsOfKernel = "kiln_faults";
constexpr unsigned kStopMember = 2;  // of FaultBuffer: claimed, count, stop
/// Iterations of a loop that ends soon by itself, and may be unrolled.
constexpr unsigned kShort = 64;
constexpr unsigned kStopped = 2;  // what the host reads there where a loop was ended

class LetLoopsStop : public llvm::PassInfoMixin<LetLoopsStop> {
 public:
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    llvm::GlobalVariable* const faults = function.getParent()->getGlobalVariable(kFaultsOfKernel);
    if (faults == nullptr || !is_users(function)) return llvm::PreservedAnalyses::all();
    // Short loops are counted once their counters are in registers.
    llvm::PreservedAnalyses promoted = llvm::PromotePass().run(function, analyses);
    analyses.invalidate(function, promoted);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    llvm::SmallVector<llvm::BasicBlock*, 8> latches;
    for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
      const unsigned most = evolution.getSmallConstantMaxTripCount(loop);  // 0: unknown
      if (most != 0 && most <= kShort) continue;
      llvm::SmallVector<llvm::BasicBlock*, 4> own;
      loop->getLoopLatches(own);
      latches.append(own.begin(), own.end());
    }
    for (llvm::BasicBlock* const latch : latches) end_on_request(*latch, *faults);
    const bool calls_itself = calls(function, function);
    if (calls_itself) {
      llvm::BasicBlock& entry = function.getEntryBlock();  // above the split its variables
      llvm::SplitBlock(&entry, &*entry.getFirstNonPHIOrDbgOrAlloca());
      end_on_request(entry, *faults);
    }
    return latches.empty() && !calls_itself ? promoted : llvm::PreservedAnalyses::none();
  }

 private:
  static bool calls(const llvm::Function& caller, const llvm::Function& callee) {
    return llvm::any_of(callee.users(), [&](const llvm::User* user) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(user);
      return call != nullptr && call->getCalledOperand() == &callee && call->getFunction() == &caller;
    });
  }

  static void end_on_request(llvm::BasicBlock& latch, llvm::GlobalVariable& faults) {
    llvm::Instruction* const last = latch.getTerminator();
    llvm::IRBuilder<> build(last);
    llvm::Value* const stop = build.CreateStructGEP(faults.getValueType(), &faults, kStopMember);
    llvm::Type* const number = build.getInt32Ty();
    llvm::Value* const requested = build.CreateICmpNE(build.CreateLoad(number, stop, /*isVolatile=*/true), build.getInt32(0));
    llvm::Instruction* const end = llvm::SplitBlockAndInsertIfThen(requested, last, /*Unreachable=*/true);
    build.SetInsertPoint(end);
    build.CreateStore(build.getInt32(kStopped), stop, /*isVolatile=*/true);
    llvm::Type* const result = latch.getParent()->getReturnType();
    if (result->isVoidTy()) {
      build.CreateRetVoid();
    } else {
      build.CreateRet(llvm::Constant::getNullValue(result));
    }
    end->eraseFromParent();
  }
};

}  // namespace

void let_loops_stop(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(LetLoopsStop()));
  });
}

}  // namespace kiln::clang_module
