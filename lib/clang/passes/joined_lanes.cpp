#include "clang/passes/joined_lanes.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstddef>

namespace kiln::clang_module {
namespace {

constexpr llvm::StringLiteral kJoined = "kiln-joined";
constexpr llvm::StringLiteral kNamesJoined = "_joined";

using Calls = llvm::SmallVector<llvm::CallInst*, 2>;

llvm::Function* marked_with(const llvm::CallInst& call) {
  const llvm::Function* const called = call.getCalledFunction();
  if (called == nullptr || !called->hasFnAttribute(kJoined) || call.arg_size() != 1) return nullptr;
  return called->getParent()->getFunction(called->getFnAttribute(kJoined).getValueAsString());
}

/// A block's calls of different marked functions with one argument, which it brings together.
Calls calls_to_join(llvm::BasicBlock& block) {
  llvm::MapVector<llvm::Value*, Calls> of_argument;
  for (llvm::Instruction& instruction : block) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && marked_with(*call) != nullptr) of_argument[call->getArgOperand(0)].push_back(call);
  }
  Calls found;
  for (const auto& [argument, calls] : of_argument) {
    const llvm::Function* const first = calls.front()->getCalledFunction();
    if (llvm::any_of(calls, [first](const llvm::CallInst* call) { return call->getCalledFunction() != first; })) {
      // Consecutive, so that nothing stands between their branches.
      for (std::size_t i = 1; i < calls.size(); ++i) calls[i]->moveAfter(calls[i - 1]);
      llvm::append_range(found, calls);
    }
  }
  return found;
}

class JoinLanes : public llvm::PassInfoMixin<JoinLanes> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    Calls found;
    for (llvm::BasicBlock& block : function) llvm::append_range(found, calls_to_join(block));
    if (found.empty()) return llvm::PreservedAnalyses::all();
    for (llvm::CallInst* const call : found) {
      call->setCalledFunction(marked_with(*call));
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    const auto run_also = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
    run_also(llvm::EarlyCSEPass());
    // Each function has a branch to code for rare numbers, on one condition now: of several branches one is left.
    run_also(llvm::JumpThreadingPass(kMostCopied));
    run_also(llvm::SimplifyCFGPass());
    return llvm::PreservedAnalyses::none();
  }

 private:
  /// Instructions between two branches.
  static constexpr int kMostCopied = 32;
};

/// A sine alone is the usual kernel, and the optimizer would work on its joined function for nothing.
class DropUnjoined : public llvm::PassInfoMixin<DropUnjoined> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    bool changed = false;
    for (llvm::Function& named : module) {
      if (named.getName().starts_with("kiln_of_lanes_") && named.getName().ends_with(kNamesJoined)) changed |= drop(named);
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

 private:
  static bool drop(llvm::Function& named) {
    llvm::SmallPtrSet<llvm::Value*, 4> lanes, joined;
    for (const llvm::User* const user : named.users()) {
      const auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &named) return false;
      lanes.insert(call->getArgOperand(1));
      joined.insert(call->getArgOperand(2));
    }
    if (lanes.size() != 1) return false;
    for (const llvm::Use& use : named.uses()) {
      auto* const call = llvm::cast<llvm::CallInst>(use.getUser());
      call->setArgOperand(2, llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(call->getArgOperand(2)->getType())));
    }
    for (llvm::Value* const each : joined) {
      if (auto* const function = llvm::dyn_cast<llvm::Function>(each)) erase_unused(*function);
    }
    return true;
  }

  /// With what it alone calls.
  static void erase_unused(llvm::Function& joined) {
    llvm::SmallSetVector<llvm::Function*, 8> left;
    left.insert(&joined);
    while (!left.empty()) {
      llvm::Function* const function = left.pop_back_val();
      if (!function->use_empty() || !function->isDiscardableIfUnused()) continue;
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call != nullptr && call->getCalledFunction() != nullptr) left.insert(call->getCalledFunction());
      }
      function->eraseFromParent();
    }
  }
};

}  // namespace

llvm::Function* take_joined(const llvm::CallInst& call, llvm::SmallVectorImpl<llvm::Value*>& arguments) {
  if (!call.getCalledFunction()->getName().ends_with(kNamesJoined)) return nullptr;
  return llvm::dyn_cast<llvm::Function>(arguments.pop_back_val());
}

void set_joined(llvm::Function& lanes, const llvm::Function& joined) {
  lanes.addFnAttr(kJoined, joined.getName());
}

void join_lanes(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(DropUnjoined()); });
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(JoinLanes()));
  });
}

}  // namespace kiln::clang_module
