// Instructions that compute: a pure function of emulator/arithmetic for each, by the types that a statement names.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "emulator/arithmetic.hpp"
#include "emulator/instructions/instructions.hpp"

namespace kiln::emulator {

/// How a statement's result is computed.
struct Computation {
  Handler run = nullptr;
  std::uint32_t detail = 0;  ///< its words: modifiers()
  std::uint32_t detail_2 = 0;
  unsigned inputs = 0;
  Type input;                      ///< for numbers that stand in the text
  bool gives_predicates = false;   ///< setp: one or two; a predicate may stand behind the inputs
  bool takes_a_predicate = false;  ///< selp: behind the inputs
};
// Each: nothing for what it does not know.
[[nodiscard]] std::optional<Computation> floating_computation(const Statement& statement, const Type& type);
[[nodiscard]] std::optional<Computation> integer_computation(const Statement& statement, const Type& type);
[[nodiscard]] std::optional<Computation> bit_computation(const Statement& statement, const Type& type);
/// setp, set, selp, testp.
[[nodiscard]] std::optional<Computation> comparison(const Statement& statement, const Type& type);
[[nodiscard]] std::optional<Computation> conversion(const Statement& statement, const Type& to, const Type& from);

// Of `detail`.
inline constexpr std::uint32_t kRounding = 7;
inline constexpr std::uint32_t kFtz = 8;
inline constexpr std::uint32_t kSat = 16;
inline constexpr std::uint32_t kNan = 32;
inline constexpr std::uint32_t kRelu = 64;
inline constexpr std::uint32_t kIntegral = 128;  ///< .rni and its like: to an integer
inline constexpr std::uint32_t kXorSign = 256;
inline constexpr std::uint32_t kSatFinite = 512;
inline constexpr unsigned kBitsOfModifiers = 16;
[[nodiscard]] std::uint32_t modifiers(const Statement& statement);

[[nodiscard]] inline bool says(const Instruction& at, std::uint32_t flag) noexcept {
  return (at.detail & flag) != 0;
}
[[nodiscard]] inline Rounding rounding_of(const Instruction& at) noexcept {
  return static_cast<Rounding>(at.detail & kRounding);
}

/// The value in the low bits of a lane's 64, and those bits.
template <class T>
[[nodiscard]] T lane_value(std::uint64_t bits) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    return from_bits<T>(static_cast<typename Format<T>::Bits>(bits));
  }
}
template <class T>
[[nodiscard]] std::uint64_t lane_bits(T value) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
  } else {
    return to_bits(value);
  }
}

/// One result of some inputs: `Function(instruction, inputs…)`, a lambda. An object of its type is called: the symbol of a
/// template argument is one for lambdas of several files, without optimization by Clang 19.
template <auto Function, class... Inputs>
void compute(Warp& warp, const Instruction& at, Mask lanes) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const std::array<const std::uint64_t*, sizeof...(Inputs)> rows = {warp.in(at.in[k])...};
    std::uint64_t* const out = warp.out(at.out);
    each_lane(lanes, [&](unsigned lane) {
      out[lane] = lane_bits(std::remove_const_t<decltype(Function)>{}(at, lane_value<Inputs>(rows[k][lane])...));
    });
  }(std::index_sequence_for<Inputs...>{});
}
/// Of so many inputs of one type.
template <auto Function, class T, std::size_t Inputs>
[[nodiscard]] Handler computing() {
  return []<std::size_t... k>(std::index_sequence<k...>) -> Handler {
    return &compute<Function, std::enable_if_t<(k < Inputs), T>...>;
  }(std::make_index_sequence<Inputs>{});
}

/// What `make` gives for the type of integers.
template <class Make>
[[nodiscard]] Handler of_integers(const Type& type, const Make& make) {
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
/// So many integers of the type.
template <auto Function, std::size_t Inputs>
[[nodiscard]] Handler integers(const Type& type) {
  return of_integers(type, []<class T>() { return computing<Function, T, Inputs>(); });
}
/// Integers and floating-point numbers that are not packed.
template <class Make>
[[nodiscard]] Handler of_scalars(const Type& type, const Make& make) {
  if (type.packed) return nullptr;
  if (type.scalar == Scalar::bfloat) return type.bits == 16 ? make.template operator()<BFloat16>() : nullptr;
  if (type.scalar != Scalar::floating) return of_integers(type, make);
  return type.bits == 16   ? make.template operator()<Half>()
         : type.bits == 32 ? make.template operator()<float>()
                           : make.template operator()<double>();
}

/// An instruction by its name alone, and what runs it for a type: null for a type that it has not.
struct Form {
  std::string_view name;
  unsigned inputs;
  Handler (*handler)(const Type&);
};
/// Null where there is none of that name.
template <std::size_t Count>
[[nodiscard]] const Form* form_named(const std::array<Form, Count>& forms, std::string_view name) noexcept {
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const Form& each) { return each.name == name; });
  return found == forms.end() ? nullptr : &*found;
}

}  // namespace kiln::emulator
