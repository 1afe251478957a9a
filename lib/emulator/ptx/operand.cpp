#include <bit>

#include "emulator/ptx/grammar.hpp"

namespace kiln::emulator {
namespace {

constexpr int kDeepest = 64;

Operand operand(Lexer& lexer, int depth) {
  if (depth > kDeepest) lexer.fail("operands so deep in one another are not known");
  Operand made;
  if (lexer.skip("{")) {
    made.kind = Operand::Kind::vector;
    do made.parts.push_back(operand(lexer, depth + 1));
    while (lexer.skip(","));
    lexer.expect("}");
    return made;
  }
  if (lexer.skip("(")) {
    made.kind = Operand::Kind::list;
    while (!lexer.skip(")")) {
      if (!made.parts.empty()) lexer.expect(",");
      made.parts.push_back(operand(lexer, depth + 1));
    }
    return made;
  }
  if (lexer.skip("[")) {
    made.kind = Operand::Kind::memory;
    if (lexer.peek().kind == Token::Kind::word) {
      made.name = lexer.word();
      if (lexer.skip("+") || lexer.at("-")) made.number = take_integer(lexer);
    } else {
      made.number = take_integer(lexer);
    }
    lexer.expect("]");
    return made;
  }
  if (lexer.skip("!")) made.negated = true;
  if (lexer.peek().kind != Token::Kind::word) return take_number(lexer);
  made.name = lexer.word();
  if (lexer.skip("+")) made.number = take_integer(lexer);  // from a variable's address: only in mov
  if (!lexer.skip("|")) return made;
  Operand pair;
  pair.kind = Operand::Kind::predicates;
  pair.parts = {made, operand(lexer, depth + 1)};
  return pair;
}

}  // namespace

std::uint64_t take_integer(Lexer& lexer) {
  const bool negative = lexer.skip("-");
  if (lexer.peek().kind != Token::Kind::number) lexer.fail("expected an integer");
  std::string_view digits = lexer.take().text;
  if (!digits.empty() && digits.back() == 'U') digits.remove_suffix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
    base = 2;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.front() == '0') {
    base = 8;
  }
  const auto value = number_in<std::uint64_t>(digits, base);
  if (!value) lexer.fail("\"" + std::string(digits) + "\" is no integer");
  return negative ? 0 - *value : *value;
}

Operand take_number(Lexer& lexer) {
  Operand made;
  made.kind = Operand::Kind::floating;
  if (lexer.peek().kind == Token::Kind::number) {
    const std::string_view text = lexer.peek().text;
    made.is_single = text.starts_with("0f") || text.starts_with("0F");
    if (made.is_single || text.starts_with("0d") || text.starts_with("0D")) {
      const auto bits = number_in<std::uint64_t>(text.substr(2), 16);
      if (!bits) lexer.fail("expected the bits of a number");
      made.number = *bits;
      lexer.take();
      return made;
    }
    if (text.find('.') != std::string_view::npos) {
      const auto value = number_in<double>(text);
      if (!value) lexer.fail("expected a number");
      made.number = std::bit_cast<std::uint64_t>(*value);
      lexer.take();
      return made;
    }
  }
  made.kind = Operand::Kind::integer;
  made.number = take_integer(lexer);
  return made;
}

Operand take_operand(Lexer& lexer) {
  return operand(lexer, 0);
}

std::uint64_t bits_of(const Operand& number, const Type& type) {
  if (number.kind == Operand::Kind::integer || number.is_single || type.bits == 64) return number.number;
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.number)));
}

}  // namespace kiln::emulator
