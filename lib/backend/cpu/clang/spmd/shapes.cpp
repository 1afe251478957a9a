#include "backend/cpu/clang/spmd/shapes.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <optional>

#include "backend/cpu/clang/spmd/tiles.hpp"

namespace kiln::clang_module::spmd {
namespace {

/// Of values that one of several ways brings.
Shape joined(Shape a, Shape b) {
  if (a.kind == Shape::Kind::unknown) return b;
  if (b.kind == Shape::Kind::unknown || a == b) return a;
  return Shape::varying();
}

std::optional<std::int64_t> constant_of(const llvm::Value* value) {
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (number == nullptr || number->getBitWidth() > 64) return std::nullopt;
  return number->getSExtValue();
}

/// What may be done once for all lanes where its operands are the same.
bool same_of_same(const llvm::Instruction& instruction) {
  if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    return !call->mayWriteToMemory() && call->willReturn() && !call->isInlineAsm();
  }
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  return !instruction.isAtomic() && !instruction.isVolatile();
}

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

Shapes::Shapes(const Regions& regions, llvm::ScalarEvolution& evolution, bool tiles)
    : regions_(regions), evolution_(evolution), layout_(regions.outermost().getHeader()->getModule()->getDataLayout()) {
  find_private_memory(tiles);
  do {
    next_lanes_ = 0;
    joins_.clear();
    number_lanes(regions_.of(&regions_.outermost()), next_lanes_++);
  } while (static_cast<int>(spread()) + static_cast<int>(find_divergent_loops()) > 0);
}

Shape Shapes::of(const llvm::Value* value) const {
  if (const auto found = shapes_.find(value); found != shapes_.end()) return found->second;
  const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
  const bool inside = instruction != nullptr && regions_.outermost().contains(instruction);
  return inside ? Shape() : Shape::uniform();
}

bool Shapes::diverges(const llvm::BasicBlock* block) const {
  const llvm::Instruction* const terminator = block->getTerminator();
  return terminator->getNumSuccessors() > 1 && !of(terminator->getOperand(0)).is_uniform() &&
         of(terminator->getOperand(0)).kind != Shape::Kind::unknown;
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
  // Of other sizes there are no tiles, and those move whole cores: of no use to a search that ends early.
  if (core && ((element != sizeof(float) && element != sizeof(double)) || !is_passed_through(addresses))) return;
  private_[&memory] = element;
  shapes_[&memory] = Shape::by(static_cast<std::int64_t>(element != 0 ? element : bytes_of(memory)));
  for (const llvm::Value* const address : addresses) {
    if (element != 0) addresses_[address] = &memory;
  }
}

// Whether some of the loops around an access to it, as far as the items', all count to their end.
bool Shapes::is_passed_through(llvm::ArrayRef<const llvm::Value*> addresses) const {
  const auto counts = [&](const llvm::Value* access) {
    const llvm::Loop* loop = regions_.innermost_of(llvm::cast<llvm::Instruction>(access)->getParent());
    for (; loop != &regions_.outermost(); loop = loop->getParentLoop()) {
      if (llvm::isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(loop))) return false;
    }
    return true;
  };
  return llvm::any_of(addresses, [&](const llvm::Value* address) {
    return llvm::any_of(address->users(), [&](const llvm::User* user) {
      return llvm::isa<llvm::LoadInst, llvm::StoreInst>(user) && counts(user);
    });
  });
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
  if (const llvm::CallInst* const core = core_of(&memory)) return core_room(*core);
  const auto& local = llvm::cast<llvm::AllocaInst>(memory);
  return llvm::alignTo(local.getAllocationSize(layout_)->getFixedValue(), local.getAlign());
}

std::uint64_t Shapes::private_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [memory, element] : private_) bytes += bytes_of(*memory);
  return bytes;
}

void Shapes::number_lanes(const Region& region, unsigned lanes) {
  // Of a loop: who came to it, for what comes behind it; who is still in it, for its blocks.
  llvm::SmallVector<unsigned, 16> reached(region.nodes().size());
  for (unsigned at = 0; at < region.nodes().size(); ++at) {
    const Node& node = region.nodes()[at];
    unsigned here = lanes;
    if (at > 0) {
      bool together = true;
      unsigned along = 0;
      for (std::size_t i = 0; i < node.before.size(); ++i) {
        const Edge& edge = node.before[i];
        const unsigned source = region.node_of(edge.from);
        const Node& from = region.nodes()[source];
        const bool divergent = from.loop != nullptr ? divergent_.contains(from.loop) : diverges(edge.from);
        const unsigned way = divergent ? next_lanes_++ : reached[source];
        together = together && !divergent && (i == 0 || way == along);
        along = way;
      }
      here = node.always ? reached[node.dominator] : together ? along : next_lanes_++;
      if (!together || along != here) joins_.insert(node.block);
    }
    reached[at] = here;
    if (node.loop == nullptr) {
      lanes_[node.block] = here;
    } else {
      number_lanes(regions_.of(node.loop), divergent_.contains(node.loop) ? next_lanes_++ : here);
    }
  }
}

// Whether any shape changed.
bool Shapes::spread() {
  bool any = false;
  bool changed = true;
  while (changed) {
    changed = false;
    for (llvm::BasicBlock* const block : regions_.outermost().blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (instruction.getType()->isVoidTy()) continue;
        const Shape before = of(&instruction);
        const Shape now = joined(before, shape_of(instruction));
        if (now == before) continue;
        shapes_[&instruction] = now;
        changed = true;
      }
    }
    any = any || changed;
  }
  return any;
}

bool Shapes::find_divergent_loops() {
  bool any = false;
  for (const llvm::Loop* const loop : regions_.outermost().getLoopsInPreorder()) {
    if (loop == &regions_.outermost() || divergent_.contains(loop)) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> ends;
    loop->getExitingBlocks(ends);
    const unsigned lanes = lanes_of(loop->getHeader());
    const bool divergent =
        llvm::any_of(ends, [&](const llvm::BasicBlock* block) { return diverges(block) || lanes_of(block) != lanes; });
    if (!divergent) continue;
    divergent_.insert(loop);
    any = true;
  }
  return any;
}

Shape Shapes::shape_of(llvm::Instruction& instruction) const {
  if (has_tile(&instruction)) return of(&instruction);
  if (auto* const phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return shape_of(*phi);
  if (auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) return shape_of(*address);
  for (const llvm::Use& operand : instruction.operands()) {
    if (of(operand).kind == Shape::Kind::unknown) return {};
  }
  const bool all_uniform = llvm::all_of(instruction.operands(), [&](const llvm::Use& each) { return of(each).is_uniform(); });
  if (all_uniform) return same_of_same(instruction) ? Shape::uniform() : Shape::varying();
  const auto left = [&] { return of(instruction.getOperand(0)); };
  const auto right = [&] { return of(instruction.getOperand(1)); };
  const auto both = [&] { return left().is_strided() && right().is_strided(); };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) return Shape::varying();
      [[fallthrough]];
    case llvm::Instruction::Add:
      return both() ? Shape::by(left().stride + right().stride) : Shape::varying();
    case llvm::Instruction::Sub:
      return both() ? Shape::by(left().stride - right().stride) : Shape::varying();
    case llvm::Instruction::Mul:
      for (const unsigned side : {0U, 1U}) {
        const auto factor = constant_of(instruction.getOperand(side));
        const Shape other = of(instruction.getOperand(1 - side));
        std::int64_t stride = 0;
        if (factor && other.is_strided() && !__builtin_mul_overflow(*factor, other.stride, &stride)) return Shape::by(stride);
      }
      return Shape::varying();
    case llvm::Instruction::Shl: {
      const auto bits = constant_of(instruction.getOperand(1));
      constexpr std::int64_t kMostBits = 32;
      if (!bits || *bits < 0 || *bits > kMostBits || !left().is_strided()) return Shape::varying();
      std::int64_t stride = 0;
      if (__builtin_mul_overflow(left().stride, std::int64_t{1} << *bits, &stride)) return Shape::varying();
      return Shape::by(stride);
    }
    case llvm::Instruction::Trunc:
    case llvm::Instruction::Freeze:
      return left();
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
      return left().is_strided() ? along_evolution(instruction) : Shape::varying();
    case llvm::Instruction::Select: {
      return left().is_uniform() ? joined(right(), of(instruction.getOperand(2))) : Shape::varying();
    }
    default:
      return Shape::varying();
  }
}

Shape Shapes::shape_of(llvm::PHINode& phi) const {
  const llvm::BasicBlock* const block = phi.getParent();
  if (block == regions_.outermost().getHeader()) return along_evolution(phi);
  const llvm::Loop* const loop = regions_.innermost_of(block);
  const bool header = loop->getHeader() == block;
  Shape all;
  bool from_divergent = false;
  const llvm::Value* only = nullptr;
  bool several = false;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const llvm::Value* const value = phi.getIncomingValue(i);
    all = joined(all, of(value));
    several = several || (only != nullptr && value != only);
    only = value;
    // Lanes leave a divergent loop with what it had then.
    for (const llvm::Loop* left = regions_.innermost_of(phi.getIncomingBlock(i)); left != nullptr && !left->contains(block);
         left = left->getParentLoop()) {
      const auto* const made = llvm::dyn_cast<llvm::Instruction>(value);
      from_divergent = from_divergent || (divergent_.contains(left) && made != nullptr && left->contains(made));
    }
  }
  if (all.kind == Shape::Kind::unknown) return all;
  if (from_divergent) return Shape::varying();
  if (header || comes_together(block) || !several) return all;
  return Shape::varying();
}

// Bytes of all steps; those of interleaved memory count the elements of all lanes, which only a uniform step leaves as they
// are.
Shape Shapes::shape_of(llvm::GetElementPtrInst& address) const {
  for (const llvm::Use& operand : address.operands()) {
    if (of(operand).kind == Shape::Kind::unknown) return {};
  }
  const Shape base = of(address.getPointerOperand());
  if (address.getType()->isVectorTy() || !base.is_strided()) return Shape::varying();
  std::int64_t stride = base.stride;
  const bool interleaved = interleaved_memory(address.getPointerOperand()) != nullptr;
  for (auto type = llvm::gep_type_begin(address); type != llvm::gep_type_end(address); ++type) {
    const Shape index = of(type.getOperand());
    if (index.is_uniform()) continue;
    const llvm::TypeSize size = type.getSequentialElementStride(layout_);
    std::int64_t step = 0;
    if (!index.is_strided() || interleaved || type.getOperand()->getType()->getScalarSizeInBits() < 64 || size.isScalable() ||
        type.isStruct() || __builtin_mul_overflow(index.stride, static_cast<std::int64_t>(size.getFixedValue()), &step)) {
      return Shape::varying();
    }
    stride += step;
  }
  return Shape::by(stride);
}

// As a value that grows by a constant from iteration to iteration of the outermost loop.
Shape Shapes::along_evolution(llvm::Value& value) const {
  if (!evolution_.isSCEVable(value.getType())) return Shape::varying();
  const auto* const grows = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(&value));
  if (grows == nullptr || grows->getLoop() != &regions_.outermost() || !grows->isAffine()) return Shape::varying();
  const auto* const step = llvm::dyn_cast<llvm::SCEVConstant>(grows->getStepRecurrence(evolution_));
  if (step == nullptr || step->getAPInt().getBitWidth() > 64) return Shape::varying();
  return Shape::by(step->getAPInt().getSExtValue());
}

}  // namespace kiln::clang_module::spmd
