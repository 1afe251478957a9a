// Functions of whole registers that share work where a kernel calls several of them for the same lanes: the sine and the cosine
// of an angle need one range reduction. kiln_of_lanes_…_joined() in kernels-src/math/avx512_cpu.hpp names such a function
// twice, as `lanes`, which is faster alone, and as `joined`, which shares. Both have the same bits.
#pragma once

namespace llvm {
class CallInst;
class Function;
class PassBuilder;
template <class T>
class SmallVectorImpl;
class Value;
}  // namespace llvm

namespace kiln::clang_module {

/// Takes the `joined` of a call of kiln_of_lanes_… from `arguments`, the call's; null where it has none.
llvm::Function* take_joined(const llvm::CallInst& call, llvm::SmallVectorImpl<llvm::Value*>& arguments);

/// Marks `lanes`.
void set_joined(llvm::Function& lanes, const llvm::Function& joined);

/// Makes `builder`'s pipelines inline the joined functions where a basic block calls several marked functions with one
/// argument. The pass runs behind the vectorizers, which make no vectors of a call with two results. Another one drops the
/// joined functions of a module with nothing to join before they are optimized.
void join_lanes(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
