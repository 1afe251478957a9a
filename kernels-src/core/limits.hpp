// std::numeric_limits of numbers. Halves stand in it where half.hpp is included before.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

// What is the same of all numbers, and of what is none.
struct limits_of_nothing {
  static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false, is_bounded = false,
                        is_modulo = false, is_iec559 = false, has_infinity = false, has_quiet_NaN = false,
                        has_signaling_NaN = false, traps = false, tinyness_before = false;
  static constexpr int digits = 0, digits10 = 0, max_digits10 = 0, radix = 0, min_exponent = 0, min_exponent10 = 0,
                       max_exponent = 0, max_exponent10 = 0;
};

template <class T>
struct numeric_limits : limits_of_nothing {
  static KILN_CONSTEXPR_FN T min() { return T(); }
  static KILN_CONSTEXPR_FN T max() { return T(); }
  static KILN_CONSTEXPR_FN T lowest() { return T(); }
  static KILN_CONSTEXPR_FN T epsilon() { return T(); }
  static KILN_CONSTEXPR_FN T infinity() { return T(); }
  static KILN_CONSTEXPR_FN T quiet_NaN() { return T(); }
  static KILN_CONSTEXPR_FN T denorm_min() { return T(); }
};
template <class T>
struct numeric_limits<const T> : numeric_limits<T> {};

template <integer T>
struct numeric_limits<T> : limits_of_nothing {
  static constexpr bool is_specialized = true, is_signed = T(-1) < T(0), is_integer = true, is_exact = true, is_bounded = true,
                        is_modulo = !is_signed && !same<T, bool>;
  static constexpr int digits = same<T, bool> ? 1 : int(8 * sizeof(T)) - is_signed, digits10 = digits * 643 / 2136, radix = 2;
  static KILN_CONSTEXPR_FN T max() { return same<T, bool> ? T(1) : T(~uint64(0) >> (64 - digits)); }
  static KILN_CONSTEXPR_FN T min() { return is_signed ? T(-max() - 1) : T(0); }
  static KILN_CONSTEXPR_FN T lowest() { return min(); }
  static KILN_CONSTEXPR_FN T epsilon() { return 0; }
  static KILN_CONSTEXPR_FN T round_error() { return 0; }
  static KILN_CONSTEXPR_FN T infinity() { return 0; }
  static KILN_CONSTEXPR_FN T quiet_NaN() { return 0; }
  static KILN_CONSTEXPR_FN T signaling_NaN() { return 0; }
  static KILN_CONSTEXPR_FN T denorm_min() { return 0; }
};

struct limits_of_floating : limits_of_nothing {
  static constexpr bool is_specialized = true, is_signed = true, is_bounded = true, is_iec559 = true, has_infinity = true,
                        has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr int radix = 2;
};

template <>
struct numeric_limits<float> : limits_of_floating {
  static constexpr int digits = 24, digits10 = 6, max_digits10 = 9, min_exponent = -125, min_exponent10 = -37,
                       max_exponent = 128, max_exponent10 = 38;
  static KILN_CONSTEXPR_FN float min() { return 0x1p-126f; }
  static KILN_CONSTEXPR_FN float max() { return 0x1.fffffep127f; }
  static KILN_CONSTEXPR_FN float lowest() { return -max(); }
  static KILN_CONSTEXPR_FN float epsilon() { return 0x1p-23f; }
  static KILN_CONSTEXPR_FN float round_error() { return 0.5f; }
  static KILN_CONSTEXPR_FN float infinity() { return __builtin_bit_cast(float, 0x7f800000u); }
  static KILN_CONSTEXPR_FN float quiet_NaN() { return __builtin_bit_cast(float, 0x7fc00000u); }
  static KILN_CONSTEXPR_FN float signaling_NaN() { return __builtin_bit_cast(float, 0x7fa00000u); }
  static KILN_CONSTEXPR_FN float denorm_min() { return 0x1p-149f; }
};
template <>
struct numeric_limits<double> : limits_of_floating {
  static constexpr int digits = 53, digits10 = 15, max_digits10 = 17, min_exponent = -1021, min_exponent10 = -307,
                       max_exponent = 1024, max_exponent10 = 308;
  static KILN_CONSTEXPR_FN double min() { return 0x1p-1022; }
  static KILN_CONSTEXPR_FN double max() { return 0x1.fffffffffffffp1023; }
  static KILN_CONSTEXPR_FN double lowest() { return -max(); }
  static KILN_CONSTEXPR_FN double epsilon() { return 0x1p-52; }
  static KILN_CONSTEXPR_FN double round_error() { return 0.5; }
  static KILN_CONSTEXPR_FN double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ull); }
  static KILN_CONSTEXPR_FN double quiet_NaN() { return __builtin_bit_cast(double, 0x7ff8000000000000ull); }
  static KILN_CONSTEXPR_FN double signaling_NaN() { return __builtin_bit_cast(double, 0x7ff4000000000000ull); }
  static KILN_CONSTEXPR_FN double denorm_min() { return 0x1p-1074; }
};

#if KILN_HALVES
#define KILN_HALF_LIMITS(T, digits_, least_, greatest_, least10, greatest10, ten, tens, min_, max_, epsilon_, infinity_, nan_) \
  template <>                                                                                                                  \
  struct numeric_limits<T> : limits_of_floating {                                                                              \
    static constexpr int digits = digits_, digits10 = ten, max_digits10 = tens, min_exponent = least_,                         \
                         min_exponent10 = least10, max_exponent = greatest_, max_exponent10 = greatest10;                      \
    static KILN_FN T min() {                                                                                                   \
      return T::from_bits(min_);                                                                                               \
    }                                                                                                                          \
    static KILN_FN T max() {                                                                                                   \
      return T::from_bits(max_);                                                                                               \
    }                                                                                                                          \
    static KILN_FN T lowest() {                                                                                                \
      return T::from_bits(0x8000 | max_);                                                                                      \
    }                                                                                                                          \
    static KILN_FN T epsilon() {                                                                                               \
      return T::from_bits(epsilon_);                                                                                           \
    }                                                                                                                          \
    static KILN_FN T infinity() {                                                                                              \
      return T::from_bits(infinity_);                                                                                          \
    }                                                                                                                          \
    static KILN_FN T quiet_NaN() {                                                                                             \
      return T::from_bits(nan_);                                                                                               \
    }                                                                                                                          \
    static KILN_FN T denorm_min() {                                                                                            \
      return T::from_bits(1);                                                                                                  \
    }                                                                                                                          \
  };
KILN_HALF_LIMITS(float16, 11, -13, 16, -4, 4, 3, 5, 0x0400, 0x7bff, 0x1400, 0x7c00, 0x7e00)
KILN_HALF_LIMITS(bfloat16, 8, -125, 128, -37, 38, 2, 4, 0x0080, 0x7f7f, 0x3c00, 0x7f80, 0x7fc0)
#undef KILN_HALF_LIMITS
#endif

}  // namespace kiln
