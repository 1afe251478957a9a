// What has no vector form: atomic operations, calls, and accesses of elements that vectors do not have adjacent.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "clang/spmd/blocks.hpp"
#include "clang/spmd/widener.hpp"

namespace kiln::clang_module::spmd {
namespace {

/// Whether lanes may change a place in any order, or all at once.
bool reduces(const llvm::AtomicRMWInst& change) {
  switch (change.getOperation()) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::And:
    case llvm::AtomicRMWInst::Or:
    case llvm::AtomicRMWInst::Xor:
    case llvm::AtomicRMWInst::Max:
    case llvm::AtomicRMWInst::Min:
    case llvm::AtomicRMWInst::UMax:
    case llvm::AtomicRMWInst::UMin:
      return true;
    default:
      return false;
  }
}

/// Memory of a block, whose threads are all lanes of one thread of the host, or of a thread of it.
bool is_own(const llvm::Value* address) {
  const llvm::Value* const object = llvm::getUnderlyingObject(address, /*MaxLookup=*/0);
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(object);
  const llvm::Function* const maker = call != nullptr ? call->getCalledFunction() : nullptr;
  return llvm::isa<llvm::AllocaInst>(object) || (maker != nullptr && maker->getName() == kMemoryName);
}

}  // namespace

// Of integers in any order: all lanes' changes of one place are one.
void Widener::change_once(llvm::AtomicRMWInst& change, unsigned part, llvm::Value* mask) {
  const auto operation = change.getOperation();
  llvm::Type* const type = change.getValOperand()->getType();
  const unsigned bits = type->getIntegerBitWidth();
  llvm::APInt neutral(bits, 0);
  if (operation == llvm::AtomicRMWInst::And || operation == llvm::AtomicRMWInst::UMin) neutral = llvm::APInt::getMaxValue(bits);
  if (operation == llvm::AtomicRMWInst::Max) neutral = llvm::APInt::getSignedMinValue(bits);
  if (operation == llvm::AtomicRMWInst::Min) neutral = llvm::APInt::getSignedMaxValue(bits);
  llvm::Value* all = vector(change.getValOperand(), part);
  if (mask != nullptr) all = builder_.CreateSelect(mask, all, llvm::ConstantInt::get(all->getType(), neutral));
  switch (operation) {
    case llvm::AtomicRMWInst::And:
      all = builder_.CreateAndReduce(all);
      break;
    case llvm::AtomicRMWInst::Or:
      all = builder_.CreateOrReduce(all);
      break;
    case llvm::AtomicRMWInst::Xor:
      all = builder_.CreateXorReduce(all);
      break;
    case llvm::AtomicRMWInst::Max:
    case llvm::AtomicRMWInst::UMax:
      all = builder_.CreateIntMaxReduce(all, operation == llvm::AtomicRMWInst::Max);
      break;
    case llvm::AtomicRMWInst::Min:
    case llvm::AtomicRMWInst::UMin:
      all = builder_.CreateIntMinReduce(all, operation == llvm::AtomicRMWInst::Min);
      break;
    default:
      all = builder_.CreateAddReduce(all);
  }
  auto* const once = llvm::cast<llvm::AtomicRMWInst>(change.clone());
  once->setOperand(0, scalar(change.getPointerOperand()));
  once->setOperand(1, all);
  builder_.Insert(once);
  if (is_own(change.getPointerOperand())) own_.push_back(once);
}

llvm::Value* Widener::atomic(llvm::Instruction& instruction, unsigned part, llvm::Value* mask) {
  auto* const change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  if (change != nullptr && change->use_empty() && shapes_.of(change->getPointerOperand()).is_uniform() && reduces(*change)) {
    change_once(*change, part, mask);
    return nullptr;
  }
  return lane_by_lane(instruction, part, mask);
}

void Widener::finish() {
  for (llvm::Instruction* const each : own_) {
    if (auto* const change = llvm::dyn_cast<llvm::AtomicRMWInst>(each)) {
      llvm::lowerAtomicRMWInst(change);
    } else {
      llvm::lowerAtomicCmpXchgInst(llvm::cast<llvm::AtomicCmpXchgInst>(each));
    }
  }
}

// LLVM 19 for x86 makes an element at a variable index an operand in memory of the call, and crashes: an empty asm keeps them
// apart.
void Widener::hide_callee(llvm::CallInst& call) {
  llvm::Value* const function = call.getCalledOperand();
  auto* const type = llvm::FunctionType::get(function->getType(), {function->getType()}, /*isVarArg=*/false);
  llvm::CallInst* const hidden =
      builder_.CreateCall(llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false), {function}, "function");
  hidden->setDoesNotAccessMemory();
  hidden->setDoesNotThrow();
  call.setCalledOperand(hidden);
}

llvm::Value* Widener::of_lane(llvm::Instruction& instruction, llvm::ArrayRef<llvm::Value*> operands, llvm::Value* lane) {
  llvm::Instruction* const one = instruction.clone();
  for (unsigned i = 0; i < operands.size(); ++i) {
    const bool same = shapes_.of(instruction.getOperand(i)).is_uniform();
    one->setOperand(i, same ? operands[i] : builder_.CreateExtractElement(operands[i], lane));
  }
  forget_scopes(*one);
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call != nullptr && !shapes_.of(call->getCalledOperand()).is_uniform()) hide_callee(*llvm::cast<llvm::CallInst>(one));
  builder_.Insert(one);
  const bool changes = llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction);
  if (changes && is_own(instruction.getOperand(0))) own_.push_back(one);
  return one;
}

// Of a structure each member.
llvm::Value* Widener::with_lane(llvm::Value* whole, llvm::Value* one, llvm::Value* lane) {
  if (!one->getType()->isStructTy()) return builder_.CreateInsertElement(whole, one, lane);
  for (unsigned i = 0; i < one->getType()->getStructNumElements(); ++i) {
    llvm::Value* const member =
        builder_.CreateInsertElement(builder_.CreateExtractValue(whole, i), builder_.CreateExtractValue(one, i), lane);
    whole = builder_.CreateInsertValue(whole, member, i);
  }
  return whole;
}

// For the lanes that are on, the lowest first. Where all are, consecutively; else, and of long ones, in a loop.
llvm::Value* Widener::lane_by_lane(llvm::Instruction& instruction, unsigned part, llvm::Value* mask) {
  llvm::SmallVector<llvm::Value*, 4> operands;
  for (llvm::Use& operand : instruction.operands()) {
    operands.push_back(shapes_.of(operand).is_uniform() ? scalar(operand) : vector(operand, part));
  }
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* last = before;
  const auto block = [&](const llvm::Twine& name) {
    return last = llvm::BasicBlock::Create(builder_.getContext(), name, before->getParent(), last->getNextNode());
  };
  llvm::BasicBlock* const every = block("every.lane");
  llvm::BasicBlock* const some = block("some.lanes");
  llvm::BasicBlock* const loop = block("lane");
  llvm::BasicBlock* const after = block("lanes.end");
  llvm::Type* const bits = builder_.getIntNTy(width_.lanes);
  llvm::Value* const on = builder_.CreateBitCast(mask != nullptr ? mask : all(), bits);
  const bool unrolls = !llvm::isa<llvm::CallInst>(instruction);
  builder_.CreateCondBr(unrolls ? builder_.CreateICmpEQ(on, llvm::Constant::getAllOnesValue(bits)) : builder_.getFalse(), every,
                        some);

  const bool gives = !instruction.getType()->isVoidTy();
  llvm::Value* const none = gives ? llvm::PoisonValue::get(widened(instruction.getType())) : nullptr;
  builder_.SetInsertPoint(every);
  llvm::Value* each = none;
  for (unsigned lane = 0; unrolls && lane < width_.lanes; ++lane) {
    llvm::Value* const one = of_lane(instruction, operands, builder_.getInt32(lane));
    if (gives) each = with_lane(each, one, builder_.getInt32(lane));
  }
  builder_.CreateBr(after);

  builder_.SetInsertPoint(some);
  builder_.CreateCondBr(builder_.CreateIsNull(on), after, loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* const left = builder_.CreatePHI(bits, 2);
  left->addIncoming(on, some);
  llvm::PHINode* const whole = gives ? builder_.CreatePHI(none->getType(), 2) : nullptr;
  if (gives) whole->addIncoming(none, some);
  llvm::Value* const first = builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits}, {left, builder_.getTrue()});
  llvm::Value* const lane = builder_.CreateZExtOrTrunc(first, builder_.getInt32Ty());
  llvm::Value* const one = of_lane(instruction, operands, lane);
  llvm::Value* const with = gives ? with_lane(whole, one, lane) : nullptr;
  if (gives) whole->addIncoming(with, loop);
  llvm::Value* const rest = builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(bits, 1)));
  left->addIncoming(rest, loop);
  builder_.CreateCondBr(builder_.CreateIsNull(rest), after, loop);

  builder_.SetInsertPoint(after);
  if (!gives) return nullptr;
  llvm::PHINode* const result = builder_.CreatePHI(none->getType(), 3);
  result->addIncoming(each, every);
  result->addIncoming(none, some);
  result->addIncoming(with, loop);
  return result;
}

}  // namespace kiln::clang_module::spmd
