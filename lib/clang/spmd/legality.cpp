#include "clang/spmd/legality.hpp"

#include <llvm/IR/IntrinsicInst.h>

#include "clang/passes/integer_divisions.hpp"
#include "clang/spmd/blocks.hpp"
#include "clang/spmd/widener.hpp"

namespace kiln::clang_module::spmd {
namespace {

bool is_number(const llvm::Type* type) {
  return type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy();
}

}  // namespace

bool is_barrier(const llvm::CallInst& call) {
  return call.getCalledFunction() != nullptr && call.getCalledFunction()->getName() == kBarrierName;
}

bool is_lockstep(const llvm::CallInst& call) {
  return call.getCalledFunction() != nullptr && call.getCalledFunction()->getName() == kLockstepName;
}

bool does_nothing(const llvm::Instruction& instruction) {
  const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (intrinsic == nullptr) return false;
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::donothing:
      return true;
    default:
      return intrinsic->isDebugOrPseudoInst();
  }
}

bool moves_stack(const llvm::Instruction& instruction) {
  if (const auto* const memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) return !memory->isStaticAlloca();
  const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr && (intrinsic->getIntrinsicID() == llvm::Intrinsic::stacksave ||
                                  intrinsic->getIntrinsicID() == llvm::Intrinsic::stackrestore);
}

std::string why_illegal(const llvm::Instruction& instruction, const Shapes& shapes) {
  if (does_nothing(instruction)) return "";
  if (instruction.isVolatile()) return "reads or writes what is volatile";
  if (llvm::isa<llvm::InvokeInst, llvm::CallBrInst, llvm::IndirectBrInst, llvm::ResumeInst>(instruction)) {
    return "has exceptions or computed jumps";
  }
  if (instruction.isTerminator() && !llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::UnreachableInst>(instruction)) {
    return "leaves the function in its middle";
  }
  if (moves_stack(instruction)) return "has an array whose length is known only when it runs";
  if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    if (call->isInlineAsm()) return "has machine code of its own";
    if (call->isConvergent() && !is_barrier(*call) && !is_lockstep(*call) && !takes_from_below(*call) && !takes_of_lane(*call))
      return "calls a function that lanes must call together";
  }
  if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) return "";
  if (shapes.of(&instruction).is_varying() && !instruction.getType()->isVoidTy() && !is_number(instruction.getType())) {
    return "computes with vectors or structures";
  }
  const auto* const member = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction);
  if (member != nullptr && llvm::isa<llvm::AtomicCmpXchgInst>(member->getAggregateOperand())) return "";
  for (const llvm::Use& operand : instruction.operands()) {
    if (operand->getType()->isTokenTy() || operand->getType()->isMetadataTy()) return "has what no vector can hold";
    if (shapes.of(operand).is_varying() && !is_number(operand->getType())) return "computes with vectors or structures";
  }
  return "";
}

bool needs_a_lane(const llvm::Instruction& instruction, const Shapes& shapes) {
  if (does_nothing(instruction)) return false;
  if (instruction.mayReadOrWriteMemory() || llvm::isa<llvm::CallInst>(instruction)) return true;
  return divides_integers(instruction) && shapes.of(&instruction).is_uniform();
}

}  // namespace kiln::clang_module::spmd
