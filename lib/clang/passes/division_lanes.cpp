#include "clang/passes/division_lanes.hpp"

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

namespace kiln::clang_module {
namespace {

constexpr unsigned kMostDivisions = 2048;  ///< of all lanes; more cost more time than their lanes save
constexpr unsigned kFewestLanes = 2;
constexpr const char* kWidth = "llvm.loop.vectorize.width";

/// A divisor that is constant becomes a product.
bool divides(const llvm::Instruction& instruction) {
  return instruction.isIntDivRem() && !llvm::isa<llvm::Constant>(instruction.getOperand(1));
}

struct Content {
  unsigned divisions = 0;
  unsigned widest = 8;  ///< bits of an element in memory, which decide how many lanes LLVM takes
};

Content content_of(const llvm::Loop& loop) {
  Content found;
  const llvm::DataLayout& layout = loop.getHeader()->getDataLayout();
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (divides(instruction)) ++found.divisions;
      const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr && !llvm::isa<llvm::LoadInst>(instruction)) continue;
      llvm::Type* const type = store != nullptr ? store->getValueOperand()->getType() : instruction.getType();
      const auto bits = layout.getTypeSizeInBits(type).getFixedValue();
      found.widest = std::max(found.widest, static_cast<unsigned>(bits));
    }
  }
  return found;
}

class LimitDivisionLanes : public llvm::PassInfoMixin<LimitDivisionLanes> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (loops.empty()) return llvm::PreservedAnalyses::all();
    const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
    const auto vector =
        static_cast<unsigned>(target.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
    for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
      if (!loop->isInnermost()) continue;
      const auto [divisions, widest] = content_of(*loop);
      const auto lanes = static_cast<unsigned>(llvm::getOptionalIntLoopAttribute(loop, kWidth).value_or(0));
      if (divisions * (lanes != 0 ? lanes : vector / widest) <= kMostDivisions) continue;
      llvm::addStringMetadataToLoop(loop, kWidth, std::max(kFewestLanes, llvm::bit_floor(kMostDivisions / divisions)));
    }
    return llvm::PreservedAnalyses::all();  // marks alone
  }
};

}  // namespace

void limit_division_lanes(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(LimitDivisionLanes()); });
}

}  // namespace kiln::clang_module
