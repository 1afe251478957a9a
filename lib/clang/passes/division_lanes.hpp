// Vectors of loops with many divisions of integers.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Limits the vector width of a loop whose vectors would have many divisions of integers. CPUs have none of vectors, so that
/// there is one for each lane, and the time that LLVM takes for a block grows with the square of its length. Bits of results
/// stay. Before loops are vectorized.
void limit_division_lanes(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
