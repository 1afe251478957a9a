// Types that the headers of C declare, where a text names them; types.hpp has those that every kernel needs.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

using uchar = unsigned char;
using uint = unsigned int;
using ushort = unsigned short;
using ulong = unsigned long;

using intptr_t = long;
using uintptr_t = unsigned long;
using intmax_t = long;
using uintmax_t = unsigned long;
using nullptr_t = decltype(nullptr);
struct alignas(16) max_align_t {
  long long value[2];
};
enum class byte : unsigned char {};
template <integer T>
KILN_CONSTEXPR_FN T to_integer(byte x) {
  return T(x);
}

#define KILN_INTEGERS(bits, fast)          \
  using int_least##bits##_t = int##bits;   \
  using uint_least##bits##_t = uint##bits; \
  using int_fast##bits##_t = signed fast;  \
  using uint_fast##bits##_t = unsigned fast;
KILN_INTEGERS(8, char)
KILN_INTEGERS(16, long)
KILN_INTEGERS(32, long)
KILN_INTEGERS(64, long)
#undef KILN_INTEGERS

}  // namespace kiln
