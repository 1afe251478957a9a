// x86 converts halves and, without AVX512-FP16 (../features.cpp), does no more with them.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// Makes `builder`'s pipelines compute in float32 what LLVM, to save conversions, has brought down to half: comparisons,
/// arithmetic, rounding, conversions from and to integers. The results are the same, to the last bit. Left as they are, each
/// element was converted, compared and put back on its own: a `maximum` of float16 took 10 times float32's time, now 0.6.
void widen_halves(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
