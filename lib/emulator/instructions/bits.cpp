// Logic, shifts, bit fields and permutations.
#include <algorithm>

#include "emulator/instructions/computation.hpp"

namespace kiln::emulator {
namespace {

using Word = const Instruction&;
using Bits32 = std::uint32_t;

// detail_2: .wrap, .shiftamt or the mode of prmt.
Amount amount_of(Word at) {
  return at.detail_2 == 0 ? Amount::clamp : Amount::wrap;
}

constexpr auto kAnd = [](Word, auto a, auto b) { return static_cast<decltype(a)>(a & b); };
constexpr auto kOr = [](Word, auto a, auto b) { return static_cast<decltype(a)>(a | b); };
constexpr auto kXor = [](Word, auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };
constexpr auto kNot = [](Word, auto a) { return static_cast<decltype(a)>(~a); };
constexpr auto kCnot = [](Word, auto a) { return cnot(a); };
constexpr auto kShl = [](Word, auto a, Bits32 by) { return shl(a, by); };
constexpr auto kShr = [](Word, auto a, Bits32 by) { return shr(a, by); };
constexpr auto kShfL = [](Word at, Bits32 a, Bits32 b, Bits32 c) { return shf_l(a, b, c, amount_of(at)); };
constexpr auto kShfR = [](Word at, Bits32 a, Bits32 b, Bits32 c) { return shf_r(a, b, c, amount_of(at)); };
constexpr auto kPopc = [](Word, auto a) { return popc(a); };
constexpr auto kClz = [](Word, auto a) { return clz(a); };
constexpr auto kBrev = [](Word, auto a) { return brev(a); };
constexpr auto kBfe = [](Word, auto a, Bits32 position, Bits32 length) { return bfe(a, position, length); };
constexpr auto kBfi = [](Word, auto a, auto b, Bits32 position, Bits32 length) { return bfi(a, b, position, length); };
constexpr auto kBfind = [](Word at, auto a) { return at.detail_2 == 0 ? bfind(a) : bfind_shiftamt(a); };
constexpr auto kSzext = [](Word at, auto a, Bits32 width) { return szext(a, width, amount_of(at)); };
constexpr auto kBmsk = [](Word at, Bits32 position, Bits32 width) { return bmsk(position, width, amount_of(at)); };
constexpr auto kFns = [](Word, Bits32 mask, Bits32 base, std::int32_t offset) { return fns(mask, base, offset); };
constexpr auto kPrmt = [](Word at, Bits32 a, Bits32 b, Bits32 c) {
  return prmt(a, b, c, static_cast<Permutation>(at.detail_2));
};
constexpr auto kLop3 = [](Word, Bits32 a, Bits32 b, Bits32 c, Bits32 table) {
  return lop3(a, b, c, static_cast<std::uint8_t>(table));
};

// What runs a function for a type.
template <auto Function, std::size_t Inputs>
Handler bits(const Type& type) {
  return integers<Function, Inputs>({Scalar::unsigned_int, type.bits});
}
template <auto Function, class... Others>
Handler of_words(const Type& type) {
  return type.bits == 32   ? &compute<Function, std::uint32_t, Others...>
         : type.bits == 64 ? Handler(&compute<Function, std::uint64_t, Others...>)
                           : nullptr;
}
template <auto Function, class... Others>
Handler with(const Type& type) {
  return of_integers(type, []<class T>() -> Handler { return &compute<Function, T, Others...>; });
}
template <auto Function, class... Inputs>
Handler of_32_bits(const Type& type) {
  return type.bits == 32 ? Handler(&compute<Function, Inputs...>) : nullptr;
}
Handler insertion(const Type& type) {
  return type.bits == 32   ? &compute<kBfi, std::uint32_t, std::uint32_t, Bits32, Bits32>
         : type.bits == 64 ? Handler(&compute<kBfi, std::uint64_t, std::uint64_t, Bits32, Bits32>)
                           : nullptr;
}
Handler extension(const Type& type) {
  return type.scalar == Scalar::signed_int ? of_32_bits<kSzext, std::int32_t, Bits32>(type)
                                           : of_32_bits<kSzext, Bits32, Bits32>(type);
}

constexpr std::array kForms = std::to_array<Form>({{"and", 2, bits<kAnd, 2>},
                                                   {"or", 2, bits<kOr, 2>},
                                                   {"xor", 2, bits<kXor, 2>},
                                                   {"not", 1, bits<kNot, 1>},
                                                   {"cnot", 1, bits<kCnot, 1>},
                                                   {"shl", 2, with<kShl, Bits32>},
                                                   {"shr", 2, with<kShr, Bits32>},
                                                   {"popc", 1, of_words<kPopc>},
                                                   {"clz", 1, of_words<kClz>},
                                                   {"brev", 1, of_words<kBrev>},
                                                   {"bfe", 3, with<kBfe, Bits32, Bits32>},
                                                   {"bfi", 4, insertion},
                                                   {"bfind", 1, integers<kBfind, 1>},
                                                   {"szext", 2, extension},
                                                   {"bmsk", 2, of_32_bits<kBmsk, Bits32, Bits32>},
                                                   {"fns", 3, of_32_bits<kFns, Bits32, Bits32, std::int32_t>},
                                                   {"prmt", 3, of_32_bits<kPrmt, Bits32, Bits32, Bits32>},
                                                   {"lop3", 4, of_32_bits<kLop3, Bits32, Bits32, Bits32, Bits32>}});

/// In the order of Permutation, behind `index`.
constexpr std::array kPermutations = std::to_array<std::string_view>({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});

}  // namespace

std::optional<Computation> bit_computation(const Statement& statement, const Type& type) {
  const std::string_view name = statement.words[0];
  Computation made{.detail_2 = statement.says("wrap") || statement.says("shiftamt") ? 1U : 0U, .inputs = 3, .input = type};
  if (name == "shf") {
    made.run =
        statement.says("l") ? of_32_bits<kShfL, Bits32, Bits32, Bits32>(type) : of_32_bits<kShfR, Bits32, Bits32, Bits32>(type);
  } else if (const Form* const form = form_named(kForms, name)) {
    made.run = form->handler(type);
    made.inputs = form->inputs;
    for (std::size_t k = 0; k < kPermutations.size(); ++k) {
      if (statement.says(kPermutations[k])) made.detail_2 = static_cast<std::uint32_t>(k + 1);
    }
  }
  return made;
}

}  // namespace kiln::emulator
