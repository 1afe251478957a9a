// The names of the element types inside kernels, the concepts that overloads are chosen by, and conversion between types.
#pragma once
#include "kiln/core/portable.hpp"

namespace kiln {

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long long;
using float32 = float;
using float64 = double;
using index = int64;
using kiln_index = index;  // where a macro of the user's may be called index
using boolean = bool;

// The spellings of <cstdint>; `long` stays a type of its own, as int64_t is elsewhere.
using int8_t = int8;
using int16_t = int16;
using int32_t = int32;
using int64_t = int64;
using uint8_t = uint8;
using uint16_t = uint16;
using uint32_t = uint32;
using uint64_t = uint64;
using size_t = decltype(sizeof(0));
using ptrdiff_t = long;

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;
template <class T, class... U>
concept one_of = (same<T, U> || ...);

// What goes by reference; all else goes by value, as bit-fields must.
template <class T>
inline constexpr bool is_object = __is_class(T) || __is_union(T);
template <class T>
inline constexpr bool is_object<T&> = is_object<T>;

template <class T>
concept integer = one_of<T, int, long long, unsigned int, unsigned long long, signed char, unsigned char, short, unsigned short,
                         bool, long, unsigned long, char, wchar_t, char8_t, char16_t, char32_t>;

// __int128, which no dtype is: wide_integers.hpp says so.
template <class T>
inline constexpr bool is_wide_integer = false;

// float16 and bfloat16: half.hpp says so.
template <class T>
inline constexpr bool is_half = false;
template <class T>
concept half_like = is_half<T>;
// The product of a whole quotient of two such numbers and the divisor fits float64.
template <class T>
inline constexpr bool has_short_quotients = false;
// complex.hpp says so.
template <class T>
inline constexpr bool is_complex = false;

template <class T>
concept real_number = one_of<T, float, double> || integer<T> || half_like<T>;

template <class To, class From>
KILN_FN To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

// Conversion between element types: as C++ converts, complex to real drops the imaginary part, and whatever is not 0 is true.
template <class To, class From>
KILN_FN To convert(const From& x) {
  if constexpr (same<To, From>) {
    return x;
  } else if constexpr (is_complex<From>) {
    if constexpr (same<To, bool>) {
      return x.re != 0 || x.im != 0;
    } else if constexpr (is_complex<To>) {
      return To(x);
    } else {
      return convert<To>(x.re);
    }
  } else if constexpr (is_half<From>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (same<To, bool>) {
    return x != 0;
  } else {
    return static_cast<To>(x);
  }
}

// What a value of that dtype is inside a body. Halves arrive as float: half expressions are computed in float32 and rounded
// once, where they are stored.
template <class T, bool = is_half<T>>
struct parameter {
  using type = T;
};
template <class T>
struct parameter<T, true> {
  using type = float;
};

// An element of memory as a body gets it. Memory holds a bool as a byte, of which any but 0 is true.
template <class Compute, class Storage>
KILN_FN typename parameter<Compute>::type from_storage(const Storage& x) {
  if constexpr (same<Compute, bool>) {
    return convert<bool>(x);
  } else {
    return convert<typename parameter<Compute>::type>(convert<Compute>(x));
  }
}

}  // namespace kiln
