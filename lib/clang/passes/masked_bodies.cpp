#include "clang/passes/masked_bodies.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <cstddef>

#include "clang/passes/rare_lanes.hpp"

namespace kiln::clang_module {
namespace {

constexpr llvm::StringRef kComputesElement = "kiln_computes";
constexpr llvm::StringRef kLeavesBlocks = "kiln_leaves_blocks";
constexpr llvm::StringRef kOfLanes = "kiln_of_lanes_";  // kernels-src/math/avx512_cpu.hpp

using NamedCalls = llvm::SmallVector<llvm::CallInst*, 4>;

NamedCalls calls_of(llvm::StringRef name, const llvm::Function& caller) {
  NamedCalls calls;
  const llvm::Function* const callee = caller.getParent()->getFunction(name);
  if (callee == nullptr) return calls;
  for (const llvm::User* const user : callee->users()) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call != nullptr && call->getFunction() == &caller) calls.push_back(const_cast<llvm::CallInst*>(call));
  }
  return calls;
}

/// Whether the inliner has yet to come: what a body does stands in functions that it calls.
bool is_before_inlining(const llvm::Function& function) {
  if (function.hasFnAttribute(llvm::Attribute::AlwaysInline)) return true;
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& each) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&each);
    const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
    return callee != nullptr && !callee->isDeclaration() && callee->hasFnAttribute(llvm::Attribute::AlwaysInline);
  });
}

/// Whether an operand of the kernel is read: its address comes from the function's arguments, which bodies have no access to.
bool reads_operand(const llvm::LoadInst& load) {
  const llvm::Value* object = llvm::getUnderlyingObject(load.getPointerOperand());
  if (const auto* const table = llvm::dyn_cast<llvm::LoadInst>(object)) {
    object = llvm::getUnderlyingObject(table->getPointerOperand());
  }
  return load.isSimple() && llvm::isa<llvm::Argument>(object);
}

using Blocks = llvm::SmallSetVector<llvm::BasicBlock*, 16>;

/// Whether a path through the blocks comes back to where it was.
bool has_loop(const Blocks& blocks) {
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> edges;  // to each block, from blocks that are not yet in order
  for (const llvm::BasicBlock* const block : blocks) {
    for (const llvm::BasicBlock* const next : llvm::successors(block)) ++edges[next];
  }
  Blocks ordered;
  for (llvm::BasicBlock* const block : blocks) {
    if (!edges.contains(block)) ordered.insert(block);
  }
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (llvm::BasicBlock* const next : llvm::successors(ordered[i])) {
      if (--edges[next] == 0 && blocks.contains(next)) ordered.insert(next);
    }
  }
  return ordered.size() != blocks.size();
}

/// What a condition guards, and whether it may be executed for any element.
class Guarded {
 public:
  Guarded(const llvm::PostDominatorTree& ends, const llvm::TargetLibraryInfo& library) : ends_(ends), library_(library) {}

  /// Adds what branches on the condition guard, also together with other conditions. False where that is not for every element.
  bool add(llvm::Instruction& condition) {
    llvm::SmallSetVector<llvm::Instruction*, 8> conditions;
    conditions.insert(&condition);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      for (llvm::User* const user : conditions[i]->users()) {
        if (auto* const branch = llvm::dyn_cast<llvm::BranchInst>(user)) {
          if (!add_behind(*branch)) return false;
        } else if (user->getType()->isIntegerTy(1) && !llvm::isa<llvm::CallBase>(user)) {
          conditions.insert(llvm::cast<llvm::Instruction>(user));
        } else if (!llvm::isa<llvm::SelectInst>(user)) {
          return false;
        }
      }
    }
    return true;
  }

  llvm::SmallSetVector<llvm::Instruction*, 8> divisions;  ///< of integers, by what may be 0 or -1
  llvm::SmallSetVector<llvm::Instruction*, 8> assumptions;

 private:
  /// Adds the blocks up to the one where the ways from the branch meet.
  bool add_behind(llvm::BranchInst& branch) {
    const auto* const node = ends_.getNode(branch.getParent());
    const llvm::BasicBlock* const end = node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
    if (end == nullptr) return false;
    Blocks blocks;
    const auto add_successors = [&](llvm::BasicBlock& block) {
      for (llvm::BasicBlock* const next : llvm::successors(&block)) {
        if (next != end) blocks.insert(next);
      }
    };
    add_successors(*branch.getParent());
    for (std::size_t i = 0; i < blocks.size(); ++i) add_successors(*blocks[i]);
    return !has_loop(blocks) && llvm::all_of(blocks, [&](llvm::BasicBlock* block) {
      return llvm::all_of(*block, [&](llvm::Instruction& each) { return may_execute(each); });
    });
  }

  bool may_execute(llvm::Instruction& each) {
    if (llvm::isa<llvm::AssumeInst>(each)) {
      assumptions.insert(&each);
      return true;
    }
    if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&each); load != nullptr && reads_operand(*load)) return true;
    if (each.isIntDivRem() && each.getType()->isIntegerTy() && !llvm::isSafeToSpeculativelyExecute(&each)) {
      divisions.insert(&each);
      return true;
    }
    return is_harmless(each);
  }

  bool is_harmless(const llvm::Instruction& each) {
    if (llvm::isa<llvm::PHINode, llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst>(each)) return true;
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(&each);
    return call == nullptr ? llvm::isSafeToSpeculativelyExecute(&each) : is_harmless_call(*call);
  }

  bool is_harmless_call(const llvm::CallInst& call) {
    if (llvm::isa<llvm::DbgInfoIntrinsic, llvm::NoAliasScopeDeclInst>(call)) return true;
    if (!call.doesNotAccessMemory()) return false;
    if (const auto* const text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
      return text->getAsmString().empty() && !text->hasSideEffects();
    }
    const llvm::Function* const callee = call.getCalledFunction();
    if (callee == nullptr) return false;
    if (!callee->isDeclaration()) return is_harmless_function(*callee);
    llvm::LibFunc function{};
    const bool known = callee->isIntrinsic() || callee->getName() == kComputesElement ||
                       callee->getName().starts_with(kOfLanes) || callee->getName().starts_with(kRarely) ||
                       library_.getLibFunc(*callee, function);
    return known && call.hasFnAttr(llvm::Attribute::WillReturn) && call.doesNotThrow();
  }

  /// That a function always returns says nothing: no loop of C++ goes on for ever, but for numbers that nobody asked for.
  bool is_harmless_function(const llvm::Function& function) {
    if (function.isInterposable() || !functions_.insert(&function).second) return false;  // it may call itself
    Blocks blocks;
    for (const llvm::BasicBlock& block : function) blocks.insert(const_cast<llvm::BasicBlock*>(&block));
    const bool harmless = !has_loop(blocks) && llvm::all_of(llvm::instructions(function),
                                                            [&](const llvm::Instruction& each) { return is_harmless(each); });
    functions_.erase(&function);
    return harmless;
  }

  const llvm::PostDominatorTree& ends_;
  const llvm::TargetLibraryInfo& library_;
  llvm::SmallPtrSet<const llvm::Function*, 4> functions_;  ///< that are being looked at
};

class DecideMaskedBodies : public llvm::PassInfoMixin<DecideMaskedBodies> {
 public:
  explicit DecideMaskedBodies(bool waits) : waits_(waits) {}

  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) const {
    const NamedCalls bodies = calls_of(kComputesElement, function);
    const NamedCalls blocks = calls_of(kLeavesBlocks, function);
    if ((bodies.empty() && blocks.empty()) || (waits_ && is_before_inlining(function))) return llvm::PreservedAnalyses::all();
    const auto& ends = analyses.getResult<llvm::PostDominatorTreeAnalysis>(function);
    const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
    bool divides = false;
    for (llvm::CallInst* const body : bodies) {
      Guarded guarded(ends, library);
      llvm::Value* const counts = body->getArgOperand(0);
      if (!guarded.add(*body)) {
        replace(*body, *counts);
        continue;
      }
      divides = divides || !guarded.divisions.empty();
      for (llvm::Instruction* const division : guarded.divisions) divide_by_1_unless(*counts, *division);
      for (llvm::Instruction* const assumption : guarded.assumptions) assumption->eraseFromParent();
      replace(*body, *llvm::ConstantInt::getTrue(body->getType()));
    }
    for (llvm::CallInst* const each : blocks) replace(*each, *llvm::ConstantInt::getBool(each->getType(), divides));
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }

 private:
  static void replace(llvm::CallInst& call, llvm::Value& by) {
    call.replaceAllUsesWith(&by);
    call.eraseFromParent();
  }

  static void divide_by_1_unless(llvm::Value& counts, llvm::Instruction& division) {
    llvm::Value* const divisor = division.getOperand(1);
    division.setOperand(1, llvm::SelectInst::Create(&counts, divisor, llvm::ConstantInt::get(divisor->getType(), 1), "",
                                                    division.getIterator()));
  }

  bool waits_;
};

}  // namespace

void decide_masked_bodies(llvm::PassBuilder& builder) {
  builder.registerPeepholeEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(DecideMaskedBodies(/*waits=*/true)); });
  builder.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(DecideMaskedBodies(/*waits=*/false)));
  });
}

}  // namespace kiln::clang_module
