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
constexpr std::uint32_t kRounding = 7;
constexpr std::uint32_t kFtz = 8;
constexpr std::uint32_t kSat = 16;
constexpr std::uint32_t kNan = 32;
constexpr std::uint32_t kRelu = 64;
constexpr std::uint32_t kWhole = 128;  ///< .rni and its like: to an integer
constexpr std::uint32_t kXorSign = 256;
constexpr std::uint32_t kFinite = 512;
constexpr unsigned kComparison = 16;  ///< bits below it

std::uint32_t detail_of(Words words) {
  std::uint32_t detail = 0;
  for (const std::string_view word : words) {
    if (word == "rz" || word == "rzi") detail |= static_cast<std::uint32_t>(Rounding::zero);
    if (word == "rm" || word == "rmi") detail |= static_cast<std::uint32_t>(Rounding::down);
    if (word == "rp" || word == "rpi") detail |= static_cast<std::uint32_t>(Rounding::up);
    if (word == "rna") detail |= static_cast<std::uint32_t>(Rounding::nearest_away);
    if (word == "rni" || word == "rzi" || word == "rmi" || word == "rpi") detail |= kWhole;
    if (word == "ftz") detail |= kFtz;
    if (word == "sat") detail |= kSat;
    if (word == "NaN") detail |= kNan;
    if (word == "relu") detail |= kRelu;
    if (word == "xorsign") detail |= kXorSign;
    if (word == "satfinite") detail |= kFinite;
  }
  return detail;
}

bool says(const Instruction& at, std::uint32_t flag) {
  return (at.detail & flag) != 0;
}
Rounding rounding_of(const Instruction& at) {
  return static_cast<Rounding>(at.detail & kRounding);
}
Modifiers modifiers_of(const Instruction& at) {
  return {.rounding = rounding_of(at), .ftz = says(at, kFtz), .sat = says(at, kSat), .relu = says(at, kRelu)};
}
MinMaxModifiers choice_of(const Instruction& at) {
  return {.ftz = says(at, kFtz), .nan = says(at, kNan), .xorsign_abs = says(at, kXorSign), .relu = says(at, kRelu)};
}
Conversion conversion_of(const Instruction& at) {
  return {.rounding = rounding_of(at),
          .integral = says(at, kWhole),
          .ftz = says(at, kFtz),
          .sat = says(at, kSat),
          .relu = says(at, kRelu),
          .satfinite = says(at, kFinite)};
}
Amount amount_of(const Instruction& at) {
  return at.detail_2 == 0 ? Amount::clamp : Amount::wrap;
}

/// One result of some inputs: `Function(instruction, inputs…)`.
template <auto Function, class... Inputs>
void compute(Warp& warp, const Instruction& at, Mask lanes) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const std::array<const std::uint64_t*, sizeof...(Inputs)> rows = {warp.in(at.in[k])...};
    std::uint64_t* const out = warp.out(at.out);
    each_lane(lanes, [&](unsigned lane) { out[lane] = lane_bits(Function(at, lane_value<Inputs>(rows[k][lane])...)); });
  }(std::index_sequence_for<Inputs...>{});
}
/// The same of both halves of 32 bits.
template <auto Function, class T, class... Inputs>
void compute_pairs(Warp& warp, const Instruction& at, Mask lanes) {
  constexpr auto kBoth = [](const Instruction& of, auto... inputs) {
    return on_pairs<T>([&](auto... halves) { return Function(of, halves...); }, inputs...);
  };
  compute<kBoth, Inputs...>(warp, at, lanes);
}

using Word = const Instruction&;

// Floating point.
constexpr auto kAdd = [](Word at, auto a, auto b) { return add(a, b, modifiers_of(at)); };
constexpr auto kSubtract = [](Word at, auto a, auto b) { return sub(a, b, modifiers_of(at)); };
constexpr auto kMultiply = [](Word at, auto a, auto b) { return mul(a, b, modifiers_of(at)); };
constexpr auto kFused = [](Word at, auto a, auto b, auto c) { return fma(a, b, c, modifiers_of(at)); };
constexpr auto kDivide = [](Word at, auto a, auto b) { return div(a, b, modifiers_of(at)); };
constexpr auto kReciprocal = [](Word at, auto a) { return rcp(a, modifiers_of(at)); };
constexpr auto kRoot = [](Word at, auto a) { return emulator::sqrt(a, modifiers_of(at)); };
constexpr auto kSmaller = [](Word at, auto a, auto b) { return min(a, b, choice_of(at)); };
constexpr auto kLarger = [](Word at, auto a, auto b) { return max(a, b, choice_of(at)); };
constexpr auto kAbsolute = [](Word at, auto a) { return abs(a, says(at, kFtz)); };
constexpr auto kNegative = [](Word at, auto a) { return neg(a, says(at, kFtz)); };
constexpr auto kCopySign = [](Word, auto a, auto b) { return emulator::copysign(a, b); };

// .approx
constexpr auto kNearReciprocal = [](Word at, float a) { return rcp_approx(a, says(at, kFtz)); };
constexpr auto kNearRoot = [](Word at, float a) { return sqrt_approx(a, says(at, kFtz)); };
constexpr auto kNearReciprocalRoot = [](Word at, float a) { return rsqrt_approx(a, says(at, kFtz)); };
constexpr auto kNearQuotient = [](Word at, float a, float b) { return div_approx(a, b, says(at, kFtz)); };
constexpr auto kFullQuotient = [](Word at, float a, float b) { return div_full(a, b, says(at, kFtz)); };
constexpr auto kNearSine = [](Word at, float a) { return sin_approx(a, says(at, kFtz)); };
constexpr auto kNearCosine = [](Word at, float a) { return cos_approx(a, says(at, kFtz)); };
constexpr auto kNearLogarithm = [](Word at, float a) { return lg2_approx(a, says(at, kFtz)); };
constexpr auto kNearPower = [](Word at, auto a) {
  if constexpr (std::is_same_v<decltype(a), float>) {
    return ex2_approx(a, says(at, kFtz));
  } else {
    return ex2_approx(a);
  }
};
constexpr auto kNearTangent = [](Word, auto a) { return tanh_approx(a); };
constexpr auto kUpperReciprocal = [](Word, double a) { return rcp_approx_ftz(a); };
constexpr auto kUpperReciprocalRoot = [](Word at, double a) { return says(at, kFtz) ? rsqrt_approx_ftz(a) : rsqrt_approx(a); };

// Integers.
constexpr auto kSum = [](Word at, auto a, auto b) { return says(at, kSat) ? add_sat(a, b) : add(a, b); };
constexpr auto kDifference = [](Word at, auto a, auto b) { return says(at, kSat) ? sub_sat(a, b) : sub(a, b); };
constexpr auto kLowProduct = [](Word, auto a, auto b) { return mul_lo(a, b); };
constexpr auto kHighProduct = [](Word, auto a, auto b) { return mul_hi(a, b); };
constexpr auto kWideProduct = [](Word, auto a, auto b) { return mul_wide(a, b); };
constexpr auto kLowSum = [](Word, auto a, auto b, auto c) { return mad_lo(a, b, c); };
constexpr auto kHighSum = [](Word at, auto a, auto b, auto c) {
  return says(at, kSat) ? mad_hi_sat(a, b, c) : mad_hi(a, b, c);
};
constexpr auto kWideSum = [](Word, auto a, auto b, auto c) { return mad_wide(a, b, c); };
constexpr auto kProduct24 = [](Word at, auto a, auto b) { return at.detail_2 == 0 ? mul24_lo(a, b) : mul24_hi(a, b); };
constexpr auto kSum24 = [](Word at, auto a, auto b, auto c) {
  return at.detail_2 == 0 ? mad24_lo(a, b, c) : says(at, kSat) ? mad24_hi_sat(a, b, c) : mad24_hi(a, b, c);
};
constexpr auto kDistance = [](Word, auto a, auto b, auto c) { return sad(a, b, c); };
constexpr auto kQuotient = [](Word, auto a, auto b) { return div(a, b); };
constexpr auto kRemainder = [](Word, auto a, auto b) { return rem(a, b); };
template <class T>
T clamped_below(Word at, T a) {
  if constexpr (std::is_signed_v<T>) return says(at, kRelu) ? relu(a) : a;
  return a;
}
constexpr auto kLeast = [](Word at, auto a, auto b) { return clamped_below(at, min(a, b)); };
constexpr auto kMost = [](Word at, auto a, auto b) { return clamped_below(at, max(a, b)); };
constexpr auto kIntegerAbsolute = [](Word, auto a) { return abs(a); };
constexpr auto kIntegerNegative = [](Word, auto a) { return neg(a); };
template <class A, class B>
constexpr auto kDotOf4 = [](Word, std::uint32_t a, std::uint32_t b, std::uint32_t c) { return dp4a<A, B>(a, b, c); };
template <class A, class B>
constexpr auto kDotOf2 =
    [](Word at, std::uint32_t a, std::uint32_t b, std::uint32_t c) { return dp2a<A, B>(a, b, c, at.detail_2 != 0); };

// Bits.
constexpr auto kAnd = [](Word, auto a, auto b) { return static_cast<decltype(a)>(a & b); };
constexpr auto kOr = [](Word, auto a, auto b) { return static_cast<decltype(a)>(a | b); };
constexpr auto kXor = [](Word, auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };
constexpr auto kNot = [](Word, auto a) { return static_cast<decltype(a)>(~a); };
constexpr auto kLogicalNot = [](Word, auto a) { return cnot(a); };
constexpr auto kShiftLeft = [](Word, auto a, std::uint32_t by) { return shl(a, by); };
constexpr auto kShiftRight = [](Word, auto a, std::uint32_t by) { return shr(a, by); };
constexpr auto kFunnelLeft = [](Word at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return shf_l(a, b, c, amount_of(at));
};
constexpr auto kFunnelRight = [](Word at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return shf_r(a, b, c, amount_of(at));
};
constexpr auto kPopulation = [](Word, auto a) { return popc(a); };
constexpr auto kLeadingZeros = [](Word, auto a) { return clz(a); };
constexpr auto kReversed = [](Word, auto a) { return brev(a); };
constexpr auto kExtract = [](Word, auto a, std::uint32_t position, std::uint32_t length) { return bfe(a, position, length); };
constexpr auto kInsert = [](Word, auto a, auto b, std::uint32_t position, std::uint32_t length) {
  return bfi(a, b, position, length);
};
constexpr auto kHighestBit = [](Word at, auto a) { return at.detail_2 == 0 ? bfind(a) : bfind_shiftamt(a); };
constexpr auto kExtend = [](Word at, auto a, std::uint32_t width) { return szext(a, width, amount_of(at)); };
constexpr auto kMaskOf = [](Word at, std::uint32_t position, std::uint32_t width) {
  return bmsk(position, width, amount_of(at));
};
constexpr auto kNthBit = [](Word, std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  return fns(mask, base, offset);
};
constexpr auto kPermute = [](Word at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return prmt(a, b, c, static_cast<Permutation>(at.detail_2));
};
constexpr auto kLookUp = [](Word, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  return lop3(a, b, c, static_cast<std::uint8_t>(table));
};

// Carries: in the warp's flags.
enum class Carry : std::uint8_t { add, subtract, low_sum, high_sum };
/// detail_2: 1 takes the flag, 2 gives it.
template <Carry Kind, class T>
void with_carry(Warp& warp, const Instruction& at, Mask lanes) {
  using U = std::make_unsigned_t<T>;
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const std::uint64_t* const c = warp.in(at.in[2]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) {
    const Mask bit = Mask{1} << lane;
    const bool carry = (at.detail_2 & 1U) != 0 && (warp.carry & bit) != 0;
    const auto x = lane_value<T>(a[lane]);
    const auto y = lane_value<T>(b[lane]);
    WithCarry<U> result{};
    if constexpr (Kind == Carry::subtract) {
      result = sub_borrow(static_cast<U>(x), static_cast<U>(y), carry);
    } else if constexpr (Kind == Carry::add) {
      result = add_carry(static_cast<U>(x), static_cast<U>(y), carry);
    } else {
      const T product = Kind == Carry::low_sum ? mul_lo(x, y) : mul_hi(x, y);
      result = add_carry(static_cast<U>(product), lane_value<U>(c[lane]), carry);
    }
    out[lane] = result.value;
    if ((at.detail_2 & 2U) != 0) warp.carry = result.carry ? warp.carry | bit : warp.carry & ~bit;
  });
}

// Comparisons.
constexpr std::array<std::string_view, 18> kComparisons = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                                           "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

template <class T>
Mask compared(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const auto comparison = static_cast<Comparison>(at.detail >> kComparison);
  Mask yes = 0;
  each_lane(lanes, [&](unsigned lane) {
    bool found = false;
    if constexpr (std::is_integral_v<T>) {
      found = compare(comparison, lane_value<T>(a[lane]), lane_value<T>(b[lane]));
    } else {
      found = compare(comparison, lane_value<T>(a[lane]), lane_value<T>(b[lane]), says(at, kFtz));
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
void set_predicates(Warp& warp, const Instruction& at, Mask lanes) {
  const Mask yes = compared<T>(warp, at, lanes);
  const Mask first = combined(warp, at, yes);
  const Mask second = combined(warp, at, ~yes);
  warp.set_predicate(at.predicate_out, first, lanes);
  warp.set_predicate(at.predicate_out_2, second, lanes);
}
template <class T>
void set_value(Warp& warp, const Instruction& at, Mask lanes) {
  const Mask yes = compared<T>(warp, at, lanes);
  std::uint64_t* const out = warp.out(at.out);
  const std::uint64_t value = says(at, kWhole) ? 0xFFFFFFFFU : to_bits(1.0F);
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
    if (testp(static_cast<Property>(at.detail_2), lane_value<T>(a[lane]))) yes |= Mask{1} << lane;
  });
  warp.set_predicate(at.predicate_out, yes, lanes);
}

// Conversions.
template <class To>
constexpr auto kConvert = [](Word at, auto x) {
  const To result = convert<To>(x, conversion_of(at));
  if constexpr (std::is_integral_v<To> && std::is_signed_v<To>) {
    // Where the register is wider than the type, a signed number keeps its sign: cvt.s8.s32 to one of 16 bits.
    return static_cast<std::int64_t>(result);
  } else {
    return result;
  }
};
template <class To>
constexpr auto kConvertPair = [](Word at, float high, float low) { return convert_pair<To>(high, low, conversion_of(at)); };
constexpr auto kConvertToTf32 = [](Word at, float a) { return convert_to_tf32(a, conversion_of(at)); };

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
/// Of bits, whatever the type says of their sign.
template <class Make>
Handler of_words(const Type& type, const Make& make) {
  if (type.packed || type.bits < 32) return nullptr;
  return type.bits == 32   ? make.template operator()<std::uint32_t>()
         : type.bits == 64 ? make.template operator()<std::uint64_t>()
                           : nullptr;
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
template <auto Function>
Handler unary(const Type& type) {
  return of_integers(type, []<class T>() -> Handler { return &compute<Function, T>; });
}
template <auto Function>
Handler binary(const Type& type) {
  return of_integers(type, []<class T>() -> Handler { return &compute<Function, T, T>; });
}
template <auto Function>
Handler ternary(const Type& type) {
  return of_integers(type, []<class T>() -> Handler { return &compute<Function, T, T, T>; });
}
/// Of signed integers alone.
template <auto Function>
Handler of_signed(const Type& type) {
  switch (type.bits) {
    case 16:
      return &compute<Function, std::int16_t>;
    case 32:
      return &compute<Function, std::int32_t>;
    case 64:
      return &compute<Function, std::int64_t>;
    default:
      return nullptr;
  }
}
/// Of 16 and 32 bits, whose product has twice as many.
template <class Make>
Handler of_factors(const Type& type, const Make& make) {
  const bool is_signed = type.scalar == Scalar::signed_int;
  if (type.packed) return nullptr;
  if (type.bits == 16) return is_signed ? make.template operator()<std::int16_t>() : make.template operator()<std::uint16_t>();
  if (type.bits == 32) return is_signed ? make.template operator()<std::int32_t>() : make.template operator()<std::uint32_t>();
  return nullptr;
}

bool is_real(const Type& type) {
  return type.scalar == Scalar::floating || type.scalar == Scalar::bfloat;
}
template <auto Function, class T, std::size_t Inputs>
Handler computing() {
  if constexpr (Inputs == 1) {
    return &compute<Function, T>;
  } else if constexpr (Inputs == 2) {
    return &compute<Function, T, T>;
  } else {
    return &compute<Function, T, T, T>;
  }
}
template <auto Function, class T, std::size_t Inputs>
Handler computing_pairs() {
  using Bits = std::uint32_t;
  if constexpr (Inputs == 1) {
    return &compute_pairs<Function, T, Bits>;
  } else if constexpr (Inputs == 2) {
    return &compute_pairs<Function, T, Bits, Bits>;
  } else {
    return &compute_pairs<Function, T, Bits, Bits, Bits>;
  }
}
/// Of .f32 and .f64.
template <auto Function, std::size_t Inputs>
Handler native(const Type& type) {
  if (type.scalar != Scalar::floating || type.packed) return nullptr;
  return type.bits == 32   ? computing<Function, float, Inputs>()
         : type.bits == 64 ? computing<Function, double, Inputs>()
                           : nullptr;
}
/// Of 16 bits, single or two in a register.
template <auto Function, std::size_t Inputs>
Handler narrow(const Type& type) {
  const bool is_half = type.scalar == Scalar::floating;
  if (type.packed) return is_half ? computing_pairs<Function, Half, Inputs>() : computing_pairs<Function, BFloat16, Inputs>();
  if (type.bits != 16) return nullptr;
  return is_half ? computing<Function, Half, Inputs>() : computing<Function, BFloat16, Inputs>();
}
template <auto Function, std::size_t Inputs>
Handler real(const Type& type) {
  const Handler found = native<Function, Inputs>(type);
  return found != nullptr ? found : narrow<Function, Inputs>(type);
}

std::optional<Type> last_type(Words words) {
  return type_named(words.back());
}

std::optional<Choice> choose_conversion(Words words) {
  if (words.size() < 3) return std::nullopt;
  const std::optional<Type> to = type_named(words[words.size() - 2]);
  const std::optional<Type> from = type_named(words.back());
  if (!to || !from) return std::nullopt;
  if (has(words, "rs") || has(words, "scaled")) return std::nullopt;
  Choice made{.detail = detail_of(words), .inputs = 1, .input = *from};
  const bool from_float = from->scalar == Scalar::floating && from->bits == 32 && !from->packed;
  if (to->packed) {
    if (!from_float) return std::nullopt;
    made.inputs = 2;
    made.run = to->scalar == Scalar::floating ? Handler(&compute<kConvertPair<Half>, float, float>)
                                              : &compute<kConvertPair<BFloat16>, float, float>;
    return made;
  }
  if (to->scalar == Scalar::bfloat && to->bits == 32) {
    if (!from_float) return std::nullopt;
    made.run = &compute<kConvertToTf32, float>;
    return made;
  }
  if (to->scalar == Scalar::bits || from->scalar == Scalar::bits || from->packed) return std::nullopt;
  made.run = of_type(*to, [&]<class To>() -> Handler {
    return of_type(*from, []<class From>() -> Handler { return &compute<kConvert<To>, From>; });
  });
  return made;
}

std::optional<Choice> choose_comparison(Words words) {
  const std::optional<Type> type = last_type(words);
  if (!type || type->packed) return std::nullopt;
  Choice made{.detail = detail_of(words), .inputs = 2, .input = *type};
  std::optional<std::size_t> comparison;
  for (const std::string_view word : words.subspan(1)) {
    const auto* const found = std::find(kComparisons.begin(), kComparisons.end(), word);
    if (found != kComparisons.end()) comparison = static_cast<std::size_t>(found - kComparisons.begin());
    if (word == "and") made.detail_2 = 1;
    if (word == "or") made.detail_2 = 2;
    if (word == "xor") made.detail_2 = 3;
  }
  if (!comparison) return std::nullopt;
  made.detail |= static_cast<std::uint32_t>(*comparison) << kComparison;
  if (words[0] == "setp") {
    made.predicate_result = true;
    made.run = of_type(*type, []<class T>() -> Handler { return &set_predicates<T>; });
    return made;
  }
  const std::optional<Type> result = type_named(words[words.size() - 2]);
  if (made.detail_2 != 0 || !result || result->bits != 32) return std::nullopt;
  if (result->scalar != Scalar::floating) made.detail |= kWhole;
  made.run = of_type(*type, []<class T>() -> Handler { return &set_value<T>; });
  return made;
}

template <auto Function>
Handler single(const Type& type) {
  return type.scalar == Scalar::floating && type.bits == 32 && !type.packed ? Handler(&compute<Function, float>) : nullptr;
}

Handler approximate_handler(Words words, const Type& type, Choice& made) {
  const std::string_view name = words[0];
  const bool is_double = type.scalar == Scalar::floating && type.bits == 64;
  if (name == "rcp") return is_double ? &compute<kUpperReciprocal, double> : single<kNearReciprocal>(type);
  if (name == "rsqrt") return is_double ? &compute<kUpperReciprocalRoot, double> : single<kNearReciprocalRoot>(type);
  if (name == "sqrt") return single<kNearRoot>(type);
  if (name == "sin") return single<kNearSine>(type);
  if (name == "cos") return single<kNearCosine>(type);
  if (name == "lg2") return single<kNearLogarithm>(type);
  if (name == "ex2") return single<kNearPower>(type) != nullptr ? single<kNearPower>(type) : narrow<kNearPower, 1>(type);
  if (name == "tanh") return single<kNearTangent>(type) != nullptr ? single<kNearTangent>(type) : narrow<kNearTangent, 1>(type);
  if (name == "div" && type.scalar == Scalar::floating && type.bits == 32) {
    made.inputs = 2;
    return has(words, "full") ? &compute<kFullQuotient, float, float> : &compute<kNearQuotient, float, float>;
  }
  return nullptr;
}

std::optional<Choice> choose_real(Words words, const Type& type) {
  const std::string_view name = words[0];
  Choice made{.detail = detail_of(words), .inputs = 2, .input = type};
  if (has(words, "oob")) return std::nullopt;
  if (has(words, "approx") || has(words, "full")) {
    made.inputs = 1;
    made.run = approximate_handler(words, type, made);
  } else if (name == "add") {
    made.run = real<kAdd, 2>(type);
  } else if (name == "sub") {
    made.run = real<kSubtract, 2>(type);
  } else if (name == "mul") {
    made.run = real<kMultiply, 2>(type);
  } else if (name == "div") {
    made.run = native<kDivide, 2>(type);
  } else if (name == "fma" || name == "mad") {
    made.inputs = 3;
    made.run = real<kFused, 3>(type);
  } else if (name == "sqrt") {
    made.inputs = 1;
    made.run = native<kRoot, 1>(type);
  } else if (name == "rcp") {
    made.inputs = 1;
    made.run = native<kReciprocal, 1>(type);
  } else if (name == "min" || name == "max") {
    made.run = name == "min" ? real<kSmaller, 2>(type) : real<kLarger, 2>(type);
  } else if (name == "abs" || name == "neg") {
    made.inputs = 1;
    made.run = name == "abs" ? real<kAbsolute, 1>(type) : real<kNegative, 1>(type);
  } else if (name == "copysign") {
    made.run = native<kCopySign, 2>(type);
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
  if (has(words, "lo")) return binary<kLowProduct>(type);
  if (has(words, "hi")) return binary<kHighProduct>(type);
  if (!has(words, "wide")) return nullptr;
  return of_factors(type, []<class T>() -> Handler { return &compute<kWideProduct, T, T>; });
}
Handler sum_handler(Words words, const Type& type) {
  if (has(words, "lo")) return ternary<kLowSum>(type);
  if (has(words, "hi")) return ternary<kHighSum>(type);
  if (!has(words, "wide")) return nullptr;
  return of_factors(type, []<class T>() -> Handler { return &compute<kWideSum, T, T, Wide<T>>; });
}

using Bits32 = std::uint32_t;

std::optional<Choice> choose_bits(Words words, const Type& type) {
  const std::string_view name = words[0];
  Choice made{.inputs = 2, .input = type};
  const Type bits = {Scalar::unsigned_int, type.bits};
  if (name == "and") {
    made.run = binary<kAnd>(bits);
  } else if (name == "or") {
    made.run = binary<kOr>(bits);
  } else if (name == "xor") {
    made.run = binary<kXor>(bits);
  } else if (name == "not") {
    made.inputs = 1;
    made.run = unary<kNot>(bits);
  } else if (name == "cnot") {
    made.inputs = 1;
    made.run = unary<kLogicalNot>(bits);
  } else if (name == "shl") {
    made.run = of_integers(bits, []<class T>() -> Handler { return &compute<kShiftLeft, T, Bits32>; });
  } else if (name == "shr") {
    made.run = of_integers(type, []<class T>() -> Handler { return &compute<kShiftRight, T, Bits32>; });
  } else if (name == "shf") {
    made.inputs = 3;
    made.detail_2 = has(words, "wrap") ? 1 : 0;
    made.run = has(words, "l") ? Handler(&compute<kFunnelLeft, Bits32, Bits32, Bits32>)
                               : &compute<kFunnelRight, Bits32, Bits32, Bits32>;
  } else if (name == "popc" || name == "clz" || name == "brev") {
    made.inputs = 1;
    made.run = of_words(type, [&]<class T>() -> Handler {
      return name == "popc" ? &compute<kPopulation, T> : name == "clz" ? &compute<kLeadingZeros, T> : &compute<kReversed, T>;
    });
  } else if (name == "bfe") {
    made.inputs = 3;
    made.run = of_integers(type, []<class T>() -> Handler { return &compute<kExtract, T, Bits32, Bits32>; });
  } else if (name == "bfi") {
    made.inputs = 4;
    made.run = of_words(bits, []<class T>() -> Handler { return &compute<kInsert, T, T, Bits32, Bits32>; });
  } else if (name == "bfind") {
    made.inputs = 1;
    made.detail_2 = has(words, "shiftamt") ? 1 : 0;
    made.run = unary<kHighestBit>(type);
  } else if (name == "szext" && type.bits == 32) {
    made.detail_2 = has(words, "wrap") ? 1 : 0;
    made.run = type.scalar == Scalar::signed_int ? Handler(&compute<kExtend, std::int32_t, Bits32>)
                                                 : &compute<kExtend, Bits32, Bits32>;
  } else if (name == "bmsk") {
    made.detail_2 = has(words, "wrap") ? 1 : 0;
    made.run = &compute<kMaskOf, Bits32, Bits32>;
  } else if (name == "fns") {
    made.inputs = 3;
    made.run = &compute<kNthBit, Bits32, Bits32, std::int32_t>;
  } else if (name == "prmt") {
    static constexpr std::array<std::string_view, 6> kModes = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    made.inputs = 3;
    for (std::size_t k = 0; k < kModes.size(); ++k) {
      if (has(words, kModes[k])) made.detail_2 = static_cast<std::uint32_t>(k + 1);
    }
    made.run = &compute<kPermute, Bits32, Bits32, Bits32>;
  } else if (name == "lop3" && !has(words, "BoolOp")) {
    made.inputs = 4;
    made.run = &compute<kLookUp, Bits32, Bits32, Bits32, Bits32>;
  }
  return made.run == nullptr ? std::nullopt : std::optional(made);
}

/// dp4a.s32.u32: the signs of both operands.
template <template <class, class> class Make>
Handler of_signs(Words words) {
  const bool a = has(words.subspan(words.size() - 2, 1), "s32");
  const bool b = words.back() == "s32";
  if (a) return b ? Make<std::int8_t, std::int8_t>::run() : Make<std::int8_t, std::uint8_t>::run();
  return b ? Make<std::uint8_t, std::int8_t>::run() : Make<std::uint8_t, std::uint8_t>::run();
}
template <class A, class B>
struct DotOf4 {
  static Handler run() { return &compute<kDotOf4<A, B>, Bits32, Bits32, Bits32>; }
};
template <class A, class B>
struct DotOf2 {
  using Halves = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
  static Handler run() { return &compute<kDotOf2<Halves, B>, Bits32, Bits32, Bits32>; }
};

std::optional<Choice> choose_integer(Words words, const Type& type) {
  const std::string_view name = words[0];
  Choice made{.detail = detail_of(words), .inputs = 2, .input = type};
  const bool gives = has(words, "cc");
  const bool takes = name == "addc" || name == "subc" || name == "madc";
  const bool is_signed = type.scalar == Scalar::signed_int;
  using Int32 = std::int32_t;
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
    made.run = binary<kSum>(type);
  } else if (name == "sub") {
    made.run = binary<kDifference>(type);
  } else if (name == "mul") {
    made.run = product_handler(words, type);
  } else if (name == "mad") {
    made.inputs = 3;
    made.run = sum_handler(words, type);
  } else if (name == "mul24") {
    made.detail_2 = has(words, "hi") ? 1 : 0;
    made.run = is_signed ? Handler(&compute<kProduct24, Int32, Int32>) : &compute<kProduct24, Bits32, Bits32>;
  } else if (name == "mad24") {
    made.detail_2 = has(words, "hi") ? 1 : 0;
    made.inputs = 3;
    made.run = is_signed ? Handler(&compute<kSum24, Int32, Int32, Int32>) : &compute<kSum24, Bits32, Bits32, Bits32>;
  } else if (name == "sad") {
    made.inputs = 3;
    made.run = ternary<kDistance>(type);
  } else if (name == "div") {
    made.run = binary<kQuotient>(type);
  } else if (name == "rem") {
    made.run = binary<kRemainder>(type);
  } else if (name == "min") {
    made.run = binary<kLeast>(type);
  } else if (name == "max") {
    made.run = binary<kMost>(type);
  } else if (name == "abs" || name == "neg") {
    made.inputs = 1;
    made.run = name == "abs" ? of_signed<kIntegerAbsolute>(type) : of_signed<kIntegerNegative>(type);
  } else if ((name == "dp4a" || name == "dp2a") && words.size() > 2) {
    made.inputs = 3;
    made.detail_2 = has(words, "hi") ? 1 : 0;
    made.run = name == "dp4a" ? of_signs<DotOf4>(words) : of_signs<DotOf2>(words);
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
