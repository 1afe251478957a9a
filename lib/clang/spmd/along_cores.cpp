// Loops of an item that LLVM makes vectors of along its cores: as they are, for one item after the other.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "clang/spmd/tiles.hpp"
#include "clang/spmd/vectorizer.hpp"

namespace kiln::clang_module::spmd {
namespace {

using Instructions = llvm::SmallSetVector<llvm::Instruction*, 8>;

/// What the blocks take from elsewhere in the item.
Instructions values_into(llvm::ArrayRef<llvm::BasicBlock*> blocks, const llvm::Loop& items) {
  Instructions values;
  for (llvm::BasicBlock* const block : blocks) {
    for (llvm::Instruction& instruction : *block) {
      for (llvm::Value* const operand : instruction.operands()) {
        auto* const made = llvm::dyn_cast<llvm::Instruction>(operand);
        if (made != nullptr && items.contains(made) && !llvm::is_contained(blocks, made->getParent())) values.insert(made);
      }
    }
  }
  return values;
}

/// Steps to addresses in windows are those of the core for one lane: with what they begin from, each behind it.
Instructions with_cores(const Instructions& values, const llvm::Loop& items, const Shapes& shapes) {
  Instructions all;
  const std::function<void(llvm::Instruction*)> add = [&](llvm::Instruction* value) {
    if (shapes.interleaved_memory(value) != nullptr && core_of(value) == nullptr) {
      for (llvm::Value* const operand : value->operands()) {
        auto* const made = llvm::dyn_cast<llvm::Instruction>(operand);
        if (made != nullptr && items.contains(made)) add(made);
      }
    }
    all.insert(value);
  };
  for (llvm::Instruction* const value : values) add(value);
  return all;
}

/// What accesses do not alias holds for one item: each copy gets scopes of its own.
void renew_scopes(llvm::ArrayRef<llvm::BasicBlock*> blocks, Builder& builder) {
  llvm::SmallSetVector<llvm::MDNode*, 4> lists;
  for (llvm::BasicBlock* const block : blocks) {
    for (llvm::Instruction& instruction : *block) {
      for (const unsigned kind : {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias}) {
        if (llvm::MDNode* const list = instruction.getMetadata(kind)) lists.insert(list);
      }
    }
  }
  llvm::DenseMap<llvm::MDNode*, llvm::MDNode*> copied;
  llvm::cloneNoAliasScopes(lists.getArrayRef(), copied, "item", builder.getContext());
  for (const llvm::MDNode* const list : lists) {
    for (const llvm::MDOperand& scope : list->operands()) {
      llvm::MDNode* const copy = copied.lookup(llvm::cast<llvm::MDNode>(scope));
      builder.CreateNoAliasScopeDeclaration(llvm::MDNode::get(builder.getContext(), {copy}));
    }
  }
  for (llvm::BasicBlock* const block : blocks) {
    for (llvm::Instruction& instruction : *block) llvm::adaptNoAliasScopes(&instruction, copied, builder.getContext());
  }
}

}  // namespace

void Vectorizer::emit_along_cores(const llvm::Loop& loop, const Vectors& mask) {
  const unsigned lanes = widener_.width().all();
  llvm::Type* const bits = builder_.getIntNTy(lanes);
  const Instructions values = with_cores(values_into(loop.getBlocks(), loop_), loop_, shapes_);
  llvm::DenseMap<const llvm::Value*, llvm::Value*> of_all;
  for (llvm::Instruction* const value : values) {
    if (shapes_.is_private(value)) {
      widener_.leave_windows(*value);
    } else if (shapes_.of(value).is_varying()) {
      of_all[value] = widener_.all_lanes(value);
    }
  }
  llvm::Value* const on = mask.empty() ? llvm::Constant::getAllOnesValue(bits)
                                       : builder_.CreateBitCast(llvm::concatenateVectors(builder_, mask), bits);
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const item = block("item");
  llvm::BasicBlock* const end = block("item.end");
  llvm::BasicBlock* const after = block("items.end");
  llvm::SmallVector<llvm::BasicBlock*, 4> copies;
  llvm::ValueToValueMapTy of_item;
  of_item[loop.getLoopPreheader()] = item;
  of_item[loop.getExitBlock()] = end;
  for (llvm::BasicBlock* const each : loop.blocks()) {
    copies.push_back(llvm::CloneBasicBlock(each, of_item, "", &function_));
    copies.back()->moveBefore(loop_.getHeader());
    of_item[each] = copies.back();
  }
  builder_.CreateCondBr(builder_.CreateIsNull(on), after, item);

  builder_.SetInsertPoint(item);
  llvm::PHINode* const left = builder_.CreatePHI(bits, 2);
  left->addIncoming(on, before);
  llvm::Value* const first = builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits}, {left, builder_.getTrue()});
  llvm::Value* const lane = builder_.CreateZExtOrTrunc(first, builder_.getInt64Ty());
  for (llvm::Instruction* const value : values) {
    if (shapes_.is_private(value)) {
      of_item[value] = widener_.core_of_lane(*value, lane);
    } else if (shapes_.interleaved_memory(value) != nullptr) {
      llvm::Instruction* const step = builder_.Insert(value->clone());
      for (llvm::Use& operand : step->operands()) {
        if (llvm::Value* const mapped = of_item.lookup(operand)) operand.set(mapped);
      }
      of_item[value] = step;
    } else if (llvm::Value* const all = of_all.lookup(value)) {
      of_item[value] = builder_.CreateExtractElement(all, lane);
    } else {
      of_item[value] = widener_.of_lane(value, lane);
    }
  }
  llvm::remapInstructionsInBlocks(copies, of_item);
  renew_scopes(copies, builder_);
  builder_.CreateBr(llvm::cast<llvm::BasicBlock>(of_item[loop.getHeader()]));

  builder_.SetInsertPoint(end);
  llvm::Value* const rest = builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(bits, 1)));
  left->addIncoming(rest, end);
  builder_.CreateCondBr(builder_.CreateIsNull(rest), after, item);
  builder_.SetInsertPoint(after);
  const llvm::BranchInst& leaves = *llvm::cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
  take({loop.getLoopLatch(), leaves.getSuccessor(0) == loop.getHeader() ? 1U : 0U}, nullptr, mask);
}

}  // namespace kiln::clang_module::spmd
