// setp, set, testp; and selp, which chooses by what they have found.
#include <algorithm>

#include "emulator/instructions/computation.hpp"

namespace kiln::emulator {
namespace {

/// In the order of Comparison.
constexpr std::array kComparisons = std::to_array<std::string_view>(
    {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
/// In the order of Property.
constexpr std::array kProperties =
    std::to_array<std::string_view>({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});

/// What a result is combined with: the predicate behind the inputs.
enum class Combination : std::uint8_t { none, conjunction, disjunction, exclusive };

template <class T>
Mask compared(Warp& warp, const Instruction& at, Mask lanes) {
  const std::uint64_t* const a = warp.in(at.in[0]);
  const std::uint64_t* const b = warp.in(at.in[1]);
  const auto comparison = static_cast<Comparison>(at.detail >> kBitsOfModifiers);
  return lanes_where(lanes, [&](unsigned lane) {
    if constexpr (std::is_integral_v<T>) {
      return compare(comparison, lane_value<T>(a[lane]), lane_value<T>(b[lane]));
    } else {
      return compare(comparison, lane_value<T>(a[lane]), lane_value<T>(b[lane]), says(at, kFtz));
    }
  });
}
Mask combined(Warp& warp, const Instruction& at, Mask yes) {
  const Mask other = warp.predicate(at.predicate_in[0]);
  switch (static_cast<Combination>(at.detail_2)) {
    case Combination::conjunction:
      return yes & other;
    case Combination::disjunction:
      return yes | other;
    case Combination::exclusive:
      return yes ^ other;
    case Combination::none:
      break;
  }
  return yes;
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
  const std::uint64_t value = says(at, kIntegral) ? 0xFFFFFFFFU : to_bits(1.0F);
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
  const auto property = static_cast<Property>(at.detail_2);
  const Mask yes = lanes_where(lanes, [&](unsigned lane) { return testp(property, lane_value<T>(a[lane])); });
  warp.set_predicate(at.predicate_out, yes, lanes);
}

/// The index of the first of the names that a statement says.
template <std::size_t Count>
std::optional<std::uint32_t> index_of(const std::array<std::string_view, Count>& names, const Statement& statement) {
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) { return statement.says(name); });
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - names.begin()));
}

}  // namespace

std::optional<Computation> comparison(const Statement& statement, const Type& type) {
  const std::string_view name = statement.words[0];
  if (name == "selp") return Computation{.run = &select, .inputs = 2, .input = type, .takes_a_predicate = true};
  Computation made{.detail = modifiers(statement), .inputs = 2, .input = type};
  if (name == "testp") {
    const auto property = index_of(kProperties, statement);
    if (!property || type.scalar != Scalar::floating || type.packed || type.bits == 16) return std::nullopt;
    made.inputs = 1;
    made.gives_predicates = true;
    made.detail_2 = *property;
    made.run = type.bits == 32 ? &test_property<float> : &test_property<double>;
    return made;
  }
  const auto comparison = index_of(kComparisons, statement);
  if (!comparison) return std::nullopt;
  made.detail |= *comparison << kBitsOfModifiers;
  made.detail_2 = static_cast<std::uint32_t>(statement.says("and")   ? Combination::conjunction
                                             : statement.says("or")  ? Combination::disjunction
                                             : statement.says("xor") ? Combination::exclusive
                                                                     : Combination::none);
  if (name == "setp") {
    made.gives_predicates = true;
    made.run = of_scalars(type, []<class T>() -> Handler { return &set_predicates<T>; });
    return made;
  }
  const std::optional<Type> result = type_named(statement.words[statement.words.size() - 2]);
  if (made.detail_2 != 0 || !result || result->bits != 32) return std::nullopt;
  if (result->scalar != Scalar::floating) made.detail |= kIntegral;
  made.run = of_scalars(type, []<class T>() -> Handler { return &set_value<T>; });
  return made;
}

}  // namespace kiln::emulator
