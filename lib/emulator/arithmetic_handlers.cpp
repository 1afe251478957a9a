// Instructions that compute: each lane's result from its own operands.
#include <algorithm>
#include <array>
#include <utility>

#include "emulator/handlers.hpp"

namespace kiln::emulator {
namespace {

using Words = std::span<const std::string_view>;

bool has(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What `detail` holds of a computation's words.
constexpr std::uint32_t kRounding = 3;
constexpr std::uint32_t kFtz = 4;
constexpr std::uint32_t kSat = 8;
constexpr std::uint32_t kNan = 16;
constexpr std::uint32_t kRelu = 32;
constexpr std::uint32_t kWhole = 64;  ///< .rni and its like: to an integer

std::uint32_t detail_of(Words words) {
  std::uint32_t detail = 0;
  for (const std::string_view word : words) {
    if (word == "rz" || word == "rzi") detail |= static_cast<std::uint32_t>(Rounding::zero);
    if (word == "rm" || word == "rmi") detail |= static_cast<std::uint32_t>(Rounding::down);
    if (word == "rp" || word == "rpi") detail |= static_cast<std::uint32_t>(Rounding::up);
    if (word == "rni" || word == "rzi" || word == "rmi" || word == "rpi") detail |= kWhole;
    if (word == "ftz") detail |= kFtz;
    if (word == "sat") detail |= kSat;
    if (word == "NaN") detail |= kNan;
    if (word == "relu") detail |= kRelu;
  }
  return detail;
}

How how_of(const Instruction& at) {
  return {static_cast<Rounding>(at.detail & kRounding), (at.detail & kFtz) != 0, (at.detail & kSat) != 0};
}
template <class T>
T input_of(const Instruction& at, T x) {
  return (at.detail & kFtz) != 0 ? flushed(x) : x;
}

template <class Operation, class... Inputs>
void compute(Warp& warp, const Instruction& at, Mask lanes) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const std::array<const std::uint64_t*, sizeof...(Inputs)> rows = {warp.in(at.in[k])...};
    std::uint64_t* const out = warp.out(at.out);
    each_lane(lanes, [&](unsigned lane) { out[lane] = to_bits(Operation::run(at, from_bits<Inputs>(rows[k][lane])...)); });
  }(std::index_sequence_for<Inputs...>{});
}

// Floating point.
struct Add {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return add(a, b, how_of(at));
  }
};
struct Subtract {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return subtract(a, b, how_of(at));
  }
};
struct Multiply {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return multiply(a, b, how_of(at));
  }
};
struct Divide {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return divide(a, b, how_of(at));
  }
};
struct Fused {
  template <class T>
  static T run(const Instruction& at, T a, T b, T c) {
    return multiply_add(a, b, c, how_of(at));
  }
};
struct SquareRoot {
  template <class T>
  static T run(const Instruction& at, T a) {
    return square_root(a, how_of(at));
  }
};
struct Reciprocal {
  template <class T>
  static T run(const Instruction& at, T a) {
    return divide(T{1}, a, how_of(at));
  }
};
struct Smaller {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return smaller(input_of(at, a), input_of(at, b), (at.detail & kNan) != 0);
  }
};
struct Larger {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return larger(input_of(at, a), input_of(at, b), (at.detail & kNan) != 0);
  }
};
struct Absolute {
  template <class T>
  static T run(const Instruction& at, T a) {
    return std::fabs(input_of(at, a));
  }
};
struct Negative {
  template <class T>
  static T run(const Instruction& at, T a) {
    return -input_of(at, a);
  }
};
struct CopySign {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return std::copysign(b, a);
  }
};

// Packed and single numbers of 16 bits: in double, where all but fma's sum of bfloat16 are exact.
template <class T, class Compute>
T in_double(const Instruction& at, const Compute& compute) {
  const double exact = compute();
  double result = exact;
  if ((at.detail & kSat) != 0) result = saturated(result);
  if ((at.detail & kRelu) != 0 && !(result != result)) result = result > 0 ? result : 0.0;
  return narrow<T>(result);
}
struct HalfAdd {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return in_double<T>(at, [&] { return odd_multiply_add(widened(a), 1.0, widened(b)); });
  }
};
struct HalfSubtract {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return in_double<T>(at, [&] { return odd_multiply_add(widened(a), 1.0, -widened(b)); });
  }
};
struct HalfMultiply {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return in_double<T>(at, [&] { return widened(a) * widened(b); });
  }
};
struct HalfFused {
  template <class T>
  static T run(const Instruction& at, T a, T b, T c) {
    return in_double<T>(at, [&] { return odd_multiply_add(widened(a), widened(b), widened(c)); });
  }
};
struct HalfSmaller {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return in_double<T>(at, [&] { return smaller(widened(a), widened(b), (at.detail & kNan) != 0); });
  }
};
struct HalfLarger {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    return in_double<T>(at, [&] { return larger(widened(a), widened(b), (at.detail & kNan) != 0); });
  }
};
struct HalfNegative {
  template <class T>
  static T run(const Instruction&, T a) {
    return {static_cast<std::uint16_t>(a.bits ^ 0x8000U)};
  }
};
struct HalfAbsolute {
  template <class T>
  static T run(const Instruction&, T a) {
    return {static_cast<std::uint16_t>(a.bits & 0x7FFFU)};
  }
};
/// Both halves of 32 bits.
template <class Operation, class T>
struct Twice {
  template <class... Inputs>
  static std::uint32_t run(const Instruction& at, Inputs... inputs) {
    const T low = Operation::run(at, T{static_cast<std::uint16_t>(inputs)}...);
    const T high = Operation::run(at, T{static_cast<std::uint16_t>(inputs >> 16U)}...);
    return std::uint32_t{low.bits} | std::uint32_t{high.bits} << 16U;
  }
};

// .approx
struct ApproximateReciprocal {
  static float run(const Instruction& at, float a) {
    return approximate(1.0 / static_cast<double>(input_of(at, a)), (at.detail & kFtz) != 0);
  }
};
struct ApproximateRoot {
  static float run(const Instruction& at, float a) {
    return approximate(std::sqrt(static_cast<double>(input_of(at, a))), (at.detail & kFtz) != 0);
  }
};
struct ApproximateReciprocalRoot {
  static float run(const Instruction& at, float a) {
    return approximate(1.0 / std::sqrt(static_cast<double>(input_of(at, a))), (at.detail & kFtz) != 0);
  }
};
struct ApproximateQuotient {
  static float run(const Instruction& at, float a, float b) {
    const float x = input_of(at, a);
    const float y = input_of(at, b);
    // The manual: for 2^126 < |b| < 2^128 the result is 0.
    const float size = std::fabs(y);
    if (at.detail_2 != 0 && size > 0x1p126F && size < std::numeric_limits<float>::infinity()) {
      return std::isinf(x) ? std::bit_cast<float>(kCanonicalNan) : std::copysign(0.0F, x * y);
    }
    return approximate(static_cast<double>(x) / static_cast<double>(y), (at.detail & kFtz) != 0);
  }
};
struct ApproximateSine {
  static float run(const Instruction& at, float a) {
    return approximate(std::sin(static_cast<double>(input_of(at, a))), (at.detail & kFtz) != 0);
  }
};
struct ApproximateCosine {
  static float run(const Instruction& at, float a) {
    return approximate(std::cos(static_cast<double>(input_of(at, a))), (at.detail & kFtz) != 0);
  }
};
struct ApproximateLogarithm {
  static float run(const Instruction& at, float a) {
    return approximate(std::log2(static_cast<double>(input_of(at, a))), (at.detail & kFtz) != 0);
  }
};
struct ApproximatePower {
  static float run(const Instruction& at, float a) {
    return approximate(std::exp2(static_cast<double>(input_of(at, a))), (at.detail & kFtz) != 0);
  }
};
struct ApproximateTangent {
  static float run(const Instruction& at, float a) {
    return approximate(std::tanh(static_cast<double>(input_of(at, a))), (at.detail & kFtz) != 0);
  }
};
struct HalfPower {
  template <class T>
  static T run(const Instruction&, T a) {
    return narrow<T>(std::exp2(widened(a)));
  }
};
struct HalfTangent {
  template <class T>
  static T run(const Instruction&, T a) {
    return narrow<T>(std::tanh(widened(a)));
  }
};
struct UpperReciprocal {
  static double run(const Instruction&, double a) { return upper_half(flushed_double(1.0 / flushed_double(a))); }
};
struct UpperReciprocalRoot {
  static double run(const Instruction&, double a) { return upper_half(1.0 / std::sqrt(flushed_double(a))); }
};

// Integers.
template <class T>
using Unsigned = std::make_unsigned_t<T>;

struct IntegerAdd {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      if ((at.detail & kSat) != 0) return static_cast<T>(std::clamp<std::int64_t>(std::int64_t{a} + b, INT32_MIN, INT32_MAX));
    }
    return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)));
  }
};
struct IntegerSubtract {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      if ((at.detail & kSat) != 0) return static_cast<T>(std::clamp<std::int64_t>(std::int64_t{a} - b, INT32_MIN, INT32_MAX));
    }
    return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)));
  }
};
template <class T>
T low_product(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
struct LowProduct {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return low_product(a, b);
  }
};
struct HighProduct {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return multiply_high(a, b);
  }
};
template <class T>
using Wide = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                                std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
struct WideProduct {
  template <class T>
  static Wide<T> run(const Instruction&, T a, T b) {
    return static_cast<Wide<T>>(static_cast<std::uint64_t>(static_cast<Wide<T>>(a)) *
                                static_cast<std::uint64_t>(static_cast<Wide<T>>(b)));
  }
};
struct LowSum {
  template <class T>
  static T run(const Instruction& at, T a, T b, T c) {
    return IntegerAdd::run(at, low_product(a, b), c);
  }
};
struct HighSum {
  template <class T>
  static T run(const Instruction& at, T a, T b, T c) {
    return IntegerAdd::run(at, multiply_high(a, b), c);
  }
};
template <class T>
struct WideSum {
  static Wide<T> run(const Instruction&, T a, T b, Wide<T> c) {
    return static_cast<Wide<T>>(static_cast<std::uint64_t>(static_cast<Wide<T>>(a)) *
                                    static_cast<std::uint64_t>(static_cast<Wide<T>>(b)) +
                                static_cast<std::uint64_t>(c));
  }
};
struct Product24 {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    const auto cut = [](T x) {
      return std::is_signed_v<T> ? std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8U)} >> 8
                                 : std::int64_t{static_cast<std::uint32_t>(x) & 0xFFFFFFU};
    };
    const std::int64_t product = cut(a) * cut(b);
    return static_cast<T>(at.detail_2 == 0 ? product : product >> 16);
  }
};
struct Sum24 {
  template <class T>
  static T run(const Instruction& at, T a, T b, T c) {
    return static_cast<T>(static_cast<std::uint32_t>(Product24::run(at, a, b)) + static_cast<std::uint32_t>(c));
  }
};
struct Distance {
  template <class T>
  static T run(const Instruction&, T a, T b, T c) {
    const std::uint64_t far = a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                                    : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
    return static_cast<T>(far + static_cast<std::uint64_t>(c));
  }
};
struct Quotient {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return quotient(a, b);
  }
};
struct Remainder {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return remainder(a, b);
  }
};
struct IntegerSmaller {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    const T least = std::min(a, b);
    return (at.detail & kRelu) != 0 ? std::max(least, T{0}) : least;
  }
};
struct IntegerLarger {
  template <class T>
  static T run(const Instruction& at, T a, T b) {
    const T most = std::max(a, b);
    return (at.detail & kRelu) != 0 ? std::max(most, T{0}) : most;
  }
};
struct IntegerAbsolute {
  template <class T>
  static T run(const Instruction&, T a) {
    return std::is_signed_v<T> && a < 0 ? static_cast<T>(0 - static_cast<std::uint64_t>(a)) : a;
  }
};
struct IntegerNegative {
  template <class T>
  static T run(const Instruction&, T a) {
    return static_cast<T>(0 - static_cast<std::uint64_t>(a));
  }
};
struct And {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T run(const Instruction&, T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T run(const Instruction&, T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  static T run(const Instruction&, T a) {
    return static_cast<T>(a == 0 ? 1 : 0);
  }
};
template <class T>
struct ShiftLeft {
  static T run(const Instruction&, T a, std::uint32_t by) { return shifted_left(a, by); }
};
template <class T>
struct ShiftRight {
  static T run(const Instruction&, T a, std::uint32_t by) { return shifted_right(a, by); }
};
struct FunnelLeft {
  static std::uint32_t run(const Instruction& at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t by = at.detail_2 == 0 ? std::min(c, 32U) : c & 31U;
    return static_cast<std::uint32_t>((std::uint64_t{b} << 32U | a) << by >> 32U);
  }
};
struct FunnelRight {
  static std::uint32_t run(const Instruction& at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t by = at.detail_2 == 0 ? std::min(c, 32U) : c & 31U;
    return static_cast<std::uint32_t>((std::uint64_t{b} << 32U | a) >> by);
  }
};
struct Population {
  template <class T>
  static std::uint32_t run(const Instruction&, T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct LeadingZeros {
  template <class T>
  static std::uint32_t run(const Instruction&, T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Reversed {
  template <class T>
  static T run(const Instruction&, T a) {
    return reversed_bits(a);
  }
};
template <class T>
struct Extract {
  static T run(const Instruction&, T a, std::uint32_t position, std::uint32_t length) { return extracted(a, position, length); }
};
template <class T>
struct Insert {
  static T run(const Instruction&, T from, T into, std::uint32_t position, std::uint32_t length) {
    return inserted(from, into, position, length);
  }
};
struct HighestBit {
  template <class T>
  static std::uint32_t run(const Instruction& at, T a) {
    const std::uint32_t found = highest_bit(a);
    return at.detail_2 != 0 && found != ~0U ? 8U * sizeof(T) - 1 - found : found;
  }
};
struct Permute {
  static std::uint32_t run(const Instruction& at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return at.detail_2 == 0 ? permuted(a, b, c) : permuted(a, b, c, at.detail_2 - 1);
  }
};
struct LookUp {
  static std::uint32_t run(const Instruction&, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
    return looked_up(a, b, c, table);
  }
};
template <bool Signed>
struct DotProduct {
  static std::uint32_t run(const Instruction& at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned k = 0; k < 4; ++k) {
      const auto byte = [&](std::uint32_t x, bool is_signed) {
        const auto value = static_cast<std::uint8_t>(x >> (8 * k));
        return is_signed ? static_cast<std::int32_t>(static_cast<std::int8_t>(value)) : static_cast<std::int32_t>(value);
      };
      c += static_cast<std::uint32_t>(byte(a, Signed) * byte(b, at.detail_2 != 0));
    }
    return c;
  }
};

// Carries: of 32 and 64 bits, in the warp's flags.
enum class Carry : std::uint8_t { add, subtract, low_sum, high_sum };
template <Carry Kind, class T>
void with_carry(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const std::uint64_t* const c = warp.in(at.in[2]);
  std::uint64_t* const out = warp.out(at.out);
  const bool takes = (at.detail_2 & 1U) != 0;
  const bool gives = (at.detail_2 & 2U) != 0;
  using U = std::make_unsigned_t<T>;
  each_lane(lanes, [&](unsigned lane) {
    const Mask bit = Mask{1} << lane;
    const unsigned carry = takes && (warp.carry & bit) != 0 ? 1 : 0;
    const auto x = from_bits<T>(a[lane]);
    const auto y = from_bits<T>(b[lane]);
    Unsigned128 sum = 0;
    bool carries = false;
    if constexpr (Kind == Carry::subtract) {
      // The flag is the borrow.
      sum = static_cast<Unsigned128>(static_cast<U>(x)) - static_cast<U>(y) - carry;
      carries = static_cast<Unsigned128>(static_cast<U>(x)) < static_cast<Unsigned128>(static_cast<U>(y)) + carry;
    } else {
      const U first = Kind == Carry::add       ? static_cast<U>(x)
                      : Kind == Carry::low_sum ? static_cast<U>(low_product(x, y))
                                               : static_cast<U>(multiply_high(x, y));
      const U second = Kind == Carry::add ? static_cast<U>(y) : from_bits<U>(c[lane]);
      sum = static_cast<Unsigned128>(first) + second + carry;
      carries = (sum >> (8U * sizeof(T))) != 0;
    }
    out[lane] = static_cast<U>(sum);
    if (gives) warp.carry = carries ? warp.carry | bit : warp.carry & ~bit;
  });
}

// Comparisons.
enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan, count };
constexpr std::array<std::string_view, static_cast<std::size_t>(Relation::count)> kRelations = {
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

template <class T>
bool holds(Relation relation, T a, T b) {
  const bool unordered = a != a || b != b;
  switch (relation) {
    case Relation::eq:
      return a == b;
    case Relation::ne:
      return !unordered && a != b;
    case Relation::lt:
      return a < b;
    case Relation::le:
      return a <= b;
    case Relation::gt:
      return a > b;
    case Relation::ge:
      return a >= b;
    case Relation::equ:
      return unordered || a == b;
    case Relation::neu:
      return unordered || a != b;
    case Relation::ltu:
      return unordered || a < b;
    case Relation::leu:
      return unordered || a <= b;
    case Relation::gtu:
      return unordered || a > b;
    case Relation::geu:
      return unordered || a >= b;
    case Relation::num:
      return !unordered;
    default:
      return unordered;
  }
}
template <class T>
Mask compared(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const auto relation = static_cast<Relation>(at.detail >> 8U);
  Mask yes = 0;
  each_lane(lanes, [&](unsigned lane) {
    bool found = false;
    if constexpr (std::is_arithmetic_v<T>) {
      T x = from_bits<T>(a[lane]);
      T y = from_bits<T>(b[lane]);
      if constexpr (std::is_floating_point_v<T>) {
        x = input_of(at, x);
        y = input_of(at, y);
      }
      found = holds(relation, x, y);
    } else {
      found = holds(relation, widened(from_bits<T>(a[lane])), widened(from_bits<T>(b[lane])));
    }
    if (found) yes |= Mask{1} << lane;
  });
  return yes;
}
Mask combined(Warp& warp, const Instruction& at, Mask yes) {
  const Mask other = warp.predicate(at.predicate_in[0]);
  return at.detail_2 == 1 ? yes & other : at.detail_2 == 2 ? yes | other : at.detail_2 == 3 ? yes ^ other : yes;
}
template <class T>
void compare(Warp& warp, const Instruction& at, Mask lanes) {
  const Mask yes = compared<T>(warp, at, lanes);
  const Mask first = combined(warp, at, yes);
  const Mask second = combined(warp, at, ~yes);
  warp.set_predicate(at.predicate_out, first, lanes);
  warp.set_predicate(at.predicate_out_2, second, lanes);
}
template <class T>
void compare_to_value(Warp& warp, const Instruction& at, Mask lanes) {
  const Mask yes = compared<T>(warp, at, lanes);
  std::uint64_t* const out = warp.out(at.out);
  // 1.0 where the result is a float.
  const std::uint64_t value = (at.detail & kWhole) != 0 ? 0xFFFFFFFFU : 0x3F800000U;
  each_lane(lanes, [&](unsigned lane) { out[lane] = (yes >> lane & 1U) != 0 ? value : 0; });
}
void select(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const Mask yes = warp.predicate(at.predicate_in[0]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) { out[lane] = (yes >> lane & 1U) != 0 ? a[lane] : b[lane]; });
}
template <class T>
void test_property(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  Mask yes = 0;
  each_lane(lanes, [&](unsigned lane) {
    const int kind = std::fpclassify(from_bits<T>(a[lane]));
    const bool found = at.detail_2 == 0   ? kind != FP_INFINITE && kind != FP_NAN
                       : at.detail_2 == 1 ? kind == FP_INFINITE
                       : at.detail_2 == 2 ? kind != FP_NAN
                       : at.detail_2 == 3 ? kind == FP_NAN
                       : at.detail_2 == 4 ? kind == FP_NORMAL || kind == FP_ZERO
                                          : kind == FP_SUBNORMAL;
    if (found) yes |= Mask{1} << lane;
  });
  warp.set_predicate(at.predicate_out, yes, lanes);
}

// Conversions.
template <class To, class From>
struct Convert {
  static To run(const Instruction& at, From x) {
    const auto rounding = static_cast<Rounding>(at.detail & kRounding);
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
      if ((at.detail & kSat) == 0) return static_cast<To>(x);
      using Limits = std::numeric_limits<To>;
      const Signed128 wide = x;
      return wide < Limits::min() ? Limits::min() : wide > Limits::max() ? Limits::max() : static_cast<To>(x);
    } else if constexpr (std::is_integral_v<To>) {
      if constexpr (std::is_arithmetic_v<From>) {
        return to_integer<To>(input_of(at, x), rounding);
      } else {
        return to_integer<To>(static_cast<float>(widened(x)), rounding);
      }
    } else if constexpr (std::is_integral_v<From>) {
      const volatile From source = x;
      To result;
      if constexpr (std::is_same_v<To, float> || std::is_same_v<To, double>) {
        result = rounded(rounding, [&] { return static_cast<To>(source); });
        if ((at.detail & kSat) != 0) result = saturated(result);
      } else {
        // Not by way of a double that is rounded itself: of 64 bits the last ones only tell that there is more.
        auto wide = static_cast<double>(x);
        if constexpr (sizeof(From) == 8) {
          const auto size = std::is_signed_v<From> && x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
          constexpr std::uint64_t kLow = 1023;
          const std::uint64_t odd =
              (size & ~kLow) | ((size & kLow) != 0 && size > std::uint64_t{1} << 40U ? kLow + 1 : size & kLow);
          wide = std::copysign(static_cast<double>(size > std::uint64_t{1} << 53U ? odd : size),
                               std::is_signed_v<From> && x < 0 ? -1.0 : 1.0);
        }
        result = narrow<To>(wide, rounding);
      }
      return result;
    } else {
      double value = 0;
      if constexpr (std::is_arithmetic_v<From>) {
        value = static_cast<double>(input_of(at, x));
      } else {
        value = widened(x);
      }
      if ((at.detail & kWhole) != 0) value = to_integral(value, rounding);
      if ((at.detail & kSat) != 0) value = saturated(value);
      if ((at.detail & kRelu) != 0 && value == value) value = value > 0 ? value : 0.0;
      if constexpr (std::is_same_v<To, double>) {
        return std::is_same_v<From, double> || value == value ? value
                                                              : std::bit_cast<double>(std::uint64_t{0x7FF8000000000000U});
      } else if constexpr (std::is_same_v<To, float>) {
        if (!std::is_arithmetic_v<From> && value != value) return static_cast<float>(value);  // with its sign
        const volatile double source = value;
        const float result = canonical(rounded(rounding, [&] { return static_cast<float>(source); }));
        return (at.detail & kFtz) != 0 ? flushed(result) : result;
      } else {
        return narrow<To>(value, rounding);
      }
    }
  }
};
template <class T>
struct Pack2 {
  // The first operand is the upper half.
  static std::uint32_t run(const Instruction& at, float a, float b) {
    return std::uint32_t{Convert<T, float>::run(at, a).bits} << 16U | Convert<T, float>::run(at, b).bits;
  }
};
struct ToTf32 {
  // Halfway cases away from zero: ten bits of mantissa stay.
  static std::uint32_t run(const Instruction&, std::uint32_t a) {
    if ((a & 0x7F800000U) == 0x7F800000U) return a;
    return (a + 0x1000U) & ~0x1FFFU;
  }
};

/// What `make` gives for the type of integers.
template <class Make>
Handler of_integers(const Type& type, const Make& make) {
  const bool is_signed = type.scalar == Scalar::signed_int;
  if (type.packed) return nullptr;
  switch (type.bits) {
    case 8:
      return is_signed ? make.template operator()<std::int8_t>() : make.template operator()<std::uint8_t>();
    case 16:
      return is_signed ? make.template operator()<std::int16_t>() : make.template operator()<std::uint16_t>();
    case 32:
      return is_signed ? make.template operator()<std::int32_t>() : make.template operator()<std::uint32_t>();
    case 64:
      return is_signed ? make.template operator()<std::int64_t>() : make.template operator()<std::uint64_t>();
    default:
      return nullptr;
  }
}
template <class Make>
Handler of_type(const Type& type, const Make& make) {
  if (type.packed) return nullptr;
  if (type.scalar == Scalar::floating) {
    switch (type.bits) {
      case 16:
        return make.template operator()<Half>();
      case 32:
        return make.template operator()<float>();
      default:
        return make.template operator()<double>();
    }
  }
  if (type.scalar == Scalar::bfloat) return type.bits == 16 ? make.template operator()<BFloat16>() : nullptr;
  return of_integers(type, make);
}
/// Signed operands where an instruction reads bits as a number; .b32 counts as unsigned.
template <class Operation, class... More>
Handler unary(const Type& type) {
  return of_integers(type, []<class T>() -> Handler { return &compute<Operation, T, More...>; });
}
template <class Operation>
Handler binary(const Type& type) {
  return of_integers(type, []<class T>() -> Handler { return &compute<Operation, T, T>; });
}
template <class Operation>
Handler ternary(const Type& type) {
  return of_integers(type, []<class T>() -> Handler { return &compute<Operation, T, T, T>; });
}

bool is_real(const Type& type) {
  return type.scalar == Scalar::floating || type.scalar == Scalar::bfloat;
}
struct None {};
template <class Operation, class T, std::size_t Inputs>
Handler computing() {
  if constexpr (std::is_same_v<Operation, None>) {
    return nullptr;
  } else if constexpr (Inputs == 1) {
    return &compute<Operation, T>;
  } else if constexpr (Inputs == 2) {
    return &compute<Operation, T, T>;
  } else {
    return &compute<Operation, T, T, T>;
  }
}
template <class Narrow, class T>
using Both = std::conditional_t<std::is_same_v<Narrow, None>, None, Twice<Narrow, T>>;
/// Floating point of 32 and 64 bits by one operation, of 16 by another.
template <std::size_t Inputs, class Operation, class Narrow>
Handler real(const Type& type) {
  if (type.packed) {
    return type.scalar == Scalar::floating ? computing<Both<Narrow, Half>, std::uint32_t, Inputs>()
                                           : computing<Both<Narrow, BFloat16>, std::uint32_t, Inputs>();
  }
  if (type.scalar == Scalar::bfloat) return type.bits == 16 ? computing<Narrow, BFloat16, Inputs>() : nullptr;
  if (type.bits == 16) return computing<Narrow, Half, Inputs>();
  return type.bits == 32 ? computing<Operation, float, Inputs>() : computing<Operation, double, Inputs>();
}

std::optional<Type> last_type(Words words) {
  return type_named(words.back());
}

std::optional<Choice> choose_conversion(Words words) {
  if (words.size() < 3) return std::nullopt;
  const std::optional<Type> to = type_named(words[words.size() - 2]);
  const std::optional<Type> from = type_named(words.back());
  if (!to || !from) return std::nullopt;
  if (has(words, "satfinite") || has(words, "rs") || has(words, "scaled")) return std::nullopt;
  Choice made{.detail = detail_of(words), .inputs = 1, .input = *from};
  if (to->packed) {
    if (from->scalar != Scalar::floating || from->bits != 32) return std::nullopt;
    made.inputs = 2;
    made.run =
        to->scalar == Scalar::floating ? Handler(&compute<Pack2<Half>, float, float>) : &compute<Pack2<BFloat16>, float, float>;
    return made;
  }
  if (to->scalar == Scalar::bfloat && to->bits == 32) {
    if (!has(words, "rna")) return std::nullopt;
    made.run = &compute<ToTf32, std::uint32_t>;
    return made;
  }
  if (to->scalar == Scalar::bits || from->scalar == Scalar::bits || from->packed) return std::nullopt;
  made.run = of_type(*to, [&]<class To>() -> Handler {
    return of_type(*from, []<class From>() -> Handler { return &compute<Convert<To, From>, From>; });
  });
  return made;
}

std::optional<Choice> choose_comparison(Words words) {
  const std::optional<Type> type = last_type(words);
  if (!type || type->packed) return std::nullopt;
  Choice made{.detail = detail_of(words), .inputs = 2, .input = *type};
  std::optional<Relation> relation;
  for (const std::string_view word : words.subspan(1)) {
    // lo, ls, hi and hs are the same of unsigned numbers.
    const std::string_view name = word == "lo" ? "lt" : word == "ls" ? "le" : word == "hi" ? "gt" : word == "hs" ? "ge" : word;
    for (std::size_t k = 0; k < kRelations.size(); ++k) {
      if (kRelations[k] == name) relation = static_cast<Relation>(k);
    }
    if (word == "and") made.detail_2 = 1;
    if (word == "or") made.detail_2 = 2;
    if (word == "xor") made.detail_2 = 3;
  }
  if (!relation) return std::nullopt;
  made.detail |= static_cast<std::uint32_t>(*relation) << 8U;
  if (words[0] == "setp") {
    made.predicate_result = true;
    made.run = of_type(*type, []<class T>() -> Handler { return &compare<T>; });
  } else {
    if (made.detail_2 != 0) return std::nullopt;
    const std::optional<Type> result = type_named(words[words.size() - 2]);
    if (!result || result->bits != 32) return std::nullopt;
    if (result->scalar != Scalar::floating) made.detail |= kWhole;
    made.run = of_type(*type, []<class T>() -> Handler { return &compare_to_value<T>; });
  }
  return made;
}

template <class Operation>
Handler single(const Type& type) {
  return type.scalar == Scalar::floating && type.bits == 32 ? Handler(&compute<Operation, float>) : nullptr;
}

Handler approximate_handler(std::string_view name, const Type& type, Choice& made) {
  const bool is_double = type.scalar == Scalar::floating && type.bits == 64;
  if (name == "rcp") return is_double ? &compute<UpperReciprocal, double> : single<ApproximateReciprocal>(type);
  if (name == "rsqrt") return is_double ? &compute<UpperReciprocalRoot, double> : single<ApproximateReciprocalRoot>(type);
  if (name == "sqrt") return single<ApproximateRoot>(type);
  if (name == "sin") return single<ApproximateSine>(type);
  if (name == "cos") return single<ApproximateCosine>(type);
  if (name == "lg2") return single<ApproximateLogarithm>(type);
  if (name == "ex2") return type.bits == 32 && !type.packed ? single<ApproximatePower>(type) : real<1, None, HalfPower>(type);
  if (name == "tanh")
    return type.bits == 32 && !type.packed ? single<ApproximateTangent>(type) : real<1, None, HalfTangent>(type);
  if (name == "div" && type.scalar == Scalar::floating && type.bits == 32) {
    made.inputs = 2;
    return &compute<ApproximateQuotient, float, float>;
  }
  return nullptr;
}

std::optional<Choice> choose_real(Words words, const Type& type) {
  const std::string_view name = words[0];
  Choice made{.detail = detail_of(words), .inputs = 2, .input = type};
  if (has(words, "xorsign") || has(words, "oob")) return std::nullopt;
  if (has(words, "approx") || has(words, "full")) {
    made.inputs = 1;
    made.detail_2 = has(words, "approx") ? 1 : 0;
    made.run = approximate_handler(name, type, made);
  } else if (name == "add") {
    made.run = real<2, Add, HalfAdd>(type);
  } else if (name == "sub") {
    made.run = real<2, Subtract, HalfSubtract>(type);
  } else if (name == "mul") {
    made.run = real<2, Multiply, HalfMultiply>(type);
  } else if (name == "div") {
    made.run = real<2, Divide, None>(type);
  } else if (name == "fma" || name == "mad") {
    made.inputs = 3;
    made.run = real<3, Fused, HalfFused>(type);
  } else if (name == "sqrt") {
    made.inputs = 1;
    made.run = real<1, SquareRoot, None>(type);
  } else if (name == "rcp") {
    made.inputs = 1;
    made.run = real<1, Reciprocal, None>(type);
  } else if (name == "min" || name == "max") {
    made.run = name == "min" ? real<2, Smaller, HalfSmaller>(type) : real<2, Larger, HalfLarger>(type);
  } else if (name == "abs" || name == "neg") {
    made.inputs = 1;
    made.run = name == "abs" ? real<1, Absolute, HalfAbsolute>(type) : real<1, Negative, HalfNegative>(type);
  } else if (name == "copysign") {
    made.run = real<2, CopySign, None>(type);
  } else if (name == "testp") {
    static constexpr std::array<std::string_view, 6> kProperties = {"finite",     "infinite", "number",
                                                                    "notanumber", "normal",   "subnormal"};
    made.inputs = 1;
    made.predicate_result = true;
    for (std::size_t k = 0; k < kProperties.size(); ++k) {
      if (has(words, kProperties[k])) made.detail_2 = static_cast<std::uint32_t>(k);
    }
    made.run = type.bits == 32 ? Handler(&test_property<float>) : type.bits == 64 ? &test_property<double> : nullptr;
  }
  return made.run == nullptr ? std::nullopt : std::optional(made);
}

template <Carry Kind>
Handler carrying(const Type& type) {
  if (type.bits != 32 && type.bits != 64) return nullptr;
  return of_integers(type, []<class T>() -> Handler { return &with_carry<Kind, T>; });
}

Handler product_handler(Words words, const Type& type) {
  if (has(words, "lo")) return binary<LowProduct>(type);
  if (has(words, "hi")) return binary<HighProduct>(type);
  if (!has(words, "wide") || type.bits == 64 || type.bits == 8) return nullptr;
  return binary<WideProduct>(type);
}
Handler sum_handler(Words words, const Type& type) {
  if (has(words, "lo")) return ternary<LowSum>(type);
  if (has(words, "hi")) return ternary<HighSum>(type);
  if (!has(words, "wide") || type.bits == 64 || type.bits == 8) return nullptr;
  return of_integers(type, []<class T>() -> Handler { return &compute<WideSum<T>, T, T, Wide<T>>; });
}

// Bits.
std::optional<Choice> choose_bits(Words words, const Type& type) {
  const std::string_view name = words[0];
  Choice made{.inputs = 2, .input = type};
  const Type bits = {Scalar::unsigned_int, type.bits};
  if (name == "and") {
    made.run = binary<And>(bits);
  } else if (name == "or") {
    made.run = binary<Or>(bits);
  } else if (name == "xor") {
    made.run = binary<Xor>(bits);
  } else if (name == "not") {
    made.inputs = 1;
    made.run = unary<Not>(bits);
  } else if (name == "cnot") {
    made.inputs = 1;
    made.run = unary<LogicalNot>(bits);
  } else if (name == "shl") {
    made.run = of_integers(bits, []<class T>() -> Handler { return &compute<ShiftLeft<T>, T, std::uint32_t>; });
  } else if (name == "shr") {
    made.run = of_integers(type, []<class T>() -> Handler { return &compute<ShiftRight<T>, T, std::uint32_t>; });
  } else if (name == "shf") {
    made.inputs = 3;
    made.detail_2 = has(words, "wrap") ? 1 : 0;
    made.run = has(words, "l") ? Handler(&compute<FunnelLeft, std::uint32_t, std::uint32_t, std::uint32_t>)
                               : &compute<FunnelRight, std::uint32_t, std::uint32_t, std::uint32_t>;
  } else if (name == "popc") {
    made.inputs = 1;
    made.run = type.bits == 32 ? Handler(&compute<Population, std::uint32_t>) : &compute<Population, std::uint64_t>;
  } else if (name == "clz") {
    made.inputs = 1;
    made.run = type.bits == 32 ? Handler(&compute<LeadingZeros, std::uint32_t>) : &compute<LeadingZeros, std::uint64_t>;
  } else if (name == "brev") {
    made.inputs = 1;
    made.run = type.bits == 32 ? Handler(&compute<Reversed, std::uint32_t>) : &compute<Reversed, std::uint64_t>;
  } else if (name == "bfe") {
    made.inputs = 3;
    made.run = of_integers(type, []<class T>() -> Handler { return &compute<Extract<T>, T, std::uint32_t, std::uint32_t>; });
  } else if (name == "bfi") {
    made.inputs = 4;
    made.run = of_integers(bits, []<class T>() -> Handler { return &compute<Insert<T>, T, T, std::uint32_t, std::uint32_t>; });
  } else if (name == "bfind") {
    made.inputs = 1;
    made.detail_2 = has(words, "shiftamt") ? 1 : 0;
    made.run = unary<HighestBit>(type);
  } else if (name == "prmt") {
    static constexpr std::array<std::string_view, 6> kModes = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    made.inputs = 3;
    for (std::size_t k = 0; k < kModes.size(); ++k) {
      if (has(words, kModes[k])) made.detail_2 = static_cast<std::uint32_t>(k + 1);
    }
    made.run = &compute<Permute, std::uint32_t, std::uint32_t, std::uint32_t>;
  } else if (name == "lop3") {
    made.inputs = 4;
    made.run =
        has(words, "BoolOp") ? nullptr : Handler(&compute<LookUp, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>);
  }
  return made.run == nullptr ? std::nullopt : std::optional(made);
}

std::optional<Choice> choose_integer(Words words, const Type& type) {
  const std::string_view name = words[0];
  Choice made{.detail = detail_of(words), .inputs = 2, .input = type};
  const bool gives = has(words, "cc");
  const bool takes = name == "addc" || name == "subc" || name == "madc";
  if (gives || takes) {
    made.detail_2 = (takes ? 1U : 0U) | (gives ? 2U : 0U);
    if (name == "add" || name == "addc") {
      made.run = carrying<Carry::add>(type);
    } else if (name == "sub" || name == "subc") {
      made.run = carrying<Carry::subtract>(type);
    } else if (name == "mad" || name == "madc") {
      made.inputs = 3;
      made.run = has(words, "lo") ? carrying<Carry::low_sum>(type) : carrying<Carry::high_sum>(type);
    }
  } else if (name == "add") {
    made.run = binary<IntegerAdd>(type);
  } else if (name == "sub") {
    made.run = binary<IntegerSubtract>(type);
  } else if (name == "mul") {
    made.run = product_handler(words, type);
  } else if (name == "mad") {
    made.inputs = 3;
    made.run = sum_handler(words, type);
  } else if (name == "mul24" || name == "mad24") {
    made.detail_2 = has(words, "hi") ? 1 : 0;
    made.inputs = name == "mul24" ? 2 : 3;
    const bool is_signed = type.scalar == Scalar::signed_int;
    made.run = name == "mul24" ? (is_signed ? Handler(&compute<Product24, std::int32_t, std::int32_t>)
                                            : &compute<Product24, std::uint32_t, std::uint32_t>)
               : is_signed     ? Handler(&compute<Sum24, std::int32_t, std::int32_t, std::int32_t>)
                               : &compute<Sum24, std::uint32_t, std::uint32_t, std::uint32_t>;
  } else if (name == "sad") {
    made.inputs = 3;
    made.run = ternary<Distance>(type);
  } else if (name == "div") {
    made.run = binary<Quotient>(type);
  } else if (name == "rem") {
    made.run = binary<Remainder>(type);
  } else if (name == "min") {
    made.run = binary<IntegerSmaller>(type);
  } else if (name == "max") {
    made.run = binary<IntegerLarger>(type);
  } else if (name == "abs") {
    made.inputs = 1;
    made.run = unary<IntegerAbsolute>(type);
  } else if (name == "neg") {
    made.inputs = 1;
    made.run = unary<IntegerNegative>(type);
  } else if (name == "dp4a") {
    made.inputs = 3;
    made.detail_2 = type.scalar == Scalar::signed_int ? 1 : 0;
    made.run = has(words.first(2), "s32") ? Handler(&compute<DotProduct<true>, std::uint32_t, std::uint32_t, std::uint32_t>)
                                          : &compute<DotProduct<false>, std::uint32_t, std::uint32_t, std::uint32_t>;
  } else {
    return choose_bits(words, type);
  }
  return made.run == nullptr ? std::nullopt : std::optional(made);
}

}  // namespace

std::optional<Choice> choose_arithmetic(std::span<const std::string_view> words) {
  const std::string_view name = words[0];
  if (name == "cvt") return choose_conversion(words);
  if (name == "setp" || name == "set") return choose_comparison(words);
  const std::optional<Type> type = last_type(words);
  if (!type || type->bits > 64 || type->scalar == Scalar::predicate) return std::nullopt;
  if (name == "selp") return Choice{.run = &select, .inputs = 2, .input = *type, .predicate_input = 1};
  return is_real(*type) ? choose_real(words, *type) : choose_integer(words, *type);
}

}  // namespace kiln::emulator
