// Functions of single numbers that few lanes of a loop need.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstddef>
#include <string>

namespace llvm {
class CallInst;
}

namespace kiln::clang_module {

/// kiln_rarely_…(y, x, limit, rare) of kernels-src/core/same_bits.hpp: y, or rare(x) where the size of x is not below the
/// limit.
inline constexpr llvm::StringRef kRarely = "kiln_rarely_";

/// Replaces such a call by one of a function for one number, and names its variants for 2 to 16 lanes, which the loop
/// vectorizer takes. A variant compares all lanes at once and calls `rare` for those that need it.
void name_rare_lanes(llvm::CallInst& call);

/// Text of the vector ABI that says which function computes `lanes` of `scalar`.
[[nodiscard]] std::string mapping_of(unsigned lanes, std::size_t arguments, llvm::StringRef scalar, llvm::StringRef vector);

}  // namespace kiln::clang_module
