#include "clang/passes/half_promotion.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace kiln::clang_module {
namespace {

bool is_half(const llvm::Type* type) {
  return type->getScalarType()->isHalfTy();
}
bool is_half(const llvm::Value* value) {
  return is_half(value->getType());
}

/// A replacement of one instruction, inserted before it.
class Rewriter {
 public:
  explicit Rewriter(llvm::Instruction& instruction) : instruction_(instruction), build_(&instruction) {
    if (llvm::isa<llvm::FPMathOperator>(instruction)) build_.setFastMathFlags(instruction.getFastMathFlags());
  }

  /// What stands for it; null for what may stay.
  llvm::Value* rewritten() {
    if (auto* const compared = llvm::dyn_cast<llvm::FCmpInst>(&instruction_)) {
      if (!is_half(operand(0))) return nullptr;
      return build_.CreateFCmp(compared->getPredicate(), wide(operand(0)), wide(operand(1)));
    }
    if (auto* const cast = llvm::dyn_cast<llvm::CastInst>(&instruction_)) return converted(*cast);
    if (!is_half(&instruction_)) return nullptr;
    if (auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction_)) {
      return narrow(build_.CreateBinOp(binary->getOpcode(), wide(operand(0)), wide(operand(1))));
    }
    if (llvm::isa<llvm::UnaryOperator>(instruction_)) {
      return from_bits(build_.CreateXor(bits(operand(0)), kSign));
    }
    if (auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction_)) return computed(*call);
    return nullptr;
  }

 private:
  static constexpr std::uint64_t kSign = 0x8000;

  llvm::Value* converted(llvm::CastInst& cast) {
    llvm::Type* const to = cast.getType();
    llvm::Value* const from = operand(0);
    switch (cast.getOpcode()) {
      case llvm::Instruction::FPToSI:
      case llvm::Instruction::FPToUI:
        return is_half(from) ? build_.CreateCast(cast.getOpcode(), wide(from), to) : nullptr;
      case llvm::Instruction::SIToFP:
      case llvm::Instruction::UIToFP:
        // What has more digits than float32 would be rounded twice.
        return is_half(to) && from->getType()->getScalarSizeInBits() <= 16
                   ? narrow(build_.CreateCast(cast.getOpcode(), from, float_like(to)))
                   : nullptr;
      case llvm::Instruction::FPExt:
        return is_half(from) && to->getScalarType()->isDoubleTy() ? build_.CreateFPExt(wide(from), to) : nullptr;
      default:
        return nullptr;
    }
  }

  llvm::Value* computed(llvm::IntrinsicInst& call) {
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::fabs:
        return from_bits(build_.CreateAnd(bits(operand(0)), kSign - 1));
      case llvm::Intrinsic::copysign:
        return from_bits(
            build_.CreateOr(build_.CreateAnd(bits(operand(0)), kSign - 1), build_.CreateAnd(bits(operand(1)), kSign)));
      case llvm::Intrinsic::sqrt:
      case llvm::Intrinsic::floor:
      case llvm::Intrinsic::ceil:
      case llvm::Intrinsic::trunc:
      case llvm::Intrinsic::rint:
      case llvm::Intrinsic::nearbyint:
      case llvm::Intrinsic::round:
      case llvm::Intrinsic::roundeven:
      case llvm::Intrinsic::minnum:
      case llvm::Intrinsic::maxnum:
      case llvm::Intrinsic::minimum:
      case llvm::Intrinsic::maximum: {
        llvm::SmallVector<llvm::Value*, 2> operands;
        for (llvm::Use& argument : call.args()) operands.push_back(wide(argument.get()));
        return narrow(build_.CreateIntrinsic(call.getIntrinsicID(), {float_like(call.getType())}, operands));
      }
      default:
        return nullptr;
    }
  }

  [[nodiscard]] llvm::Value* operand(unsigned number) const { return instruction_.getOperand(number); }
  llvm::Type* float_like(llvm::Type* type) { return type->getWithNewType(build_.getFloatTy()); }
  llvm::Value* wide(llvm::Value* half) { return build_.CreateFPExt(half, float_like(half->getType())); }
  /// Float32 has the digits that make a second rounding of a sum, a product, a quotient or a root harmless: 24 >= 2 * 11 + 2.
  llvm::Value* narrow(llvm::Value* value) { return build_.CreateFPTrunc(value, instruction_.getType()); }
  llvm::Value* bits(llvm::Value* half) {
    return build_.CreateBitCast(half, half->getType()->getWithNewType(build_.getInt16Ty()));
  }
  llvm::Value* from_bits(llvm::Value* value) { return build_.CreateBitCast(value, instruction_.getType()); }

  llvm::Instruction& instruction_;
  llvm::IRBuilder<> build_;
};

bool converts_halves(const llvm::Instruction& instruction) {
  return (llvm::isa<llvm::FPExtInst>(instruction) && is_half(instruction.getOperand(0))) ||
         (llvm::isa<llvm::FPTruncInst>(instruction) && is_half(&instruction));
}

/// Elements of a vector of the numbers that the loop computes with; 0 where it has no halves.
unsigned width_of(const llvm::Loop& loop, unsigned register_bits) {
  bool any = false;
  unsigned widest = 32;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      any = any || converts_halves(instruction);
      if (instruction.getType()->isDoubleTy()) widest = 64;
    }
  }
  return any ? register_bits / widest : 0;
}

/// LLVM 19 knows what it costs to convert 4 and 8 halves, guesses that 16 cost more than four times as much, and takes 4: the
/// sine of a float16 took 4 times float32's time.
void set_widths(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto registers =
      analyses.getResult<llvm::TargetIRAnalysis>(function).getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector);
  for (llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !llvm::getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable") ||
        llvm::findOptionMDForLoop(loop, "llvm.loop.vectorize.width") != nullptr) {
      continue;
    }
    const unsigned width = width_of(*loop, static_cast<unsigned>(registers.getFixedValue()));
    if (width > 1) llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.width", width);
  }
}

enum class Place { in_front_of_vectorizer, last };

class WidenHalves : public llvm::PassInfoMixin<WidenHalves> {
 public:
  explicit WidenHalves(Place place) : place_(place) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (!llvm::Triple(function.getParent()->getTargetTriple()).isX86()) return llvm::PreservedAnalyses::all();
    bool changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value* const replacement = Rewriter(instruction).rewritten();
      if (replacement == nullptr) continue;
      replacement->takeName(&instruction);
      instruction.replaceAllUsesWith(replacement);
      instruction.eraseFromParent();
      changed = true;
    }
    if (place_ == Place::in_front_of_vectorizer) set_widths(function, analyses);
    if (!changed) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }

 private:
  Place place_;
};

}  // namespace

void widen_halves(llvm::PassBuilder& builder) {
  // In front of the vectorizer, which sees what a loop costs, and behind the last that narrows.
  builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(WidenHalves(Place::in_front_of_vectorizer));
  });
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(WidenHalves(Place::last)));
  });
}

}  // namespace kiln::clang_module
