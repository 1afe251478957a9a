// Which instructions lanes may execute as vectors, and which only where a lane is on.
#pragma once

#include <llvm/IR/Instructions.h>

#include <string>

#include "clang/spmd/shapes.hpp"

namespace kiln::clang_module::spmd {

/// Why an instruction has no vector form, as the end of a sentence that begins with "it"; empty where it has one.
[[nodiscard]] std::string why_illegal(const llvm::Instruction& instruction, const Shapes& shapes);
/// Whether it may not run where no lane is on, or costs much.
[[nodiscard]] bool needs_a_lane(const llvm::Instruction& instruction, const Shapes& shapes);

/// Whether it allocates an array whose length is known only when it runs, or frees one.
[[nodiscard]] bool moves_stack(const llvm::Instruction& instruction);
[[nodiscard]] bool is_barrier(const llvm::CallInst& call);
/// Whether it keeps accesses of lanes in order that go on together.
[[nodiscard]] bool is_lockstep(const llvm::CallInst& call);
/// Whether it is a hint to optimizers, and nothing that runs.
[[nodiscard]] bool does_nothing(const llvm::Instruction& instruction);

}  // namespace kiln::clang_module::spmd
