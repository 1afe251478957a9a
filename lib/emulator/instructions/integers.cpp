// Integer arithmetic, with carries and without.
#include <algorithm>

#include "emulator/instructions/computation.hpp"

namespace kiln::emulator {
namespace {

using Word = const Instruction&;
using Int32 = std::int32_t;
using Bits32 = std::uint32_t;

// detail_2: .hi, where a form has it.
constexpr auto kAdd = [](Word at, auto a, auto b) { return says(at, kSat) ? add_sat(a, b) : add(a, b); };
constexpr auto kSub = [](Word at, auto a, auto b) { return says(at, kSat) ? sub_sat(a, b) : sub(a, b); };
constexpr auto kMulLo = [](Word, auto a, auto b) { return mul_lo(a, b); };
constexpr auto kMulHi = [](Word, auto a, auto b) { return mul_hi(a, b); };
constexpr auto kMulWide = [](Word, auto a, auto b) { return mul_wide(a, b); };
constexpr auto kMadLo = [](Word, auto a, auto b, auto c) { return mad_lo(a, b, c); };
constexpr auto kMadHi = [](Word at, auto a, auto b, auto c) { return says(at, kSat) ? mad_hi_sat(a, b, c) : mad_hi(a, b, c); };
constexpr auto kMadWide = [](Word, auto a, auto b, auto c) { return mad_wide(a, b, c); };
constexpr auto kMul24 = [](Word at, auto a, auto b) { return at.detail_2 == 0 ? mul24_lo(a, b) : mul24_hi(a, b); };
constexpr auto kMad24 = [](Word at, auto a, auto b, auto c) {
  return at.detail_2 == 0 ? mad24_lo(a, b, c) : says(at, kSat) ? mad24_hi_sat(a, b, c) : mad24_hi(a, b, c);
};
constexpr auto kSad = [](Word, auto a, auto b, auto c) { return sad(a, b, c); };
constexpr auto kDiv = [](Word, auto a, auto b) { return div(a, b); };
constexpr auto kRem = [](Word, auto a, auto b) { return rem(a, b); };
template <class T>
T with_relu(Word at, T a) {
  if constexpr (std::is_signed_v<T>) return says(at, kRelu) ? relu(a) : a;
  return a;
}
constexpr auto kMin = [](Word at, auto a, auto b) { return with_relu(at, min(a, b)); };
constexpr auto kMax = [](Word at, auto a, auto b) { return with_relu(at, max(a, b)); };
constexpr auto kAbs = [](Word, auto a) { return abs(a); };
constexpr auto kNeg = [](Word, auto a) { return neg(a); };
template <class A, class B>
constexpr auto kDot = [](Word at, Bits32 a, Bits32 b, Bits32 c) {
  if constexpr (sizeof(A) == 1) {
    return dp4a<A, B>(a, b, c);
  } else {
    return dp2a<A, B>(a, b, c, at.detail_2 != 0);
  }
};

// Carries are the warp's flags.
constexpr std::uint32_t kTakesCarry = 1;  // of detail_2
constexpr std::uint32_t kGivesCarry = 2;
enum class Carry : std::uint8_t { add, sub, mad_lo, mad_hi };
template <Carry Kind, class T>
void with_carry(Warp& warp, const Instruction& at, Mask lanes) {
  using U = std::make_unsigned_t<T>;
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const std::uint64_t* const c = warp.in(at.in[2]);
  std::uint64_t* const out = warp.out(at.out);
  each_lane(lanes, [&](unsigned lane) {
    const Mask bit = Mask{1} << lane;
    const bool carry = (at.detail_2 & kTakesCarry) != 0 && (warp.carry & bit) != 0;
    const auto x = lane_value<T>(a[lane]);
    const auto y = lane_value<T>(b[lane]);
    WithCarry<U> result{};
    if constexpr (Kind == Carry::sub) {
      result = sub_borrow(static_cast<U>(x), static_cast<U>(y), carry);
    } else if constexpr (Kind == Carry::add) {
      result = add_carry(static_cast<U>(x), static_cast<U>(y), carry);
    } else {
      const T product = Kind == Carry::mad_lo ? mul_lo(x, y) : mul_hi(x, y);
      result = add_carry(static_cast<U>(product), lane_value<U>(c[lane]), carry);
    }
    out[lane] = result.value;
    if ((at.detail_2 & kGivesCarry) != 0) warp.carry = result.carry ? warp.carry | bit : warp.carry & ~bit;
  });
}

// What runs a function for a type.
template <Carry Kind>
Handler carrying(const Type& type) {
  if (type.bits != 32 && type.bits != 64) return nullptr;
  return of_integers(type, []<class T>() -> Handler { return &with_carry<Kind, T>; });
}
template <auto Function>
Handler of_signed(const Type& type) {
  return type.bits == 16   ? &compute<Function, std::int16_t>
         : type.bits == 32 ? &compute<Function, std::int32_t>
         : type.bits == 64 ? Handler(&compute<Function, std::int64_t>)
                           : nullptr;
}
template <auto Function, std::size_t Inputs>
Handler of_32_bits(const Type& type) {
  return type.scalar == Scalar::signed_int ? computing<Function, Int32, Inputs>() : computing<Function, Bits32, Inputs>();
}
/// Of 16 and 32 bits, whose product has twice as many.
template <class Make>
Handler of_factors(const Type& type, const Make& make) {
  const bool is_signed = type.scalar == Scalar::signed_int;
  if (type.bits == 16) return is_signed ? make.template operator()<std::int16_t>() : make.template operator()<std::uint16_t>();
  if (type.bits == 32) return is_signed ? make.template operator()<std::int32_t>() : make.template operator()<std::uint32_t>();
  return nullptr;
}

Handler product_handler(const Statement& statement, const Type& type) {
  if (statement.says("lo")) return integers<kMulLo, 2>(type);
  if (statement.says("hi")) return integers<kMulHi, 2>(type);
  if (!statement.says("wide")) return nullptr;
  return of_factors(type, []<class T>() -> Handler { return &compute<kMulWide, T, T>; });
}
Handler sum_handler(const Statement& statement, const Type& type) {
  if (statement.says("lo")) return integers<kMadLo, 3>(type);
  if (statement.says("hi")) return integers<kMadHi, 3>(type);
  if (!statement.says("wide")) return nullptr;
  return of_factors(type, []<class T>() -> Handler { return &compute<kMadWide, T, T, Wide<T>>; });
}
Handler carry_handler(const Statement& statement, const Type& type) {
  const std::string_view name = statement.words[0];
  if (name.starts_with("add")) return carrying<Carry::add>(type);
  if (name.starts_with("sub")) return carrying<Carry::sub>(type);
  if (!name.starts_with("mad")) return nullptr;
  return statement.says("lo") ? carrying<Carry::mad_lo>(type) : carrying<Carry::mad_hi>(type);
}
/// dp4a.s32.u32: the signs of both operands.
template <class Signed, class Unsigned>
Handler dot_handler(const Statement& statement) {
  const bool is_signed = statement.words[statement.words.size() - 2] == "s32";
  const auto of = [&]<class B>() -> Handler {
    return is_signed ? &compute<kDot<Signed, B>, Bits32, Bits32, Bits32> : &compute<kDot<Unsigned, B>, Bits32, Bits32, Bits32>;
  };
  return statement.words.back() == "s32" ? of.template operator()<std::int8_t>() : of.template operator()<std::uint8_t>();
}

constexpr std::array kForms = std::to_array<Form>({{"add", 2, integers<kAdd, 2>},
                                                   {"sub", 2, integers<kSub, 2>},
                                                   {"mul24", 2, of_32_bits<kMul24, 2>},
                                                   {"mad24", 3, of_32_bits<kMad24, 3>},
                                                   {"sad", 3, integers<kSad, 3>},
                                                   {"div", 2, integers<kDiv, 2>},
                                                   {"rem", 2, integers<kRem, 2>},
                                                   {"min", 2, integers<kMin, 2>},
                                                   {"max", 2, integers<kMax, 2>},
                                                   {"abs", 1, of_signed<kAbs>},
                                                   {"neg", 1, of_signed<kNeg>}});

}  // namespace

std::optional<Computation> integer_computation(const Statement& statement, const Type& type) {
  const std::string_view name = statement.words[0];
  Computation made{.detail = modifiers(statement), .detail_2 = statement.says("hi") ? 1U : 0U, .inputs = 2, .input = type};
  const bool takes_carry = name == "addc" || name == "subc" || name == "madc";
  if (takes_carry || statement.says("cc")) {
    made.run = carry_handler(statement, type);
    made.detail_2 = (takes_carry ? kTakesCarry : 0) | (statement.says("cc") ? kGivesCarry : 0);
    if (name.starts_with("mad")) made.inputs = 3;
  } else if (name == "mul") {
    made.run = product_handler(statement, type);
  } else if (name == "mad") {
    made.run = sum_handler(statement, type);
    made.inputs = 3;
  } else if ((name == "dp4a" || name == "dp2a") && statement.words.size() > 2) {
    made.run = name == "dp4a" ? dot_handler<std::int8_t, std::uint8_t>(statement)
                              : dot_handler<std::int16_t, std::uint16_t>(statement);
    made.inputs = 3;
  } else if (const Form* const form = form_named(kForms, name)) {
    made.run = form->handler(type);
    made.inputs = form->inputs;
  } else {
    return std::nullopt;
  }
  return made;
}

}  // namespace kiln::emulator
