#include "clang/passes/reported_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>

#include <iterator>

namespace kiln::clang_module {
namespace {

constexpr llvm::StringRef kIndexReport = "__ubsan_handle_out_of_bounds";

llvm::Value* without_casts(llvm::Value* value) {
  while (auto* const cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  return value;
}

bool is_same_index(llvm::Value* a, llvm::Value* b) {
  if (a == b) return true;
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(a);
  const auto* const other = llvm::dyn_cast<llvm::ConstantInt>(b);
  return number != nullptr && other != nullptr && number->getSExtValue() == other->getSExtValue();
}

/// Clang's check of an index: a branch to the report, and the access behind both.
bool define_index(llvm::CallInst& report) {
  llvm::BasicBlock* const check = report.getParent()->getSinglePredecessor();
  auto* const branch = check == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(check->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return false;
  llvm::Value* const within = branch->getCondition();
  auto* const comparison = llvm::dyn_cast<llvm::ICmpInst>(within);
  llvm::Value* const index = without_casts(comparison != nullptr ? comparison->getOperand(0) : report.getArgOperand(1));
  for (llvm::Instruction& instruction : *branch->getSuccessor(0)) {
    auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (address == nullptr) continue;
    llvm::Use& last = *std::prev(address->idx_end());
    if (!is_same_index(without_casts(last), index)) continue;
    llvm::IRBuilder<> build(address);
    last.set(build.CreateSelect(within, last, llvm::Constant::getNullValue(last->getType())));
    return true;
  }
  return false;
}

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
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName() == kIndexReport)
        changed = define_index(*call) || changed;
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
