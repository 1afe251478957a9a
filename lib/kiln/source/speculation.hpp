// Whether a body may be computed for elements that nobody asked for.
#pragma once

#include <cstdint>

#include "source/user_text.hpp"

namespace kiln::codegen {

/// For which elements that a mask leaves out a CPU may compute the body all the same.
enum class Speculation : std::uint8_t {
  none,    ///< for none: it is skipped
  blocks,  ///< for those beside one that counts: it is expensive, and blocks of which none does are skipped
  free,    ///< for any
};

/// Not `none` where computing the text on any values whatever ends soon, traps nowhere and reads no memory, as far as its
/// tokens tell: then a masked loop on the CPU computes every element and selects, which vectorizes, where a branch around calls
/// of libm's vector functions would not. `blocks` where it divides integers (divisions.hpp), as parameters may be where a dtype
/// of the operation's is one of the `integers`. Pure.
[[nodiscard]] Speculation speculation_of(const UserText& text, bool integers);
[[nodiscard]] inline bool may_speculate(const UserText& text, bool integers) {
  return speculation_of(text, integers) == Speculation::free;
}

}  // namespace kiln::codegen
