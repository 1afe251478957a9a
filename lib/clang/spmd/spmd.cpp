#include "clang/spmd/spmd.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "clang/driver/users_texts.hpp"
#include "clang/passes/short_rows.hpp"
#include "clang/spmd/blocks.hpp"
#include "clang/spmd/item_loops.hpp"
#include "clang/spmd/legality.hpp"
#include "clang/spmd/split_loops.hpp"
#include "clang/spmd/tiles.hpp"
#include "clang/spmd/vectorizer.hpp"

namespace kiln::clang_module {
namespace {

using namespace spmd;

/// Iterations of an inner loop wait for one another: two independent vectors take the time of one until the arithmetic itself
/// is the limit, on any processor whose additions take longer than they keep the next one waiting.
constexpr unsigned kParts = 2;
/// Instructions of a loop: two vectors of more leave the 32 KiB that a processor's first cache has for code, and take twice as
/// long to compile.
constexpr std::ptrdiff_t kMostForParts = 750;
/// Vectors of a team's threads that go on together, where one warp takes no more.
constexpr unsigned kMostTeamParts = 8;
/// On the stack, of which other threads than the first may have a few megabytes; and more leaves the second cache.
constexpr std::uint64_t kMostPrivateBytes = std::uint64_t{256} << 10;
/// Two lanes gain less than masks cost.
constexpr unsigned kFewestLanes = 4;

/// Of a switch that has a case for each value there can be, the default leads out of all loops, to what is never reached. The
/// last case becomes the default. Whether there was one.
bool make_defaults_reachable(llvm::Function& function) {
  bool any = false;
  for (llvm::BasicBlock& block : function) {
    auto* const choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
    if (choice == nullptr || choice->getNumCases() == 0) continue;
    if (!llvm::isa<llvm::UnreachableInst>(choice->getDefaultDest()->getFirstNonPHIOrDbg())) continue;
    choice->getDefaultDest()->removePredecessor(&block);
    const auto last = std::prev(choice->case_end());
    choice->setDefaultDest(last->getCaseSuccessor());
    choice->removeCase(last);
    any = true;
  }
  return any;
}

bool is_of_threads(const llvm::Loop& loop) {
  return loop.getLoopDepth() == 1 && loop.getHeader()->getParent()->getName() == kThreadsName;
}

/// How many threads there are of which the function computes some, where it is known; else 0.
unsigned team_of(const llvm::Loop& loop) {
  if (!is_of_threads(loop)) return 0;
  return static_cast<unsigned>(llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.vectorize.width").value_or(0));
}

/// For safe, by kernels-src or by the user's own pragma: vectorize(enable) alone says no more than that it may be tried.
bool is_marked(const llvm::Loop* loop) {
  return llvm::getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable") &&
         (is_of_threads(*loop) || llvm::findOptionMDForLoop(loop, "llvm.loop.parallel_accesses") != nullptr);
}

/// Why a loop is not taken, and where; nothing where it is.
struct Refusal {
  std::string why;
  const llvm::Instruction* at = nullptr;
  bool is_scalar = true;  ///< else LLVM makes vectors of one item's elements
};
using Refused = std::optional<Refusal>;

/// In the innermost text of the user's, where debug information says it.
llvm::DebugLoc place_of(const llvm::Instruction* instruction) {
  const llvm::DILocation* place = instruction != nullptr ? instruction->getDebugLoc().get() : nullptr;
  while (place != nullptr && is_kilns_file(place->getFilename())) place = place->getInlinedAt();
  return {place};
}

Refused why_not(const llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
  if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != loop.getLoopLatch() || loop.getExitBlock() == nullptr ||
      !loop.getExitBlock()->phis().empty()) {
    llvm::SmallVector<llvm::BasicBlock*, 4> ends;
    loop.getExitingBlocks(ends);
    for (const llvm::BasicBlock* const end : ends) {
      if (end != loop.getLoopLatch()) return Refusal{"it ends before the last item", end->getTerminator()};
    }
    return Refusal{"something of one item is used behind the last"};
  }
  if (llvm::isa<llvm::SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop))) {
    return Refusal{"it changes the number of items"};
  }
  llvm::LoopBlocksRPO order(const_cast<llvm::Loop*>(&loop));
  order.perform(&loops);
  if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops)) return Refusal{"it jumps into a loop"};
  return std::nullopt;
}

Refused why_not(const llvm::Loop& loop, const Shapes& shapes) {
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    if (!shapes.of(&phi).is_strided()) return Refusal{"it takes a value from one item to the next", &phi};
  }
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (std::string why = why_illegal(instruction, shapes); !why.empty()) return Refusal{"it " + why, &instruction};
    }
  }
  return std::nullopt;
}

/// Bits of the widest number that the lanes compute with, or keep from iteration to iteration. C++ computes with 32 at least.
unsigned widest_number(const llvm::Loop& loop, const Shapes& shapes) {
  unsigned bits = 32;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      llvm::Type* type = instruction.getType();
      bool counts =
          shapes.of(&instruction).is_varying() &&
          (type->isFloatingPointTy() || (type->isIntegerTy() && llvm::isa<llvm::PHINode, llvm::LoadInst>(instruction)));
      if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        type = store->getValueOperand()->getType();
        counts = !type->isPointerTy();
      }
      if (counts) bits = std::max(bits, static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
    }
  }
  return bits;
}

/// The loop as the vectorizer wants it, and what is known of it.
class Candidate {
 public:
  Candidate(llvm::Loop& loop, llvm::FunctionAnalysisManager& analyses)
      : loop_(loop),
        function_(*loop.getHeader()->getParent()),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function_)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function_)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function_)),
        target_(analyses.getResult<llvm::TargetIRAnalysis>(function_)),
        accesses_(analyses.getResult<llvm::LoopAccessAnalysis>(function_)) {
    llvm::simplifyLoop(&loop, &dominators_, &loops_, &evolution_, nullptr, nullptr, /*PreserveLCSSA=*/false);
    llvm::formLCSSARecursively(loop, dominators_, &loops_, &evolution_);
  }

  /// Makes a loop over vectors of items of it, or says why not.
  Refused vectorize() {
    if (Refused refused = why_not(loop_, loops_, evolution_)) return refused;
    if (!bring_addresses_into(loop_)) return Refusal{"it has a local array that LLVM moved out of the item"};
    bring_cores_into(loop_);
    const Regions regions(loop_, loops_, dominators_);
    if (is_of_items(loop_) && suits_shuffles(loop_, Shapes(regions, evolution_, false))) {
      leave_to_llvm(loop_);
      return std::nullopt;
    }
    const Shapes tiled(regions, evolution_, true);
    if (tiled.private_bytes() * width_of(tiled).all() <= kMostPrivateBytes) return vectorize(regions, tiled);
    return vectorize(regions, Shapes(regions, evolution_, false));
  }

 private:
  Width width_of(const Shapes& shapes) const {
    const unsigned registers =
        static_cast<unsigned>(target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
    const unsigned lanes = llvm::bit_floor(registers / widest_number(loop_, shapes));
    const unsigned team = team_of(loop_);
    if (team == 0 && lanes != 0 && has_warps()) return {.lanes = lanes, .parts = std::max(kWarp / lanes, 1U)};
    if (team == 0 || lanes == 0) return {.lanes = lanes, .parts = instructions() > kMostForParts ? 1 : kParts};
    // Whole warps, as many in each function.
    unsigned warps = std::max(std::min(lanes * kMostTeamParts, team) / kWarp, 1U);
    while (team / kWarp % warps != 0) --warps;
    return {.lanes = lanes, .parts = warps * kWarp / lanes, .once = true, .alone = warps * kWarp == team};
  }
  std::ptrdiff_t instructions() const {
    std::ptrdiff_t count = 0;
    for (const llvm::BasicBlock* const block : loop_.blocks()) count += block->sizeWithoutDebug();
    return count;
  }
  /// Threads of a block that exchange values: a warp of them is computed at once, so that nobody waits for it.
  bool has_warps() const {
    const llvm::Function* const together = function_.getParent()->getFunction(kTogetherName);
    return is_of_threads(loop_) && together != nullptr && !together->use_empty();
  }
  Refused vectorize(const Regions& regions, const Shapes& shapes) {
    if (Refused refused = why_not(loop_, shapes)) return refused;
    const Width width = width_of(shapes);
    const bool threads = is_of_threads(loop_);
    if (shapes.private_bytes() * width.all() > kMostPrivateBytes)
      return Refusal{"its local arrays are too large for all lanes"};
    if (width.lanes < (threads ? 2 : kFewestLanes)) return Refusal{"a register holds two of its numbers only"};
    const LoopAnalyses analyses{evolution_, dominators_, accesses_, target_};
    if (is_of_items(loop_) && !suits_lanes(loop_, shapes, analyses)) {
      return Refusal{.why = "elements of one item are adjacent, those of several are not", .is_scalar = false};
    }
    Vectorizer(regions, shapes, evolution_, loops_along_cores(loop_, shapes, analyses), width)
        .run(fewest_for_lanes(loop_, shapes, analyses, width.all()));
    if (threads) function_.addFnAttr(kLanesName, std::to_string(width.all()));
    return std::nullopt;
  }

  llvm::Loop& loop_;
  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  llvm::TargetTransformInfo& target_;
  llvm::LoopAccessInfoManager& accesses_;
};

/// Of memory that no other thread reaches: a block of one thread has its shared memory for itself.
bool lower_own_atomics(llvm::Function& function) {
  bool any = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
    if (change == nullptr && exchange == nullptr) continue;
    const llvm::Value* const memory = llvm::getUnderlyingObject(instruction.getOperand(0), /*MaxLookup=*/0);
    if (!llvm::isa<llvm::AllocaInst>(memory) ||
        llvm::PointerMayBeCaptured(memory, /*ReturnCaptures=*/true, /*StoreCaptures=*/true)) {
      continue;
    }
    any = true;
    if (change != nullptr) {
      llvm::lowerAtomicRMWInst(change);
    } else {
      llvm::lowerAtomicCmpXchgInst(exchange);
    }
  }
  return any;
}

class VectorizeItems : public llvm::PassInfoMixin<VectorizeItems> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    bool any = lower_own_atomics(function);
    if (llvm::any_of(analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder(), is_marked)) {
      any = join_equal_values(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function)) || any;
      any = make_defaults_reachable(function) || any;
    }
    if (any) analyses.invalidate(function, llvm::PreservedAnalyses::none());
    if (split_loops(analyses.getResult<llvm::LoopAnalysis>(function),
                    analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                    analyses.getResult<llvm::DominatorTreeAnalysis>(function))) {
      any = true;
      analyses.invalidate(function, llvm::PreservedAnalyses::none());
    }
    std::set<const llvm::BasicBlock*> seen;
    while (llvm::Loop* const loop = next(function, analyses, seen)) {
      const Refused refused = Candidate(*loop, analyses).vectorize();
      any = any || !refused;
      if (refused) tell(*refused, *loop);
      if (refused && team_of(*loop) > 0) loop->setLoopID(nullptr);
      analyses.invalidate(function, llvm::PreservedAnalyses::none());
    }
    unroll_carried(analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder());
    if (function.getName() == kThreadsName && tell_lanes(function)) any = true;
    const bool placed = leave_cores_in_place(function);
    if (!any) return seen.empty() && !placed ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    llvm::FunctionPassManager cleanup;
    cleanup.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    cleanup.addPass(llvm::InstCombinePass());
    cleanup.addPass(llvm::SimplifyCFGPass());
    cleanup.run(function, analyses);
    return llvm::PreservedAnalyses::none();
  }

 private:
  static void tell(const Refusal& refusal, llvm::Loop& loop) {
    llvm::OptimizationRemarkMissed remark(kLanesRemark, "Scalar", place_of(refusal.at), loop.getHeader());
    remark << refusal.why;
    loop.getHeader()->getContext().diagnose(remark);
    if (refusal.is_scalar && loop.getLoopLatch() != nullptr) llvm::addStringMetadataToLoop(&loop, kScalarItems, 1);
  }
  /// Of loops that kernels-src marks as safe to vectorize one that LLVM's vectorizer does not take.
  static llvm::Loop* next(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                          std::set<const llvm::BasicBlock*>& seen) {
    for (llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (!is_marked(loop) || (loop->isInnermost() && !is_of_threads(*loop) && !is_of_items(*loop))) continue;
      if (seen.insert(loop->getHeader()).second) return loop;
    }
    return nullptr;
  }
};

}  // namespace

void vectorize_items_with_loops(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(VectorizeItems()); });
}

}  // namespace kiln::clang_module
