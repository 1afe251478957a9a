#include "clang/passes/thread_places.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>

namespace kiln::clang_module {
namespace {

constexpr llvm::StringRef kHere = "kiln_here";
constexpr llvm::StringRef kEnter = "kiln_enter";
constexpr llvm::StringRef kDynamicSection = "kiln_dynamic";

/// The kernel's function hands its variable over once, in front of its loops.
llvm::CallInst* entry_of(const llvm::Function& function) {
  const llvm::Function* const enter = function.getParent()->getFunction(kEnter);
  if (enter == nullptr) return nullptr;
  for (const llvm::User* const user : enter->users()) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call != nullptr && call->getFunction() == &function) return const_cast<llvm::CallInst*>(call);
  }
  return nullptr;
}

/// In front of everything: what optimizations know of a variable of the whole process is not true of one thread's.
class GivePlaces : public llvm::PassInfoMixin<GivePlaces> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    give_arrays(module);
    llvm::GlobalVariable* const here = module.getGlobalVariable(kHere);
    llvm::Function* const enter = module.getFunction(kEnter);
    if (here == nullptr && enter == nullptr) return llvm::PreservedAnalyses::all();
    if (here != nullptr) {
      make_instructions(*here);
      mark_users(*here);
      llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false).run(module, analyses);
      make_instructions(*here);  // copies of instructions have become constants
      for (llvm::Use& use : llvm::make_early_inc_range(here->uses())) use.set(place_for(use, *here));
      here->eraseFromParent();
    }
    if (enter != nullptr) {
      for (llvm::User* const user : llvm::make_early_inc_range(enter->users()))
        llvm::cast<llvm::CallInst>(user)->eraseFromParent();
    }
    return llvm::PreservedAnalyses::none();
  }

 private:
  /// Of the constants that are made of it.
  static void make_instructions(llvm::GlobalVariable& variable) {
    llvm::convertUsersOfConstantsToInstructions({&variable});
    variable.removeDeadConstantUsers();
  }

  static void give_arrays(llvm::Module& module) {
    llvm::SmallVector<llvm::GlobalVariable*, 4> arrays;
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (variable.getSection() == kDynamicSection) arrays.push_back(&variable);
    }
    if (arrays.empty()) return;
    llvm::Constant* const here = module.getOrInsertGlobal(kHere, llvm::PointerType::getUnqual(module.getContext()));
    for (llvm::GlobalVariable* const array : arrays) read_address(*array, *here);
  }

  static void read_address(llvm::GlobalVariable& array, llvm::Constant& here) {
    make_instructions(array);
    for (llvm::Use& use : llvm::make_early_inc_range(array.uses())) {
      auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) {
        array.getContext().emitError("the address of an extern __shared__ array cannot initialize another variable");
        return;
      }
      auto* const phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::IRBuilder<> builder(phi != nullptr ? phi->getIncomingBlock(use)->getTerminator() : user);
      use.set(builder.CreateLoad(builder.getPtrTy(), &here));
    }
    array.eraseFromParent();
  }

  /// What uses it becomes part of the kernel's function, which has the variable.
  static void mark_users(const llvm::GlobalVariable& here) {
    llvm::SetVector<llvm::Function*> pending;
    for (const llvm::User* const user : here.users()) {
      if (const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user))
        pending.insert(const_cast<llvm::Function*>(instruction->getFunction()));
    }
    for (std::size_t at = 0; at < pending.size(); ++at) {
      llvm::Function* const function = pending[at];
      if (entry_of(*function) != nullptr) continue;
      function->removeFnAttr(llvm::Attribute::NoInline);
      function->addFnAttr(llvm::Attribute::AlwaysInline);
      for (llvm::User* const user : function->users()) {
        if (auto* const call = llvm::dyn_cast<llvm::CallInst>(user)) pending.insert(call->getFunction());
      }
    }
  }

  static llvm::Value* place_for(const llvm::Use& use, llvm::GlobalVariable& here) {
    auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (user != nullptr) {
      llvm::Function& function = *user->getFunction();
      if (const llvm::CallInst* const entry = entry_of(function)) return entry->getArgOperand(0);
      if (function.use_empty()) return llvm::PoisonValue::get(here.getType());  // nobody calls it
    }
    here.getContext().emitError(
        "threadIdx and its kin, functions of a warp and extern __shared__ arrays cannot stand in a function that calls itself "
        "or whose address is taken, nor initialize a variable of the module");
    return llvm::PoisonValue::get(here.getType());
  }
};

}  // namespace

void give_places(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(GivePlaces()); });
}

}  // namespace kiln::clang_module
