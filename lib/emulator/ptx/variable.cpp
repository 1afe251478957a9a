#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "emulator/ptx/grammar.hpp"

namespace kiln::emulator {
namespace {

/// "x", "generic(x)" and "generic(x)+8".
Variable::Address take_address(Lexer& lexer) {
  Variable::Address made;
  made.name = lexer.word();
  if (made.name == "generic") {
    lexer.expect("(");
    made.name = lexer.word();
    lexer.expect(")");
  }
  if (lexer.skip("+") || lexer.at("-")) made.offset = take_integer(lexer);
  return made;
}

void append_address(Lexer& lexer, Variable& made, Variable::Address address) {
  if (made.type.bytes() != address.bytes) {
    lexer.fail("an address of " + std::string(address.name) + " in " + std::to_string(made.type.bytes()) +
               " bytes is not known");
  }
  address.at = made.initial.size();
  made.addresses.push_back(address);
  made.initial.resize(address.at + address.bytes);
}

/// "0xFF00(generic(x))": one byte of an address, in structures without padding.
void append_byte_of_address(Lexer& lexer, Variable& made, std::uint64_t mask) {
  lexer.expect("(");
  Variable::Address address = take_address(lexer);
  lexer.expect(")");
  const int shift = std::countr_zero(mask);
  if (mask == 0 || mask >> shift != 0xFF || shift % 8 != 0) lexer.fail("a mask of an address is one byte");
  address.bytes = 1;
  address.shift = static_cast<std::uint8_t>(shift);
  append_address(lexer, made, address);
}

void append_number(Variable& made, const Operand& number) {
  const std::uint64_t bits = bits_of(number, made.type);
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), &bits, sizeof(bits));
  made.initial.insert(made.initial.end(), bytes.begin(), bytes.begin() + made.type.bytes());
}

void append_value(Lexer& lexer, Variable& made) {
  if (lexer.peek().kind == Token::Kind::word) {
    append_address(lexer, made, take_address(lexer));
  } else if (const Operand number = take_number(lexer); lexer.at("(")) {
    append_byte_of_address(lexer, made, number.number);
  } else {
    append_number(made, number);
  }
  if (made.initial.size() > made.bytes) lexer.fail("too many values for " + std::string(made.name));
}

void take_initial(Lexer& lexer, Variable& made) {
  if (!lexer.skip("{")) {
    append_value(lexer, made);
    return;
  }
  int depth = 1;
  while (depth > 0) {
    if (lexer.skip("{")) {
      ++depth;
    } else if (lexer.skip("}")) {
      --depth;
    } else if (!lexer.skip(",")) {
      append_value(lexer, made);
    }
  }
}

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  struct Named {
    std::string_view name;
    Type type;
  };
  static constexpr std::array kTypes = {Named{"b8", {Scalar::bits, 8}},
                                        Named{"b16", {Scalar::bits, 16}},
                                        Named{"b32", {Scalar::bits, 32}},
                                        Named{"b64", {Scalar::bits, 64}},
                                        Named{"b128", {Scalar::bits, 128}},
                                        Named{"u8", {Scalar::unsigned_int, 8}},
                                        Named{"u16", {Scalar::unsigned_int, 16}},
                                        Named{"u32", {Scalar::unsigned_int, 32}},
                                        Named{"u64", {Scalar::unsigned_int, 64}},
                                        Named{"s8", {Scalar::signed_int, 8}},
                                        Named{"s16", {Scalar::signed_int, 16}},
                                        Named{"s32", {Scalar::signed_int, 32}},
                                        Named{"s64", {Scalar::signed_int, 64}},
                                        Named{"f16", {Scalar::floating, 16}},
                                        Named{"f16x2", {Scalar::floating, 32, true}},
                                        Named{"bf16", {Scalar::bfloat, 16}},
                                        Named{"bf16x2", {Scalar::bfloat, 32, true}},
                                        Named{"tf32", {Scalar::bfloat, 32}},
                                        Named{"f32", {Scalar::floating, 32}},
                                        Named{"f64", {Scalar::floating, 64}},
                                        Named{"pred", {Scalar::predicate, 8}}};
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Named& each) { return each.name == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

std::optional<Space> space_named(std::string_view directive) {
  if (directive == ".global") return Space::global;
  if (directive == ".shared") return Space::shared;
  if (directive == ".local") return Space::local;
  if (directive == ".const") return Space::constant;
  if (directive == ".param") return Space::parameter;
  return std::nullopt;
}

Variable take_variable(Lexer& lexer, Space space) {
  Variable made;
  made.space = space;
  std::string_view word = lexer.word();
  std::uint64_t count = 1;
  for (; word.starts_with('.'); word = lexer.word()) {
    if (word == ".align") {
      made.alignment = take_integer(lexer);
      constexpr std::uint64_t kMostAligned = 1024;
      if (made.alignment > kMostAligned || !std::has_single_bit(made.alignment)) {
        lexer.fail("an alignment is a power of two up to 1024");
      }
    } else if (word == ".ptr" || word == ".attribute" || space_named(word)) {
      if (lexer.skip("(")) lexer.skip_past(")");
    } else if (word == ".v2" || word == ".v4") {
      count = word == ".v2" ? 2 : 4;
    } else if (const std::optional<Type> type = type_named(word.substr(1))) {
      made.type = *type;
    } else {
      lexer.fail("the type " + std::string(word) + " of a variable is not known");
    }
  }
  made.name = word;
  while (lexer.skip("[")) {
    count *= lexer.at("]") ? 0 : take_integer(lexer);
    lexer.expect("]");
  }
  const std::uint64_t size = made.type.bytes();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32U;
  if (count > kMost / size) lexer.fail("the variable " + std::string(word) + " is too large");
  made.bytes = size * count;
  made.alignment = std::max(made.alignment, size);
  if (lexer.skip("=")) take_initial(lexer, made);
  return made;
}

}  // namespace kiln::emulator
