#include "clang/spmd/shapes.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <optional>

#include "clang/spmd/tiles.hpp"
#include "clang/spmd/widener.hpp"

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

}  // namespace

Shapes::Shapes(const Regions& regions, llvm::ScalarEvolution& evolution, bool tiles)
    : regions_(regions), evolution_(evolution), layout_(regions.outermost().getHeader()->getModule()->getDataLayout()) {
  find_private_memory(tiles);
  do {
    next_lanes_ = 0;
    joins_.clear();
    number_lanes(regions_.of(&regions_.outermost()), next_lanes_++);
  } while (static_cast<int>(spread()) + static_cast<int>(find_divergent_loops()) > 0);
  find_windows();
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

bool Shapes::any_diverges() const {
  const llvm::Loop& loop = regions_.outermost();
  return llvm::any_of(loop.blocks(),
                      [&](const llvm::BasicBlock* block) { return block != loop.getLoopLatch() && diverges(block); });
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
  if (is_private(&instruction)) return of(&instruction);
  if (auto* const phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return shape_of(*phi);
  if (auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) return shape_of(*address);
  for (const llvm::Use& operand : instruction.operands()) {
    if (of(operand).kind == Shape::Kind::unknown) return {};
  }
  if (takes_of_lane(instruction)) return Shape::uniform();
  const bool all_uniform = llvm::all_of(instruction.operands(), [&](const llvm::Use& each) { return of(each).is_uniform(); });
  if (all_uniform) return same_of_same(instruction) ? Shape::uniform() : Shape::varying();
  if (const llvm::CallInst* const core = core_of(&instruction)) {
    const auto step = constant_of(core->getArgOperand(1));
    const Shape item = of(core->getArgOperand(2));
    std::int64_t stride = 0;
    const bool known = step && of(core->getArgOperand(0)).is_uniform() && item.is_strided();
    return known && !__builtin_mul_overflow(*step, item.stride, &stride) ? Shape::by(stride) : Shape::varying();
  }
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
