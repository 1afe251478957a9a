#include "source/speculation.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "source/divisions.hpp"
#include "source/recursion.hpp"
#include "source/scanner.hpp"

namespace kiln::codegen {
namespace {

// Loops may not end, the rest may do anything.
constexpr std::array<std::string_view, 9> kUnsafeNames{"for", "while", "do", "goto", "asm", "new", "delete", "throw", "static"};
bool unsafe_name(std::string_view name) {
  return std::find(kUnsafeNames.begin(), kUnsafeNames.end(), name) != kUnsafeNames.end() || name.starts_with("__");
}

// A `*` behind something that is a value multiplies, or stands in a declaration; elsewhere it goes through a pointer.
bool behind_value(const Token& before) {
  return before.kind == Token::Kind::number || (before.kind == Token::Kind::identifier && before.text != "return") ||
         (before.kind == Token::Kind::punctuation && before.text == ")");
}

// Punctuation comes a character at a time: a table, perhaps beyond its end; a member through a pointer; a value through one.
bool unsafe(const Token& before, const Token& token) {
  // What converts to an integer divides as C++ does.
  if (token.kind == Token::Kind::identifier) return unsafe_name(token.text) || before.text == "operator";
  if (token.kind != Token::Kind::punctuation) return false;
  return token.text == "[" || (token.text == ">" && before.text == "-") || (token.text == "*" && !behind_value(before));
}

/// Adds the tokens of the text; false where it has what is not computed for elements that nobody asked for.
bool add_tokens(std::string_view text, std::vector<Token>& tokens) {
  try {
    Scanner scanner(text);
    Token before;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::hash) {
        // #line only names the lines: the texts of a fused ufunc have many.
        if (scanner.next().text != "line") return false;
        while (token.kind != Token::Kind::newline && token.kind != Token::Kind::end) token = scanner.next();
        continue;
      }
      if (unsafe(before, token)) return false;
      tokens.push_back(token);
      before = std::move(token);
    }
  } catch (const ScanError&) {
    return false;
  }
  return true;
}

}  // namespace

Speculation speculation_of(const UserText& text, bool integers) {
  std::vector<Token> tokens;
  for (const std::string* part : {&text.preamble, &text.functions, &text.body}) {
    if (!add_tokens(*part, tokens)) return Speculation::none;
  }
  if (recurses(tokens)) return Speculation::none;
  return integer_divisions(tokens, floating_names(text, integers)).empty() ? Speculation::free : Speculation::blocks;
}

}  // namespace kiln::codegen
