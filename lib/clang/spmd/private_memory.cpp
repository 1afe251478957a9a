// Memory of a lane's own: local arrays of the body, and cores of items that are in tiles.
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "clang/spmd/shapes.hpp"
#include "clang/spmd/tiles.hpp"

namespace kiln::clang_module::spmd {
namespace {

/// What is done with the memory: steps to addresses in it, each behind what it begins from; and all else.
struct Uses {
  llvm::SmallVector<llvm::Instruction*, 8> steps;
  llvm::SmallVector<llvm::Instruction*, 8> others;
  llvm::SmallVector<llvm::Instruction*, 2> begins;  ///< of its life
};
Uses uses_of(llvm::Instruction& memory) {
  Uses uses;
  llvm::SmallVector<llvm::Instruction*, 8> pending{&memory};
  for (std::size_t at = 0; at < pending.size(); ++at) {
    for (llvm::User* const user : pending[at]->users()) {
      auto* const instruction = llvm::cast<llvm::Instruction>(user);
      const auto* const marker = llvm::dyn_cast<llvm::IntrinsicInst>(user);
      if (marker != nullptr && marker->isLifetimeStartOrEnd()) {
        if (marker->getIntrinsicID() == llvm::Intrinsic::lifetime_start) uses.begins.push_back(instruction);
        continue;
      }
      auto* const step = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
      (step != nullptr ? uses.steps : uses.others).push_back(instruction);
      if (step != nullptr && !llvm::is_contained(pending, step)) pending.push_back(step);
    }
  }
  return uses;
}

}  // namespace

bool bring_addresses_into(llvm::Loop& loop) {
  for (llvm::Instruction& instruction : loop.getHeader()->getParent()->getEntryBlock()) {
    auto* const memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (memory == nullptr || !memory->isStaticAlloca()) continue;
    const Uses uses = uses_of(*memory);
    const auto inside = [&](const llvm::Instruction* use) { return loop.contains(use); };
    if (llvm::none_of(uses.others, inside)) continue;
    if (!llvm::all_of(uses.others, inside)) {
      if (llvm::any_of(uses.begins, inside)) return false;
      continue;  // of all items: they access different elements
    }
    auto place = loop.getHeader()->getFirstInsertionPt();
    for (llvm::Instruction* const step : uses.steps) {
      if (!inside(step)) step->moveBefore(*loop.getHeader(), place);
    }
  }
  return true;
}

bool join_equal_values(llvm::Function& function, const llvm::DominatorTree& dominators) {
  bool any = false;
  for (llvm::BasicBlock& block : function) {
    const llvm::DomTreeNode* const node = dominators.getNode(&block);
    if (node == nullptr || node->getIDom() == nullptr) continue;
    llvm::Instruction* const parting = node->getIDom()->getBlock()->getTerminator();
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      auto* const first = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(0));
      if (first == nullptr || llvm::isa<llvm::PHINode>(first) || first->mayReadOrWriteMemory() ||
          !llvm::isSafeToSpeculativelyExecute(first)) {
        continue;
      }
      const bool equal = llvm::all_of(phi.incoming_values(), [&](const llvm::Use& each) {
        const auto* const made = llvm::dyn_cast<llvm::Instruction>(each);
        return made != nullptr && made->isIdenticalToWhenDefined(first);
      });
      const bool known =
          llvm::all_of(first->operands(), [&](const llvm::Use& operand) { return dominators.dominates(operand, parting); });
      if (!equal || !known) continue;
      for (const llvm::Use& each : phi.incoming_values()) first->andIRFlags(each);
      if (!dominators.dominates(first, parting)) first->moveBefore(parting);
      first->dropUBImplyingAttrsAndMetadata();
      first->dropLocation();
      phi.replaceAllUsesWith(first);
      phi.eraseFromParent();
      any = true;
    }
  }
  return any;
}

void bring_cores_into(llvm::Loop& loop) {
  llvm::BasicBlock* const header = loop.getHeader();
  for (llvm::BasicBlock* const block : loop.blocks()) {
    if (block == header) continue;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
      const bool movable = core_of(&instruction) != nullptr && llvm::all_of(instruction.operands(), [&](const llvm::Use& use) {
                             const auto* const made = llvm::dyn_cast<llvm::Instruction>(use);
                             return made == nullptr || made->getParent() == header || !loop.contains(made);
                           });
      if (movable) instruction.moveBefore(header->getTerminator());
    }
  }
}

// Memory that is written in front of the loop is the same for all lanes.
void Shapes::find_private_memory(bool tiles) {
  const llvm::Loop& loop = regions_.outermost();
  for (llvm::Instruction& instruction : loop.getHeader()->getParent()->getEntryBlock()) {
    auto* const memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (memory == nullptr || !memory->isStaticAlloca()) continue;
    const Uses uses = uses_of(*memory);
    if (uses.others.empty() || !llvm::all_of(uses.others, [&](const llvm::Instruction* use) { return loop.contains(use); }))
      continue;
    take_private(*memory);
  }
  for (llvm::BasicBlock* const block : loop.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      if (tiles && core_of(&instruction) != nullptr) take_private(instruction);
    }
  }
}

// Whether the lanes of all items are on where it is, once for each vector of them.
bool Shapes::all_come_by(const llvm::Instruction& instruction) const {
  const llvm::BasicBlock* const block = instruction.getParent();
  if (regions_.innermost_of(block) != &regions_.outermost()) return false;
  const Region& region = regions_.of(&regions_.outermost());
  unsigned at = region.node_of(block);
  while (at != 0 && region.nodes()[at].always) at = region.nodes()[at].dominator;
  return at == 0;
}

void Shapes::take_private(llvm::Instruction& memory) {
  llvm::SmallVector<const llvm::Value*, 8> addresses{&memory};
  std::uint64_t element = follow(memory, addresses);
  const bool core = core_of(&memory) != nullptr;
  // A tile is filled and emptied for all lanes together.
  if (core && !all_come_by(memory)) return;
  for (const llvm::User* const user : memory.users()) {
    if (ends_core(user) && !all_come_by(*llvm::cast<llvm::Instruction>(user))) return;
  }
  // Of other sizes there are no tiles, and those move whole cores: of no use to a search that ends early, or to few accesses.
  if (core && ((element != sizeof(float) && element != sizeof(double)) || !is_passed_through(memory, addresses, element)))
    return;
  private_[&memory] = element;
  shapes_[&memory] = Shape::by(static_cast<std::int64_t>(element != 0 ? element : bytes_of(memory)));
  for (const llvm::Value* const address : addresses) {
    if (element != 0) addresses_[address] = &memory;
  }
}

// Whether some of the loops around an access to it, as far as the items', all count to their end, and to one that is not known;
// or known numbers of accesses come to a part of the core that is worth a tile.
bool Shapes::is_passed_through(const llvm::Instruction& core, llvm::ArrayRef<const llvm::Value*> addresses,
                               std::uint64_t element) const {
  // A tile costs the moving of all, and lanes without one a gather for each access, or all vectors.
  constexpr std::uint64_t kPartOfFew = 4, kPartOfMany = 32, kMany = 9;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  std::uint64_t accesses = 0;
  for (const llvm::Value* const address : addresses) {
    for (const llvm::User* const user : address->users()) {
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(user)) continue;
      std::uint64_t times = 1;  // kMost: not known
      const llvm::Loop* loop = regions_.innermost_of(llvm::cast<llvm::Instruction>(user)->getParent());
      for (; loop != &regions_.outermost() && times > 0; loop = loop->getParentLoop()) {
        const bool counts = !llvm::isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(loop));
        const std::uint64_t known = evolution_.getSmallConstantTripCount(loop);
        times = !counts ? 0 : known == 0 ? kMost : std::min(times * known, kMost);
      }
      accesses = std::min(accesses + times, kMost);
    }
  }
  const std::uint64_t elements = core_room(llvm::cast<llvm::CallInst>(core)) / element;
  return accesses * kPartOfFew >= elements || (accesses >= kMany && accesses * kPartOfMany >= elements);
}

// Bytes of the elements, where all that is done with the memory is to load and store such; else 0.
std::uint64_t Shapes::follow(const llvm::Instruction& memory, llvm::SmallVectorImpl<const llvm::Value*>& addresses) const {
  std::uint64_t size = 0;
  for (std::size_t at = 0; at < addresses.size(); ++at) {
    for (const llvm::User* const user : addresses[at]->users()) {
      llvm::Type* type = nullptr;
      if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        type = load->isSimple() ? load->getType() : nullptr;
      } else if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        type = store->isSimple() && store->getPointerOperand() == addresses[at] ? store->getValueOperand()->getType() : nullptr;
        if (llvm::is_contained(addresses, store->getValueOperand())) return 0;
      } else if (llvm::isa<llvm::GetElementPtrInst>(user)) {
        addresses.push_back(user);
        continue;
      } else if (const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
                 ends_core(user) || (call != nullptr && call->isLifetimeStartOrEnd())) {
        continue;
      }
      if (type == nullptr || !type->isSingleValueType() || type->isVectorTy()) return 0;
      const std::uint64_t bytes = layout_.getTypeStoreSize(type);
      if (bytes * 8 != layout_.getTypeSizeInBits(type) || (size != 0 && bytes != size)) return 0;
      size = bytes;
    }
  }
  if (size == 0 || bytes_of(memory) % size != 0) return 0;
  // Every address is a whole number of elements from the start.
  for (const llvm::Value* const address : addresses) {
    const auto* const step = llvm::dyn_cast<llvm::GEPOperator>(address);
    if (step == nullptr) continue;
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt constant(layout_.getIndexTypeSizeInBits(step->getType()), 0);
    if (!step->collectOffset(layout_, constant.getBitWidth(), variable, constant)) return 0;
    if (constant.getSExtValue() % static_cast<std::int64_t>(size) != 0) return 0;
    for (const auto& [index, scale] : variable) {
      const llvm::APInt of_index = evolution_.getConstantMultiple(evolution_.getSCEV(index)).zextOrTrunc(scale.getBitWidth());
      if ((scale * of_index).urem(size) != 0) return 0;
    }
  }
  return size;
}

std::uint64_t Shapes::bytes_of(const llvm::Value& memory) const {
  if (const llvm::CallInst* const core = core_of(&memory)) {
    return windows_.contains(core) ? window_bytes(*core) : core_room(*core);
  }
  const auto& local = llvm::cast<llvm::AllocaInst>(memory);
  return llvm::alignTo(local.getAllocationSize(layout_)->getFixedValue(), local.getAlign());
}

std::uint64_t Shapes::private_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [memory, element] : private_) bytes += bytes_of(*memory);
  return bytes;
}

}  // namespace kiln::clang_module::spmd
