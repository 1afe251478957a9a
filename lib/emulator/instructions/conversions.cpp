// cvt.
#include "emulator/instructions/computation.hpp"

namespace kiln::emulator {
namespace {

// Inlined, it is moved out of the loop over lanes.
[[gnu::always_inline]] inline Conversion conversion_of(const Instruction& at) {
  return {.rounding = rounding_of(at),
          .integral = says(at, kIntegral),
          .ftz = says(at, kFtz),
          .sat = says(at, kSat),
          .relu = says(at, kRelu),
          .satfinite = says(at, kSatFinite)};
}

template <class To>
constexpr auto kConvert = [](const Instruction& at, auto x) {
  const To result = convert<To>(x, conversion_of(at));
  if constexpr (std::is_integral_v<To> && std::is_signed_v<To>) {
    // Where the register is wider than the type, a signed number keeps its sign: cvt.s8.s32 to one of 16 bits.
    return static_cast<std::int64_t>(result);
  } else {
    return result;
  }
};
template <class To>
constexpr auto kConvertPair =
    [](const Instruction& at, float high, float low) { return convert_pair<To>(high, low, conversion_of(at)); };
constexpr auto kConvertToTf32 = [](const Instruction& at, float a) { return convert_to_tf32(a, conversion_of(at)); };

}  // namespace

std::optional<Computation> conversion(const Statement& statement, const Type& to, const Type& from) {
  if (from.packed || from.bits > 64 || to.bits > 64) return std::nullopt;
  if (from.scalar == Scalar::predicate || to.scalar == Scalar::predicate) return std::nullopt;
  Computation made{.detail = modifiers(statement), .inputs = 1, .input = from};
  const bool is_tf32 = to.scalar == Scalar::bfloat && to.bits == 32;
  if (to.packed || is_tf32) {
    if (from.scalar != Scalar::floating || from.bits != 32) return std::nullopt;
    made.inputs = to.packed ? 2 : 1;
    made.run = to.scalar == Scalar::floating ? Handler(&compute<kConvertPair<Half>, float, float>)
               : to.packed                   ? &compute<kConvertPair<BFloat16>, float, float>
                                             : &compute<kConvertToTf32, float>;
  } else if (to.scalar != Scalar::bits && from.scalar != Scalar::bits) {
    made.run = of_scalars(to, [&]<class To>() -> Handler {
      return of_scalars(from, []<class From>() -> Handler { return &compute<kConvert<To>, From>; });
    });
  }
  return made;
}

}  // namespace kiln::emulator
