#include "clang/passes/short_rows.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

namespace kiln::clang_module {
namespace {

constexpr const char* kAnnotation = "kiln_rows";
constexpr const char* kAttribute = "kiln-rows";
constexpr const char* kCarried = "kiln.carried";
constexpr unsigned kFewestIterations = 4;
/// Of so few iterations LLVM takes whole vectors or none, without a hint.
constexpr unsigned kTinyIterations = 16;
/// Instructions of an iteration, beside which a mask is nothing.
constexpr unsigned kMuchWork = 16;
/// Loops of an item of more iterations are left to lanes, where each element waits for the one before: LLVM would unroll them.
constexpr unsigned kMostUnrolled = 8;

/// Annotations become attributes of their functions, which stay with them.
class ReadAnnotations : public llvm::PassInfoMixin<ReadAnnotations> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    llvm::GlobalVariable* const list = module.getNamedGlobal("llvm.global.annotations");
    if (list == nullptr) return llvm::PreservedAnalyses::all();
    for (const llvm::Use& entry : list->getInitializer()->operands()) {
      const auto* const annotation = llvm::cast<llvm::ConstantStruct>(entry);
      const auto* const text = llvm::dyn_cast<llvm::GlobalVariable>(annotation->getOperand(1)->stripPointerCasts());
      auto* const function = llvm::dyn_cast<llvm::Function>(annotation->getOperand(0)->stripPointerCasts());
      if (text == nullptr || function == nullptr) continue;
      const auto* const bytes = llvm::dyn_cast<llvm::ConstantDataSequential>(text->getInitializer());
      if (bytes != nullptr && bytes->isCString() && bytes->getAsCString() == kAnnotation) function->addFnAttr(kAttribute);
    }
    list->eraseFromParent();
    return llvm::PreservedAnalyses::none();
  }
};

/// Puts functions with the attribute, which are bodies simplified by themselves, into the loops over items that call them,
/// however long they are: lanes (spmd/) go through no call.
class InlineRows : public llvm::PassInfoMixin<InlineRows> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    llvm::SmallVector<llvm::CallInst*, 4> calls;
    for (llvm::Function& function : module) {
      if (!function.hasFnAttribute(kAttribute) || !function.hasLocalLinkage()) continue;
      for (llvm::User* const user : function.users()) {
        auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
        if (call != nullptr && call->getCalledOperand() == &function) calls.push_back(call);
      }
    }
    if (calls.empty()) return llvm::PreservedAnalyses::all();
    auto& of_functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    const auto assumptions = [&](llvm::Function& function) -> llvm::AssumptionCache& {
      return of_functions.getResult<llvm::AssumptionAnalysis>(function);
    };
    for (llvm::CallInst* const call : calls) {
      llvm::Function& caller = *call->getFunction();
      llvm::Function& called = *call->getCalledFunction();
      llvm::InlineFunctionInfo info(assumptions);
      if (!llvm::InlineFunction(*call, info).isSuccess()) continue;
      if (called.use_empty()) {
        of_functions.clear(called, called.getName());
        called.eraseFromParent();
      }
      of_functions.invalidate(caller, llvm::PreservedAnalyses::none());
      llvm::FunctionPassManager simplify;
      simplify.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
      simplify.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
      simplify.addPass(llvm::InstCombinePass());
      simplify.addPass(llvm::SimplifyCFGPass());
      simplify.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
      simplify.run(caller, of_functions);
      of_functions.invalidate(caller, llvm::PreservedAnalyses::none());
    }
    return llvm::PreservedAnalyses::none();
  }
};

/// Whether it is a function of a library's, no instruction or a few.
bool is_function(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::not_intrinsic:
    case llvm::Intrinsic::acos:
    case llvm::Intrinsic::asin:
    case llvm::Intrinsic::atan:
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::cosh:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp10:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::sinh:
    case llvm::Intrinsic::tan:
    case llvm::Intrinsic::tanh:
      return true;
    default:
      return false;
  }
}

/// A loop of which each iteration computes elements of its own.
class Row {
 public:
  Row(llvm::Loop& loop, llvm::LoopStandardAnalysisResults& analyses)
      : loop_(loop), evolution_(analyses.SE), target_(analyses.TTI), iterations_(evolution_.getSmallConstantTripCount(&loop)) {
    is_row_ =
        loop.isInnermost() && loop.isLoopSimplifyForm() && iterations_ >= kFewestIterations && only_counts() && reads_blocks();
    if (!is_row_) return;
    const llvm::LoopAccessInfo accesses(&loop, &evolution_, &target_, &analyses.TLI, &analyses.AA, &analyses.DT, &analyses.LI);
    is_row_ = accesses.canVectorizeMemory();
  }

  /// Whether vectors are worth it: of adjacent elements, else for the sake of functions; not where most of a few
  /// iterations would go one by one.
  [[nodiscard]] bool suits_vectors() const {
    return is_row_ && writes_ && (beside_ || calls_) &&
           (!is_tiny() || calls_ || roots_ || iterations_ % lanes() == 0 || llvm::isPowerOf2_32(iterations_) || suits_mask());
  }
  [[nodiscard]] bool is_tiny() const { return iterations_ < kTinyIterations; }
  /// Whether what is left of whole vectors had better be one with a mask than single elements. Where vectors of half or a
  /// quarter of the lanes leave nothing LLVM takes those.
  [[nodiscard]] bool suits_mask() const {
    const std::uint64_t left = iterations_ % lanes();
    const bool half = left == iterations_ && llvm::isPowerOf2_32(iterations_) && !calls_;  // a vector itself, of fewer
    if (!masks_ || !beside_ || left == 0 || half) return false;
    if (calls_ || roots_) return is_tiny() || left > 1;
    // Without mask registers they are dear: x * x + 1 of 5 float32 took 2.3 times as long by AVX2.
    return has_mask_registers() &&
           (is_tiny() || (divides_ && left > lanes() / 2) || (work_ >= kMuchWork && left > 1 && !llvm::isPowerOf2_64(left)));
  }
  /// The width that functions have vectors of, where LLVM would take fewer; else 0.
  [[nodiscard]] unsigned width() const { return calls_ && suits_mask() && iterations_ < lanes() ? lanes() : 0; }

 private:
  [[nodiscard]] unsigned lanes() const {
    const auto bits = target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    return std::max(static_cast<unsigned>(bits / 8 / largest_), 1U);
  }
  [[nodiscard]] bool has_mask_registers() const {
    return target_.isLegalMaskedStore(llvm::Type::getInt8Ty(loop_.getHeader()->getContext()), llvm::Align(1));
  }
  [[nodiscard]] bool only_counts() const {
    const llvm::PHINode* const counter = loop_.getInductionVariable(evolution_);
    return llvm::all_of(loop_.getHeader()->phis(), [&](const llvm::PHINode& phi) { return &phi == counter; });
  }
  bool reads_blocks() {
    return llvm::all_of(loop_.blocks(), [&](llvm::BasicBlock* block) {
      return llvm::all_of(*block, [&](llvm::Instruction& instruction) { return takes(instruction); });
    });
  }
  /// Whether vectors can do what the instruction does, and do it sooner.
  bool takes(llvm::Instruction& instruction) {
    ++work_;
    switch (instruction.getOpcode()) {
      case llvm::Instruction::SDiv:
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SRem:
      case llvm::Instruction::URem:
        return false;  // there are none of whole numbers
      case llvm::Instruction::FDiv:
        divides_ = true;
        return true;
      case llvm::Instruction::Call: {
        const auto& call = llvm::cast<llvm::CallInst>(instruction);
        const llvm::Intrinsic::ID id = call.getIntrinsicID();
        roots_ = roots_ || id == llvm::Intrinsic::sqrt;
        calls_ = calls_ || is_function(id);
        return call.doesNotAccessMemory() && call.doesNotThrow() && !call.getType()->isVoidTy();
      }
      case llvm::Instruction::Load:
      case llvm::Instruction::Store:
        return takes_access(instruction);
      default:
        return !instruction.mayReadOrWriteMemory();
    }
  }
  bool takes_access(llvm::Instruction& access) {
    const bool store = llvm::isa<llvm::StoreInst>(access);
    const llvm::SCEV* const place = evolution_.getSCEV(llvm::getLoadStorePointerOperand(&access));
    if (!store && evolution_.isLoopInvariant(place, &loop_)) return true;
    const auto* const moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(place);
    if (moving == nullptr || moving->getLoop() != &loop_ || !moving->isAffine()) return false;
    llvm::Type* const type = llvm::getLoadStoreType(&access);
    const std::uint64_t size = access.getDataLayout().getTypeStoreSize(type);
    const auto* const step = llvm::dyn_cast<llvm::SCEVConstant>(moving->getStepRecurrence(evolution_));
    beside_ = beside_ && step != nullptr && step->getAPInt().abs().getZExtValue() == size;
    const llvm::Align aligned = llvm::getLoadStoreAlignment(&access);
    masks_ = masks_ && (store ? target_.isLegalMaskedStore(type, aligned) : target_.isLegalMaskedLoad(type, aligned));
    writes_ = writes_ || store;
    largest_ = std::max(largest_, size);
    return true;
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  const llvm::TargetTransformInfo& target_;
  unsigned iterations_;
  bool is_row_ = false;
  bool writes_ = false;
  bool beside_ = true;  // each iteration's elements lie beside the next one's, or are the same
  bool masks_ = true;   // there are instructions that take some of them
  bool calls_ = false;  // functions
  bool roots_ = false;
  bool divides_ = false;
  unsigned work_ = 0;
  std::uint64_t largest_ = 1;  // bytes of an element
};

/// Whether the loop carries a value from one iteration to the next, and the one around it does not iterate over consecutive
/// elements, of which vectors could be made.
bool is_carried(llvm::Loop& loop, llvm::LoopStandardAnalysisResults& analyses) {
  if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || analyses.SE.getSmallConstantTripCount(&loop) <= kMostUnrolled)
    return false;
  const bool waits = llvm::any_of(loop.getHeader()->phis(), [&](llvm::PHINode& phi) {
    llvm::InductionDescriptor induction;
    llvm::RecurrenceDescriptor recurrence;
    if (llvm::InductionDescriptor::isInductionPHI(&phi, &loop, &analyses.SE, induction)) return false;
    return !llvm::RecurrenceDescriptor::isReductionPHI(&phi, &loop, recurrence, nullptr, nullptr, &analyses.DT, &analyses.SE) ||
           recurrence.hasExactFPMath();
  });
  const llvm::Loop* const around = loop.getParentLoop();
  if (!waits || around == nullptr) return waits;
  return llvm::any_of(loop.blocks(), [&](llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](llvm::Instruction& instruction) {
      llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
      if (address == nullptr) return false;
      const llvm::SCEV* at = analyses.SE.getSCEV(address);
      while (const auto* const grows = llvm::dyn_cast<llvm::SCEVAddRecExpr>(at)) {
        if (grows->getLoop() == around) {
          const auto* const step = llvm::dyn_cast<llvm::SCEVConstant>(grows->getStepRecurrence(analyses.SE));
          const auto size = instruction.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction));
          return step == nullptr || step->getAPInt().abs() != size.getFixedValue();
        }
        at = grows->getStart();
      }
      return false;
    });
  });
}

class KeepVectorRows : public llvm::PassInfoMixin<KeepVectorRows> {
 public:
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&, llvm::LoopStandardAnalysisResults& analyses,
                              llvm::LPMUpdater&) {
    if (!loop.getHeader()->getParent()->hasFnAttribute(kAttribute)) return llvm::PreservedAnalyses::all();
    if (is_carried(loop, analyses)) {
      llvm::addStringMetadataToLoop(&loop, kCarried, 1);
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
      return llvm::PreservedAnalyses::all();
    }
    const Row row(loop, analyses);
    if (!row.suits_vectors()) return llvm::PreservedAnalyses::all();
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
    if (row.is_tiny() || row.suits_mask()) llvm::addStringMetadataToLoop(&loop, "llvm.loop.vectorize.enable", 1);
    if (row.suits_mask()) llvm::addStringMetadataToLoop(&loop, "llvm.loop.vectorize.predicate.enable", 1);
    if (row.width() > 0) llvm::addStringMetadataToLoop(&loop, "llvm.loop.vectorize.width", row.width());
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

void unroll_carried(llvm::ArrayRef<llvm::Loop*> loops) {
  for (llvm::Loop* const loop : loops) {
    if (!llvm::getBooleanLoopAttribute(loop, kCarried)) continue;
    loop->setLoopID(llvm::makePostTransformationMetadata(loop->getHeader()->getContext(), loop->getLoopID(),
                                                         {kCarried, "llvm.loop.unroll.disable"}, {}));
  }
}

void keep_short_rows(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(ReadAnnotations()); });
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(InlineRows()); });
  builder.registerLateLoopOptimizationsEPCallback(
      [](llvm::LoopPassManager& passes, llvm::OptimizationLevel) { passes.addPass(KeepVectorRows()); });
}

}  // namespace kiln::clang_module
