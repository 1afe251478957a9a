// NumPy's arithmetic on integers where C++ leaves something undefined or rounds otherwise: every operation wraps, quotients
// go down to the divisor's side, dividing by zero gives 0, shifts know no bound. bool operands count as 0 and 1.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

template <integer T>
inline constexpr bool is_signed_integer = T(-1) < T(0);

// As wide as T, but never narrower than int, which would be promoted to a signed type.
template <integer T, bool Wide = (sizeof(T) > 4)>
struct unsigned_of_impl {
  using type = uint32;
};
template <integer T>
struct unsigned_of_impl<T, true> {
  using type = uint64;
};
template <integer T>
using unsigned_of = typename unsigned_of_impl<T>::type;

template <integer T>
KILN_FN bool is_negative(T a) {
  if constexpr (is_signed_integer<T>) {
    return a < 0;
  } else {
    return false;
  }
}

template <class T>
KILN_FN auto wrapping_add(T a, T b) {
  if constexpr (integer<T>) {
    return T(unsigned_of<T>(a) + unsigned_of<T>(b));
  } else {
    return a + b;
  }
}
template <class T>
KILN_FN auto wrapping_subtract(T a, T b) {
  if constexpr (integer<T>) {
    return T(unsigned_of<T>(a) - unsigned_of<T>(b));
  } else {
    return a - b;
  }
}
template <class T>
KILN_FN auto wrapping_multiply(T a, T b) {
  if constexpr (integer<T>) {
    return T(unsigned_of<T>(a) * unsigned_of<T>(b));
  } else {
    return a * b;
  }
}
template <class T>
KILN_FN auto wrapping_negate(T a) {
  if constexpr (integer<T>) {
    return T(0u - unsigned_of<T>(a));
  } else {
    return -a;
  }
}
template <real_number T>
KILN_FN T square(T a) {
  return wrapping_multiply(a, a);
}
// The magnitude, which always fits the unsigned type.
template <integer T>
KILN_FN unsigned_of<T> magnitude(T a) {
  return is_negative(a) ? 0u - unsigned_of<T>(a) : unsigned_of<T>(a);
}

template <integer T>
KILN_FN T bit_not(T a) {
  if constexpr (same<T, bool>) {
    return !a;
  } else {
    return T(~a);
  }
}

}  // namespace kiln
KILN_PRECISE_BEGIN
namespace kiln {

// C++'s quotient, towards zero, of every pair. On CPUs up to 32 bits by a floating division, which is exact there: vectors have
// it, and none for integers.
template <integer T>
KILN_FN T truncated_divide(T a, T b) {
  if constexpr (sizeof(T) <= 2 && KILN_FLOATING_QUOTIENTS) {
    const float q = static_cast<float>(a) / static_cast<float>(b == 0 ? T(1) : b);
    return b == 0 ? T(0) : T(static_cast<int32>(q));
  } else {
    const bool undefined = b == 0 || (is_signed_integer<T> && b == T(-1));  // by -1: MIN would overflow
    const T divisor = undefined ? T(1) : b;
    T q;
    if constexpr (sizeof(T) == 4 && KILN_FLOATING_QUOTIENTS) {
      q = static_cast<T>(static_cast<double>(a) / static_cast<double>(divisor));
    } else {
      q = a / divisor;
    }
    return b == 0 ? T(0) : undefined ? wrapping_negate(a) : q;
  }
}
// The remainder of that quotient, with the sign of the dividend; 0 where the divisor is.
template <integer T>
KILN_FN T truncated_remainder(T a, T b) {
  const T r = wrapping_subtract(a, wrapping_multiply(truncated_divide(a, b), b));
  return b == 0 ? T(0) : r;
}
// The quotient rounded down; 0 for a divisor of 0, MIN for MIN by -1.
template <integer T>
KILN_FN T floor_divide(T a, T b) {
  const T q = truncated_divide(a, b);
  if constexpr (is_signed_integer<T>) {
    const T r = wrapping_subtract(a, wrapping_multiply(q, b));
    return b != 0 && r != 0 && (r < 0) != (b < 0) ? wrapping_subtract(q, T(1)) : q;
  } else {
    return q;
  }
}
// What is left of that, with the sign of the divisor; 0 for a divisor of 0.
template <integer T>
KILN_FN T floor_remainder(T a, T b) {
  const T r = truncated_remainder(a, b);
  if constexpr (is_signed_integer<T>) {
    return r != 0 && (r < 0) != (b < 0) ? wrapping_add(r, b) : r;
  } else {
    return r;
  }
}

}  // namespace kiln
KILN_PRECISE_END
namespace kiln {

// A count that is negative, or the width and more, shifts everything out: 0 remains, or -1 of a negative number to the right.
template <integer T>
KILN_FN T shift_left(T a, T b) {
  constexpr unsigned_of<T> width = sizeof(T) * 8;
  const unsigned_of<T> count = unsigned_of<T>(b);
  return count < width ? T(unsigned_of<T>(a) << (count & (sizeof(unsigned_of<T>) * 8 - 1))) : T(0);
}
template <integer T>
KILN_FN T shift_right(T a, T b) {
  constexpr unsigned_of<T> width = sizeof(T) * 8;
  const unsigned_of<T> count = unsigned_of<T>(b);
  return T(a >> (count < width ? count : width - 1)) & (count < width || is_signed_integer<T> ? T(-1) : T(0));
}

// By squaring. A negative exponent gives the exact power towards zero: 0 but for bases of 1 and -1.
template <integer T>
KILN_FN T integer_power(T base, T exponent) {
  using U = unsigned_of<T>;
  if constexpr (is_signed_integer<T>) {
    if (exponent < 0) {
      return base == 1 ? T(1) : base == T(-1) ? ((exponent & 1) != 0 ? T(-1) : T(1)) : T(0);
    }
  }
  U power = 1;
  U square = U(base);
  for (U n = U(exponent); n != 0; n >>= 1) {
    power = (n & 1) != 0 ? power * square : power;
    square *= square;
  }
  return T(power);
}

// The greatest common divisor of the magnitudes, by subtraction and shifts; 0 of two zeros.
template <integer T>
KILN_FN T gcd(T a, T b) {
  using U = unsigned_of<T>;
  U x = magnitude(a), y = magnitude(b);
  if (x == 0 || y == 0) {
    return T(x | y);
  }
  const int common = KILN_TRAILING_ZEROS(static_cast<uint64>(x | y));
  x >>= KILN_TRAILING_ZEROS(static_cast<uint64>(x));
  do {
    y >>= KILN_TRAILING_ZEROS(static_cast<uint64>(y));
    const U low = x < y ? x : y;
    y = x < y ? y - x : x - y;
    x = low;
  } while (y != 0);
  return T(x << common);
}
template <integer T>
KILN_FN T lcm(T a, T b) {
  using U = unsigned_of<T>;
  const U divisor = magnitude(gcd(a, b));
  return divisor == 0 ? T(0) : T(magnitude(a) / divisor * magnitude(b));
}

// Bits set in the magnitude, as NumPy counts them.
template <integer T>
KILN_FN uint8 bit_count(T a) {
  if constexpr (sizeof(T) > 4) {
    return uint8(KILN_POPULATION_64(magnitude(a)));
  } else {
    return uint8(KILN_POPULATION_32(magnitude(a)));
  }
}

// Comparison by value where the signs of the types differ.
template <class A, class B>
concept mixed_signs = integer<A> && integer<B> && is_signed_integer<A> != is_signed_integer<B>;
template <class A, class B>
KILN_FN bool equal_to(const A& a, const B& b) {
  if constexpr (mixed_signs<A, B>) {
    return !is_negative(a) && !is_negative(b) && static_cast<uint64>(a) == static_cast<uint64>(b);
  } else {
    return a == b;
  }
}
template <class A, class B>
KILN_FN bool less_than(const A& a, const B& b) {
  if constexpr (mixed_signs<A, B>) {
    return is_negative(a) || (!is_negative(b) && static_cast<uint64>(a) < static_cast<uint64>(b));
  } else {
    return a < b;
  }
}
template <class A, class B>
KILN_FN bool less_or_equal(const A& a, const B& b) {
  if constexpr (mixed_signs<A, B>) {
    return is_negative(a) || (!is_negative(b) && static_cast<uint64>(a) <= static_cast<uint64>(b));
  } else {
    return a <= b;
  }
}

}  // namespace kiln
