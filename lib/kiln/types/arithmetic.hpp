// The flags of CompileOptions that say how a kernel's arithmetic is compiled. They go the way from a definition to the compiler
// and into the key of the cache.
#pragma once

#include <array>
#include <compare>

/// X(flag, in_every_key) for each, sorted by name, as members of keys are. A flag that is not in every key is named by keys of
/// kernels that have it alone. Keys of other kernels stay as they are when such a flag is added.
#define KILN_EACH_ARITHMETIC_FLAG(X) \
  X(contract, true)                  \
  X(fast_math, true)                 \
  X(same_bits, false)

namespace kiln {

/// Members have the names and the meaning of those of CompileOptions. No other flag is set beside same_bits.
struct Arithmetic {
#define KILN_MEMBER(flag, ...) bool flag = false;
  KILN_EACH_ARITHMETIC_FLAG(KILN_MEMBER)
#undef KILN_MEMBER
  friend auto operator<=>(const Arithmetic&, const Arithmetic&) = default;
};

struct ArithmeticFlag {
  const char* name;
  bool Arithmetic::* member;
  bool in_every_key;
};

#define KILN_ROW(flag, in_every_key) ArithmeticFlag{#flag, &Arithmetic::flag, in_every_key},
inline constexpr std::array kArithmeticFlags{KILN_EACH_ARITHMETIC_FLAG(KILN_ROW)};
#undef KILN_ROW

template <class CompileOptions>
[[nodiscard]] Arithmetic arithmetic_of(const CompileOptions& options) {
#define KILN_MEMBER(flag, ...) .flag = options.flag,
  return {KILN_EACH_ARITHMETIC_FLAG(KILN_MEMBER)};
#undef KILN_MEMBER
}

template <class CompileOptions>
void set_arithmetic(CompileOptions& options, const Arithmetic& arithmetic) {
#define KILN_MEMBER(flag, ...) options.flag = arithmetic.flag;
  KILN_EACH_ARITHMETIC_FLAG(KILN_MEMBER)
#undef KILN_MEMBER
}

}  // namespace kiln
