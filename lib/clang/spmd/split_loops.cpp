#include "clang/spmd/split_loops.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <optional>

#include "clang/spmd/item_loops.hpp"
#include "clang/spmd/tiles.hpp"

namespace kiln::clang_module::spmd {
namespace {

/// Shorter ones are in whole tiles, whose elements lanes read without transposing them again (windows.cpp).
constexpr unsigned kFewestIterations = 65;

const llvm::CallInst* core_at(const llvm::Value* address) {
  return core_of(llvm::getUnderlyingObject(address, /*MaxLookup=*/0));
}

/// A loop of one block, and what of it waits for the iteration before.
class Split {
 public:
  Split(llvm::Loop& loop, llvm::ScalarEvolution& evolution, llvm::DominatorTree& dominators)
      : loop_(loop), body_(*loop.getHeader()), evolution_(evolution), dominators_(dominators) {}

  /// Whether all that it needs of the rest is stored there, or computed again for less than a load.
  [[nodiscard]] bool is_worth_it() {
    if (!loop_.isLoopSimplifyForm() || loop_.getNumBlocks() > 1 || loop_.getExitBlock() == nullptr) return false;
    const unsigned known = evolution_.getSmallConstantTripCount(&loop_);
    if (known != 0 && known < kFewestIterations) return false;
    if (llvm::isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(&loop_))) return false;
    const auto is_known = [&](llvm::StoreInst* store) { return is_at_hand(store->getPointerOperand(), false); };
    return find_stores() && find_carried() && llvm::all_of(stores_, is_known) &&
           llvm::all_of(carried_,
                        [&](llvm::Instruction* each) {
                          return llvm::all_of(each->operands(),
                                              [&](llvm::Value* operand) { return is_at_hand(operand, true); });
                        }) &&
           llvm::all_of(body_, [&](llvm::Instruction& each) { return !leaves(each) || is_at_hand(&each, true); });
  }

  void run() {
    llvm::BasicBlock* const preheader = loop_.getLoopPreheader();
    llvm::BasicBlock* const exit = loop_.getExitBlock();
    llvm::ValueToValueMapTy copies;
    llvm::BasicBlock* const behind = llvm::CloneBasicBlock(&body_, copies, "", body_.getParent());
    llvm::BasicBlock* const between = llvm::BasicBlock::Create(body_.getContext(), "split", body_.getParent(), behind);
    llvm::IRBuilder<>(between).CreateBr(behind);
    copies[&body_] = behind;
    copies[preheader] = between;
    llvm::remapInstructionsInBlocks({behind}, copies);
    exit->replacePhiUsesWith(&body_, behind);
    for (llvm::Instruction& each : body_) {
      each.replaceUsesWithIf(copies[&each], [&](const llvm::Use& use) {
        const auto* const user = llvm::cast<llvm::Instruction>(use.getUser());
        return user->getParent() != &body_ && user->getParent() != behind;
      });
    }
    body_.getTerminator()->replaceSuccessorWith(exit, between);
    for (llvm::Instruction* const each : carried_) each->replaceAllUsesWith(llvm::PoisonValue::get(each->getType()));
    for (llvm::Instruction* const each : carried_) each->eraseFromParent();
    read_what_is_stored(*behind, copies);
  }

 private:
  /// Whether code behind the loop uses the value: run() gives it the second loop's, which runs behind all stores.
  bool leaves(const llvm::Instruction& value) {
    return llvm::any_of(value.users(),
                        [&](const llvm::User* user) { return llvm::cast<llvm::Instruction>(user)->getParent() != &body_; });
  }

  /// Each the only one to its core, all of one element after the other.
  bool find_stores() {
    if (!goes_along(loop_, evolution_)) return false;
    for (llvm::Instruction& each : body_) {
      if (!each.mayWriteToMemory()) continue;
      auto* const store = llvm::dyn_cast<llvm::StoreInst>(&each);
      if (store == nullptr || !store->isSimple()) return false;
      const llvm::CallInst* const core = core_at(store->getPointerOperand());
      const bool grows = !evolution_.isLoopInvariant(evolution_.getSCEV(store->getPointerOperand()), &loop_);
      if (core == nullptr || !grows || !written_.insert(core).second) return false;
      stores_.push_back(store);
    }
    return !stores_.empty();
  }

  bool find_carried() {
    for (llvm::PHINode& phi : body_.phis()) {
      llvm::InductionDescriptor induction;
      llvm::RecurrenceDescriptor recurrence;
      if (llvm::InductionDescriptor::isInductionPHI(&phi, &loop_, &evolution_, induction)) continue;
      if (llvm::RecurrenceDescriptor::isReductionPHI(&phi, &loop_, recurrence, nullptr, nullptr, &dominators_, &evolution_) &&
          !recurrence.hasExactFPMath()) {
        return false;  // in any order: vectors can be made of the whole loop
      }
      carried_.insert(&phi);
    }
    for (llvm::Instruction& each : body_) {
      const bool waits = llvm::any_of(each.operands(), [&](llvm::Value* operand) {
        auto* const made = llvm::dyn_cast<llvm::Instruction>(operand);
        return made != nullptr && carried_.contains(made);
      });
      if (!waits || llvm::isa<llvm::PHINode>(each)) continue;
      if (each.isTerminator() || each.mayReadOrWriteMemory() || each.mayHaveSideEffects()) return false;
      carried_.insert(&each);
    }
    return !carried_.empty();
  }

  /// Whether few instructions compute the value from what was there before the loop; or, `stored`, from what it stored, too.
  bool is_at_hand(llvm::Value* value, bool stored) {
    auto* const made = llvm::dyn_cast<llvm::Instruction>(value);
    if (made == nullptr || made->getParent() != &body_ || carried_.contains(made) || llvm::isa<llvm::PHINode>(made))
      return true;
    if (stored && llvm::any_of(stores_, [&](llvm::StoreInst* store) { return store->getValueOperand() == made; })) return true;
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(made)) {
      const llvm::CallInst* const core = core_at(load->getPointerOperand());
      return load->isSimple() && core != nullptr && !written_.contains(core) && is_at_hand(load->getPointerOperand(), false);
    }
    switch (made->getOpcode()) {
      case llvm::Instruction::FAdd:
      case llvm::Instruction::FSub:
      case llvm::Instruction::FMul:
      case llvm::Instruction::FNeg:
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::Mul:
      case llvm::Instruction::Shl:
      case llvm::Instruction::And:
      case llvm::Instruction::Or:
      case llvm::Instruction::FCmp:
      case llvm::Instruction::ICmp:
      case llvm::Instruction::Select:
      case llvm::Instruction::GetElementPtr:
        return llvm::all_of(made->operands(), [&](llvm::Value* operand) { return is_at_hand(operand, stored); });
      default:
        return llvm::isa<llvm::CastInst>(made) && is_at_hand(made->getOperand(0), stored);
    }
  }

  /// Loads in place of stores; what is computed of them goes behind them, and what is needed no longer goes.
  void read_what_is_stored(llvm::BasicBlock& behind, llvm::ValueToValueMapTy& copies) {
    llvm::DenseMap<llvm::Value*, llvm::Value*> read;
    for (llvm::StoreInst* const store : stores_) {
      auto* const copy = llvm::cast<llvm::StoreInst>(copies[store]);
      llvm::Value* const value = copy->getValueOperand();
      if (!is_at_hand(store->getValueOperand(), false)) {
        auto* const load =
            new llvm::LoadInst(value->getType(), copy->getPointerOperand(), "", false, copy->getAlign(), copy->getIterator());
        load->copyMetadata(*copy);
        load->setDebugLoc(copy->getDebugLoc());
        read[value] = load;
        value->replaceUsesOutsideBlock(load, &behind);
      }
      copy->eraseFromParent();
    }
    llvm::SmallPtrSet<llvm::Value*, 8> later;
    llvm::SmallVector<llvm::Instruction*, 32> in_order;
    for (llvm::Instruction& each : behind) in_order.push_back(&each);
    for (llvm::Instruction* const each : in_order) {
      bool moves = false;
      for (llvm::Use& operand : each->operands()) {
        if (llvm::Value* const load = read.lookup(operand)) {
          operand.set(load);
          moves = true;
        }
        moves = moves || later.contains(operand);
      }
      if (!moves || llvm::isa<llvm::PHINode>(each) || each->isTerminator()) continue;
      each->moveBefore(behind.getTerminator());
      later.insert(each);
    }
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::reverse(behind))) {
      if (llvm::isInstructionTriviallyDead(&each)) each.eraseFromParent();
    }
  }

  llvm::Loop& loop_;
  llvm::BasicBlock& body_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::SmallVector<llvm::StoreInst*, 2> stores_;
  llvm::SmallPtrSet<const llvm::CallInst*, 2> written_;
  llvm::SmallSetVector<llvm::Instruction*, 8> carried_;
};

}  // namespace

bool split_loops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, llvm::DominatorTree& dominators) {
  bool any = false;
  llvm::SmallVector<Split, 2> splits;
  for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
    const llvm::Loop* const around = loop->getParentLoop();
    if (around == nullptr || !is_of_items(*around) || loop->getNumBlocks() > 1) continue;
    any = llvm::simplifyLoop(loop, &dominators, &loops, &evolution, nullptr, nullptr, /*PreserveLCSSA=*/false) || any;
    Split split(*loop, evolution, dominators);
    if (split.is_worth_it()) splits.push_back(std::move(split));
  }
  for (Split& split : splits) split.run();
  return any || !splits.empty();
}

}  // namespace kiln::clang_module::spmd
