// Constants of <cmath>, <cfloat>, <climits>, <cstdint> and <cstddef>, where a text names them. No macros: names of the user's
// hide them, and a text may define a macro of the same name. The standard headers that <climits> and <cstdint> stand for
// (standard/) make macros of those that #if computes with.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

// An integer, as CUDA's compilers have it: addresses that are held in integers are compared with it. A macro, since a variable
// of the value 0 is no null pointer.
#ifndef NULL
#define NULL 0
#endif

inline constexpr double M_LOG2E = 1.442695040888963407359924681001892137;
inline constexpr double M_LOG10E = 0.434294481903251827651128918916605082;
inline constexpr double M_LN2 = 0.693147180559945309417232121458176568;
inline constexpr double M_LN10 = 2.302585092994045684017991454684364208;
inline constexpr double M_PI_2 = 1.570796326794896619231321691639751442;
inline constexpr double M_PI_4 = 0.785398163397448309615660845819875721;
inline constexpr double M_1_PI = 0.318309886183790671537767526745028724;
inline constexpr double M_2_PI = 0.636619772367581343075535053490057448;
inline constexpr double M_2_SQRTPI = 1.128379167095512573896158903121545172;
inline constexpr double M_SQRT2 = 1.414213562373095048801688724209698079;
inline constexpr double M_SQRT1_2 = 0.707106781186547524400844362104849039;

#ifndef HUGE_VALF
inline constexpr float HUGE_VALF = __builtin_bit_cast(float, 0x7f800000u);
#endif
#ifndef MAXFLOAT
inline constexpr float MAXFLOAT = 0x1.fffffep127f;
#endif
#ifndef FP_NAN
inline constexpr int FP_NAN = 0, FP_INFINITE = 1, FP_ZERO = 2, FP_SUBNORMAL = 3, FP_NORMAL = 4;
#endif

inline constexpr int FLT_RADIX = 2, DECIMAL_DIG = 17;
inline constexpr int FLT_MANT_DIG = 24, FLT_DIG = 6, FLT_DECIMAL_DIG = 9;
inline constexpr int FLT_MIN_EXP = -125, FLT_MAX_EXP = 128, FLT_MIN_10_EXP = -37, FLT_MAX_10_EXP = 38;
inline constexpr float FLT_MAX = 0x1.fffffep127f, FLT_MIN = 0x1p-126f, FLT_EPSILON = 0x1p-23f, FLT_TRUE_MIN = 0x1p-149f;
inline constexpr int DBL_MANT_DIG = 53, DBL_DIG = 15, DBL_DECIMAL_DIG = 17;
inline constexpr int DBL_MIN_EXP = -1021, DBL_MAX_EXP = 1024, DBL_MIN_10_EXP = -307, DBL_MAX_10_EXP = 308;
inline constexpr double DBL_MAX = 0x1.fffffffffffffp1023, DBL_MIN = 0x1p-1022, DBL_EPSILON = 0x1p-52, DBL_TRUE_MIN = 0x1p-1074;

inline constexpr int CHAR_BIT = 8, SCHAR_MIN = -128, SCHAR_MAX = 127, UCHAR_MAX = 255;
inline constexpr int CHAR_MIN = char(-1) < char(1) ? -128 : 0, CHAR_MAX = char(-1) < char(1) ? 127 : 255;
inline constexpr int SHRT_MIN = -32768, SHRT_MAX = 32767, USHRT_MAX = 65535;
inline constexpr int INT_MAX = 2147483647, INT_MIN = -INT_MAX - 1;
inline constexpr unsigned int UINT_MAX = 4294967295u;
inline constexpr long LONG_MAX = 9223372036854775807l, LONG_MIN = -LONG_MAX - 1;
inline constexpr unsigned long ULONG_MAX = 18446744073709551615ul;
inline constexpr long long LLONG_MAX = 9223372036854775807ll, LLONG_MIN = -LLONG_MAX - 1;
inline constexpr unsigned long long ULLONG_MAX = 18446744073709551615ull;

inline constexpr int INT8_MIN = -128, INT8_MAX = 127, UINT8_MAX = 255;
inline constexpr int INT16_MIN = -32768, INT16_MAX = 32767, UINT16_MAX = 65535;
inline constexpr int32 INT32_MAX = 2147483647, INT32_MIN = -INT32_MAX - 1;
inline constexpr uint32 UINT32_MAX = 4294967295u;
inline constexpr int64 INT64_MAX = 9223372036854775807ll, INT64_MIN = -INT64_MAX - 1;
inline constexpr uint64 UINT64_MAX = 18446744073709551615ull;
inline constexpr size_t SIZE_MAX = 18446744073709551615ul;
inline constexpr ptrdiff_t PTRDIFF_MAX = 9223372036854775807l, PTRDIFF_MIN = -PTRDIFF_MAX - 1;

}  // namespace kiln
