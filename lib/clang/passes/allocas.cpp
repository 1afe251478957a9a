#include "clang/passes/allocas.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Passes/PassBuilder.h>

namespace kiln::clang_module {
namespace {

bool is_own(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> pending{pointer};
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  while (!pending.empty()) {
    const llvm::Value* const next = pending.pop_back_val();
    if (!next->getType()->isPointerTy() || !seen.insert(next).second) continue;
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(next, objects, nullptr, /*MaxLookup=*/0);
    for (const llvm::Value* const object : objects) {
      if (llvm::isa<llvm::AllocaInst>(object)) return true;
      // What was kept there may be the address of more, as in a list, which may be a ring.
      if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(object)) pending.push_back(load->getPointerOperand());
    }
  }
  return false;
}

bool touches_own(const llvm::Instruction& instruction) {
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return is_own(load->getPointerOperand());
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return is_own(store->getPointerOperand());
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call == nullptr || llvm::any_of(call->args(), [](const llvm::Use& argument) { return is_own(argument); });
}

// In front of the vectorizer: what SROA and unrolling could put into registers is no memory by then.
class KeepOwnMemory : public llvm::PassInfoMixin<KeepOwnMemory> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.hasMetadata(llvm::LLVMContext::MD_access_group) && touches_own(instruction)) {
        instruction.setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
      }
    }
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

void keep_allocas(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(KeepOwnMemory()); });
}

}  // namespace kiln::clang_module
