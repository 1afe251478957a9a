#include "backend/cpu/clang/shift_amounts.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>

namespace kiln::clang_module {
namespace {

class DefineShifts : public llvm::PassInfoMixin<DefineShifts> {
 public:
  static bool isRequired() { return true; }
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    bool changed = false;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const shift = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (shift == nullptr || !shift->isShift()) continue;
      llvm::Value* const amount = shift->getOperand(1);
      const unsigned bits = amount->getType()->getScalarSizeInBits();
      if (llvm::isa<llvm::Constant>(amount) || !llvm::isPowerOf2_32(bits)) continue;
      llvm::IRBuilder<> build(shift);
      shift->setOperand(1, build.CreateAnd(amount, llvm::ConstantInt::get(amount->getType(), bits - 1)));
      changed = true;
    }
    if (!changed) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

}  // namespace

void define_shifts(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(DefineShifts()));
  });
}

}  // namespace kiln::clang_module
