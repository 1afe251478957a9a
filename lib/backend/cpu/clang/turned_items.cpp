#include "backend/cpu/clang/turned_items.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <optional>

namespace kiln::clang_module {
namespace {

constexpr const char* kTurn = "kiln_turn_items";
constexpr const char* kRoom = "kiln_room";
// What a loop may be: more would have the vectors on the stack, and takes long to compile.
constexpr unsigned kRegistersLeft = 8;
constexpr std::size_t kLargestBody = 100;

/// kiln_turn_items(to, first, step, count, square, bytes, size, whole, some).
struct Turning {
  llvm::CallInst* call;
  llvm::Value* to() const { return call->getArgOperand(0); }
  llvm::Value* first() const { return call->getArgOperand(1); }
  llvm::Value* count() const { return call->getArgOperand(3); }
  std::uint64_t square() const { return number(4); }
  std::uint64_t bytes() const { return number(5); }
  /// Of its buffer, where that is a constant of the kernel.
  std::optional<std::uint64_t> room() const {
    const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(count());
    return known == nullptr ? std::nullopt : std::optional(known->getZExtValue() * bytes());
  }
  /// Has the whole buffer filled here and now.
  void fill() const { calls(kWhole, to(), first(), count(), nullptr, call); }
  /// Has the elements filled that are left of whole squares.
  void fill_rest() const {
    llvm::IRBuilder<> build(call);
    llvm::Value* const squares = build.CreateAnd(count(), ~(square() - 1));
    const auto behind = [&](llvm::Value* place, std::uint64_t bytes) {
      return build.CreateGEP(build.getInt8Ty(), place, build.CreateMul(squares, build.getInt64(bytes)));
    };
    calls(kWhole, behind(to(), bytes()), behind(first(), number(6)), build.CreateSub(count(), squares), nullptr, call);
  }
  /// One square, from `element` on.
  llvm::CallInst* fill_square(llvm::Value* place, llvm::Value* element, llvm::Instruction* before) const {
    return calls(kSome, place, first(), count(), element, before);
  }

 private:
  static constexpr unsigned kWhole = 7;
  static constexpr unsigned kSome = 8;
  llvm::CallInst* calls(unsigned function, llvm::Value* place, llvm::Value* from, llvm::Value* elements, llvm::Value* element,
                        llvm::Instruction* before) const {
    llvm::IRBuilder<> build(before);
    llvm::SmallVector<llvm::Value*, 5> values{place, from, call->getArgOperand(2), elements};
    if (element != nullptr) values.push_back(element);
    llvm::SmallVector<llvm::Type*, 5> types;
    for (const llvm::Value* const value : values) types.push_back(value->getType());
    return build.CreateCall(llvm::FunctionType::get(build.getVoidTy(), types, false),
                            call->getArgOperand(function)->stripPointerCasts(), values);
  }
  std::uint64_t number(unsigned argument) const {
    return llvm::cast<llvm::ConstantInt>(call->getArgOperand(argument))->getZExtValue();
  }
};

/// The turnings of one function.
class TurnedItems {
 public:
  TurnedItems(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : function_(function),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        assumptions_(analyses.getResult<llvm::AssumptionAnalysis>(function)),
        target_(analyses.getResult<llvm::TargetIRAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)) {}

  void replace(llvm::ArrayRef<Turning> turnings) {
    llvm::SmallVector<std::pair<llvm::Loop*, llvm::SmallVector<Turning, 2>>, 2> in_loops;
    for (const Turning& turning : turnings) {
      llvm::Loop* const loop = only_reader(turning);
      if (loop == nullptr) {
        turning.fill();
        turning.call->eraseFromParent();
        continue;
      }
      const auto known = llvm::find_if(in_loops, [&](const auto& entry) { return entry.first == loop; });
      if (known == in_loops.end()) {
        in_loops.push_back({loop, {turning}});
      } else {
        known->second.push_back(turning);
      }
    }
    for (auto& [loop, of_loop] : in_loops) {
      if (!fits(of_loop) || !unroll(*loop, of_loop.front().square())) {
        for (const Turning& turning : of_loop) turning.fill();
      } else {
        for (const Turning& turning : of_loop) turn_in_loop(*loop, turning);
      }
      for (const Turning& turning : of_loop) turning.call->eraseFromParent();
    }
    for (llvm::CallInst* const call : inlined_) {
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
  }

 private:
  /// How far behind the start of the buffer `load` reads: so many bytes more in each turn of a loop; null for anything else.
  const llvm::SCEVAddRecExpr* distance(llvm::LoadInst& load, const Turning& turning) {
    if (function_.getDataLayout().getTypeStoreSize(load.getType()) != turning.bytes()) return nullptr;
    const llvm::SCEV* const far =
        evolution_.getMinusSCEV(evolution_.getSCEV(load.getPointerOperand()), evolution_.getSCEV(turning.to()));
    const auto* const moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(far);
    return moving != nullptr && moving->isAffine() ? moving : nullptr;
  }
  /// The loop that alone reads the buffer, one vector after the other from the first on; null where something else uses it,
  /// too.
  llvm::Loop* only_reader(const Turning& turning) {
    llvm::Loop* reader = nullptr;
    llvm::SmallVector<llvm::Value*, 8> pointers{turning.to()};
    while (!pointers.empty()) {
      for (llvm::User* const user : pointers.pop_back_val()->users()) {
        if (user == turning.call) continue;
        if (llvm::isa<llvm::GetElementPtrInst>(user)) {
          pointers.push_back(user);
          continue;
        }
        auto* const load = llvm::dyn_cast<llvm::LoadInst>(user);
        const llvm::SCEVAddRecExpr* const moving = load == nullptr ? nullptr : distance(*load, turning);
        if (moving == nullptr || !moving->getStart()->isZero()) return nullptr;
        if (moving->getStepRecurrence(evolution_) != constant(turning.bytes())) return nullptr;
        if (reader != nullptr && reader != moving->getLoop()) return nullptr;
        reader = const_cast<llvm::Loop*>(moving->getLoop());
        ++reads_[turning.call];
      }
    }
    return reader != nullptr && is_suitable(*reader, turning) ? reader : nullptr;
  }
  bool is_suitable(llvm::Loop& loop, const Turning& turning) {
    if (!loop.isInnermost() || loop.getExitingBlock() != loop.getLoopLatch()) return false;
    llvm::simplifyLoop(&loop, &dominators_, &loops_, &evolution_, &assumptions_, nullptr, /*PreserveLCSSA=*/false);
    if (!loop.isLoopSimplifyForm()) return false;
    llvm::BasicBlock* const from = turning.call->getParent();
    if (loops_.getLoopFor(from) != loop.getParentLoop() || !dominators_.dominates(from, loop.getLoopPreheader())) return false;
    std::size_t size = 0;
    for (const llvm::BasicBlock* const block : loop.blocks()) size += block->size();
    if (size > kLargestBody) return false;
    if (const auto room = turning.room()) {
      const std::uint64_t turns = evolution_.getSmallConstantTripCount(&loop);
      return turns % turning.square() == 0 && turns > turning.square() && turns * turning.bytes() <= *room;
    }
    const llvm::SCEV* const again = evolution_.getBackedgeTakenCount(&loop);
    return !llvm::isa<llvm::SCEVCouldNotCompute>(again) && again->getType()->isIntegerTy(64) &&
           evolution_.getAddExpr(again, constant(1)) == evolution_.getSCEV(turning.count());
  }
  const llvm::SCEV* constant(std::uint64_t value) {
    return evolution_.getConstant(llvm::Type::getInt64Ty(function_.getContext()), value);
  }

  bool fits(llvm::ArrayRef<Turning> turnings) const {
    const std::uint64_t bytes = target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector) / 8;
    const unsigned registers = target_.getNumberOfRegisters(target_.getRegisterClassForType(/*Vector=*/true));
    std::uint64_t taken = kRegistersLeft;
    for (const Turning& turning : turnings) {
      if (turning.square() != turnings.front().square()) return false;
      taken += turning.square() * ((turning.bytes() + bytes - 1) / bytes);
    }
    return taken <= registers;
  }
  bool unroll(llvm::Loop& loop, std::uint64_t count) {
    const llvm::UnrollLoopOptions options{.Count = static_cast<unsigned>(count),
                                          .Force = true,
                                          .Runtime = true,
                                          .AllowExpensiveTripCount = true,
                                          .UnrollRemainder = false,
                                          .ForgetAllSCEV = false};
    llvm::formLCSSA(loop, dominators_, &loops_, &evolution_);
    return llvm::UnrollLoop(&loop, options, &loops_, &evolution_, &dominators_, &assumptions_, &target_, &remarks_,
                            /*PreserveLCSSA=*/true) == llvm::LoopUnrollResult::PartiallyUnrolled;
  }

  void turn_in_loop(llvm::Loop& loop, const Turning& turning) {
    evolution_.forgetLoop(&loop);
    llvm::SmallVector<std::pair<llvm::LoadInst*, std::uint64_t>, 16> reads;
    for (llvm::BasicBlock* const block : loop.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load == nullptr) continue;
        if (const auto place = place_in_square(*load, turning)) reads.push_back({load, *place});
      }
    }
    if (reads.size() != turning.square() * reads_.lookup(turning.call)) {
      turning.fill();
      return;
    }
    llvm::Instruction* const begin = &*loop.getHeader()->getFirstInsertionPt();
    llvm::IRBuilder<> build(&*function_.getEntryBlock().getFirstInsertionPt());
    auto* const square = build.CreateAlloca(llvm::ArrayType::get(build.getInt8Ty(), turning.square() * turning.bytes()));
    square->setAlignment(llvm::Align(64));
    llvm::SCEVExpander expander(evolution_, function_.getDataLayout(), "element");
    llvm::Type* const i64 = build.getInt64Ty();
    const llvm::SCEV* const element =
        evolution_.getAddRecExpr(constant(0), constant(turning.square()), &loop, llvm::SCEV::FlagAnyWrap);
    llvm::Value* const first = expander.expandCodeFor(element, i64, begin);
    inlined_.push_back(turning.fill_square(square, first, begin));
    if (!turning.room()) turning.fill_rest();
    for (const auto& [load, place] : reads) {
      build.SetInsertPoint(load);
      llvm::Value* const from = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), square, place);
      load->replaceAllUsesWith(build.CreateAlignedLoad(load->getType(), from, load->getAlign()));
      load->eraseFromParent();
    }
  }
  /// Of a load of the unrolled loop: where its vector stands among those of one turning, in bytes.
  std::optional<std::uint64_t> place_in_square(llvm::LoadInst& load, const Turning& turning) {
    const llvm::SCEVAddRecExpr* const moving = distance(load, turning);
    if (moving == nullptr) return std::nullopt;
    const std::uint64_t whole = turning.square() * turning.bytes();
    const auto* const start = llvm::dyn_cast<llvm::SCEVConstant>(moving->getStart());
    if (start == nullptr || start->getAPInt().uge(whole)) return std::nullopt;
    if (moving->getStepRecurrence(evolution_) != constant(whole)) return std::nullopt;
    return start->getAPInt().getZExtValue();
  }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::AssumptionCache& assumptions_;
  llvm::TargetTransformInfo& target_;
  llvm::OptimizationRemarkEmitter& remarks_;
  llvm::DenseMap<const llvm::CallInst*, std::size_t> reads_;  ///< how many loads of each buffer its loop has
  llvm::SmallVector<llvm::CallInst*, 4> inlined_;
};

class TurnItemsInLoops : public llvm::PassInfoMixin<TurnItemsInLoops> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    llvm::Function* const room = module.getFunction(kRoom);
    if (room == nullptr) return llvm::PreservedAnalyses::all();
    auto& of_functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    if (llvm::Function* const marker = module.getFunction(kTurn)) {
      for (llvm::Function& function : module) {
        llvm::SmallVector<Turning, 4> turnings;
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
          auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          if (call != nullptr && call->getCalledOperand() == marker) turnings.push_back({call});
        }
        if (!turnings.empty()) TurnedItems(function, of_functions).replace(turnings);
      }
    }
    // Not before: each buffer was an object of its own by it.
    for (llvm::User* const user : llvm::make_early_inc_range(room->users())) {
      auto* const call = llvm::cast<llvm::CallInst>(user);
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

void turn_items_in_loops(llvm::PassBuilder& builder) {
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(TurnItemsInLoops()); });
}

}  // namespace kiln::clang_module
