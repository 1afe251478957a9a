// Floating-point arithmetic: of 32 and 64 bits, of 16, and of two halves in a register.
#include <algorithm>

#include "emulator/instructions/computation.hpp"

namespace kiln::emulator {
namespace {

using Word = const Instruction&;

// Inlined, they are moved out of the loops over lanes.
[[gnu::always_inline]] inline Modifiers modifiers_of(Word at) {
  return {.rounding = rounding_of(at), .ftz = says(at, kFtz), .sat = says(at, kSat), .relu = says(at, kRelu)};
}
[[gnu::always_inline]] inline MinMaxModifiers min_max_modifiers_of(Word at) {
  return {.ftz = says(at, kFtz), .nan = says(at, kNan), .xorsign_abs = says(at, kXorSign), .relu = says(at, kRelu)};
}

constexpr auto kAdd = [](Word at, auto a, auto b) { return add(a, b, modifiers_of(at)); };
constexpr auto kSub = [](Word at, auto a, auto b) { return sub(a, b, modifiers_of(at)); };
constexpr auto kMul = [](Word at, auto a, auto b) { return mul(a, b, modifiers_of(at)); };
constexpr auto kFma = [](Word at, auto a, auto b, auto c) { return fma(a, b, c, modifiers_of(at)); };
constexpr auto kDiv = [](Word at, auto a, auto b) { return div(a, b, modifiers_of(at)); };
constexpr auto kRcp = [](Word at, auto a) { return rcp(a, modifiers_of(at)); };
constexpr auto kSqrt = [](Word at, auto a) { return emulator::sqrt(a, modifiers_of(at)); };
constexpr auto kMin = [](Word at, auto a, auto b) { return min(a, b, min_max_modifiers_of(at)); };
constexpr auto kMax = [](Word at, auto a, auto b) { return max(a, b, min_max_modifiers_of(at)); };
constexpr auto kAbs = [](Word at, auto a) { return abs(a, says(at, kFtz)); };
constexpr auto kNeg = [](Word at, auto a) { return neg(a, says(at, kFtz)); };
constexpr auto kCopysign = [](Word, auto a, auto b) { return emulator::copysign(a, b); };

// .approx
constexpr auto kRcpApprox = [](Word at, float a) { return rcp_approx(a, says(at, kFtz)); };
constexpr auto kSqrtApprox = [](Word at, float a) { return sqrt_approx(a, says(at, kFtz)); };
constexpr auto kRsqrtApprox = [](Word at, float a) { return rsqrt_approx(a, says(at, kFtz)); };
constexpr auto kDivApprox = [](Word at, float a, float b) { return div_approx(a, b, says(at, kFtz)); };
constexpr auto kDivFull = [](Word at, float a, float b) { return div_full(a, b, says(at, kFtz)); };
constexpr auto kSinApprox = [](Word at, float a) { return sin_approx(a, says(at, kFtz)); };
constexpr auto kCosApprox = [](Word at, float a) { return cos_approx(a, says(at, kFtz)); };
constexpr auto kLg2Approx = [](Word at, float a) { return lg2_approx(a, says(at, kFtz)); };
constexpr auto kEx2Approx = [](Word at, auto a) {
  if constexpr (std::is_same_v<decltype(a), float>) {
    return ex2_approx(a, says(at, kFtz));
  } else {
    return ex2_approx(a);
  }
};
constexpr auto kTanhApprox = [](Word, auto a) { return tanh_approx(a); };
constexpr auto kRcpApproxOfDouble = [](Word, double a) { return rcp_approx_ftz(a); };
constexpr auto kRsqrtApproxOfDouble = [](Word at, double a) { return says(at, kFtz) ? rsqrt_approx_ftz(a) : rsqrt_approx(a); };

/// Of both halves of 32 bits.
template <auto Function, class T>
constexpr auto kOnPairs = [](Word at, auto... inputs) {
  return on_pairs<T>([&](auto... halves) { return std::remove_const_t<decltype(Function)>{}(at, halves...); }, inputs...);
};

// What runs a function for a type: null where the type is none of these.
template <auto Function, std::size_t Inputs>
Handler single(const Type& type) {
  return type == Type{Scalar::floating, 32} ? computing<Function, float, Inputs>() : nullptr;
}
/// Of .f32 and .f64.
template <auto Function, std::size_t Inputs>
Handler native(const Type& type) {
  return type == Type{Scalar::floating, 64} ? computing<Function, double, Inputs>() : single<Function, Inputs>(type);
}
/// Of 16 bits, single or two in a register.
template <auto Function, std::size_t Inputs>
Handler narrow(const Type& type) {
  using Bits = std::uint32_t;
  const bool is_half = type.scalar == Scalar::floating;
  if (type.packed) {
    return is_half ? computing<kOnPairs<Function, Half>, Bits, Inputs>()
                   : computing<kOnPairs<Function, BFloat16>, Bits, Inputs>();
  }
  if (type.bits != 16) return nullptr;
  return is_half ? computing<Function, Half, Inputs>() : computing<Function, BFloat16, Inputs>();
}
template <auto Function, std::size_t Inputs>
Handler single_or_narrow(const Type& type) {
  const Handler found = single<Function, Inputs>(type);
  return found != nullptr ? found : narrow<Function, Inputs>(type);
}
template <auto Function, std::size_t Inputs>
Handler any(const Type& type) {
  const Handler found = native<Function, Inputs>(type);
  return found != nullptr ? found : narrow<Function, Inputs>(type);
}
template <auto OfFloat, auto OfDouble>
Handler single_or_double(const Type& type) {
  return type == Type{Scalar::floating, 64} ? &compute<OfDouble, double> : single<OfFloat, 1>(type);
}

constexpr std::array kExact = std::to_array<Form>({{"add", 2, any<kAdd, 2>},
                                                   {"sub", 2, any<kSub, 2>},
                                                   {"mul", 2, any<kMul, 2>},
                                                   {"fma", 3, any<kFma, 3>},
                                                   {"mad", 3, any<kFma, 3>},
                                                   {"div", 2, native<kDiv, 2>},
                                                   {"rcp", 1, native<kRcp, 1>},
                                                   {"sqrt", 1, native<kSqrt, 1>},
                                                   {"min", 2, any<kMin, 2>},
                                                   {"max", 2, any<kMax, 2>},
                                                   {"abs", 1, any<kAbs, 1>},
                                                   {"neg", 1, any<kNeg, 1>},
                                                   {"copysign", 2, native<kCopysign, 2>}});
constexpr std::array kFull = std::to_array<Form>({{"div", 2, single<kDivFull, 2>}});
constexpr std::array kApproximate = std::to_array<Form>({{"div", 2, single<kDivApprox, 2>},
                                                         {"rcp", 1, single_or_double<kRcpApprox, kRcpApproxOfDouble>},
                                                         {"rsqrt", 1, single_or_double<kRsqrtApprox, kRsqrtApproxOfDouble>},
                                                         {"sqrt", 1, single<kSqrtApprox, 1>},
                                                         {"sin", 1, single<kSinApprox, 1>},
                                                         {"cos", 1, single<kCosApprox, 1>},
                                                         {"lg2", 1, single<kLg2Approx, 1>},
                                                         {"ex2", 1, single_or_narrow<kEx2Approx, 1>},
                                                         {"tanh", 1, single_or_narrow<kTanhApprox, 1>}});

}  // namespace

std::optional<Computation> floating_computation(const Statement& statement, const Type& type) {
  const std::string_view name = statement.words[0];
  const Form* const form = statement.says("approx") ? form_named(kApproximate, name)
                           : statement.says("full") ? form_named(kFull, name)
                                                    : form_named(kExact, name);
  if (form == nullptr) return std::nullopt;
  return Computation{
      .run = form->handler(type), .detail = modifiers(statement), .detail_2 = 0, .inputs = form->inputs, .input = type};
}

}  // namespace kiln::emulator
