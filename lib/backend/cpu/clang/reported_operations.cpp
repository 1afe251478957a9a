#include "backend/cpu/clang/reported_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>

namespace kiln::clang_module {
namespace {

class DefineWhatIsReported : public llvm::PassInfoMixin<DefineWhatIsReported> {
 public:
  static bool isRequired() { return true; }
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    bool changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction)) {
        auto* const frozen = new llvm::FreezeInst(&instruction, "", instruction.getNextNode());
        instruction.replaceUsesWithIf(frozen, [&](const llvm::Use& use) { return use.getUser() != frozen; });
        changed = true;
      }
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

void define_what_is_reported(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(DefineWhatIsReported()));
  });
}

}  // namespace kiln::clang_module
