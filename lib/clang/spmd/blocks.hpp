// Blocks whose threads share memory and wait for one another: the compiler's side of kernels-src/raw/shared_cpu.hpp.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class Function;
class PassBuilder;
}  // namespace llvm

namespace kiln::clang_module {

namespace spmd {

inline constexpr llvm::StringRef kBarrierName = "kiln_barrier";
/// Between accesses of lanes that go on together: nothing, once they do.
inline constexpr llvm::StringRef kLockstepName = "kiln_lockstep";
/// Gives the memory that threads of a block share.
inline constexpr llvm::StringRef kMemoryName = "kiln_shared_memory";
/// Give how many neighbours the function of neighbouring threads computes at once: its loop has as many iterations; in it.
inline constexpr llvm::StringRef kLanesCallName = "kiln_lanes";
inline constexpr llvm::StringRef kTogetherName = "kiln_together";
/// The function of neighbouring threads.
inline constexpr llvm::StringRef kThreadsName = "kiln_threads";
/// An attribute of it: how many it computes at once.
inline constexpr llvm::StringRef kLanesName = "kiln-lanes";
/// Puts that number in the place of those calls in the function. Whether there were any.
bool tell_lanes(llvm::Function& threads);

}  // namespace spmd

/// Variables of KILN_SHARED become memory of the block. The function of neighbouring threads becomes one that returns at each
/// barrier and goes on from there: LLVM's coroutines keep what lives across, and no more.
void let_threads_wait(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
