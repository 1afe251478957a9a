// Which instructions divide integers.
#pragma once

#include <llvm/IR/Instruction.h>

namespace kiln::clang_module {

[[nodiscard]] inline bool divides_integers(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return true;
    default:
      return false;
  }
}

}  // namespace kiln::clang_module
