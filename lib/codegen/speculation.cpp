#include "codegen/speculation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "codegen/scanner.hpp"

namespace kiln::codegen {
namespace {

// Loops may not end, the rest may do anything.
constexpr std::array<std::string_view, 9> kUnsafeNames{"for", "while", "do", "goto", "asm", "new", "delete", "throw", "static"};
// What makes integers of arguments that are none; the shorter ones as beginnings.
constexpr std::array<std::string_view, 11> kIntegerNames{"int",  "uint", "long",   "short", "unsigned", "char",
                                                         "bool", "size", "lround", "lrint", "index"};
constexpr std::array<std::string_view, 3> kOtherIntegerNames{"llround", "llrint", "ilogb"};

bool unsafe_name(std::string_view name) {
  return std::find(kUnsafeNames.begin(), kUnsafeNames.end(), name) != kUnsafeNames.end() || name.starts_with("__");
}

bool integer_name(std::string_view name) {
  return std::any_of(kIntegerNames.begin(), kIntegerNames.end(), [&](std::string_view n) { return name.starts_with(n); }) ||
         std::find(kOtherIntegerNames.begin(), kOtherIntegerNames.end(), name) != kOtherIntegerNames.end();
}

// A `*` behind something that is a value multiplies, or stands in a declaration; elsewhere it goes through a pointer.
bool behind_value(const Token& before) {
  return before.kind == Token::Kind::number || (before.kind == Token::Kind::identifier && before.text != "return") ||
         (before.kind == Token::Kind::punctuation && before.text == ")");
}

/// What the tokens of a text tell.
struct Findings {
  bool unsafe = false;
  bool divides = false;
  bool integers = false;

  // Punctuation comes a character at a time.
  void look_at(const Token& before, const Token& token) {
    switch (token.kind) {
      case Token::Kind::identifier:
        unsafe = unsafe || unsafe_name(token.text);
        integers = integers || integer_name(token.text);
        break;
      case Token::Kind::punctuation:
        divides = divides || token.text == "/" || token.text == "%";
        // A table, perhaps beyond its end; a member through a pointer; a value through one.
        unsafe = unsafe || token.text == "[" || (token.text == ">" && before.text == "-") ||
                 (token.text == "*" && !behind_value(before));
        break;
      default:
        break;
    }
  }
};

void look_through(std::string_view text, Findings& findings) {
  try {
    Scanner scanner(text);
    Token before;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::hash) {
        token = scanner.next();
        // Only names the lines: the texts of a fused ufunc have many.
        if (token.text == "line") continue;
        findings.unsafe = true;
      }
      findings.look_at(before, token);
      before = token;
    }
  } catch (const ScanError&) {
    findings.unsafe = true;
  }
}

}  // namespace

bool may_speculate(const UserText& text, bool integers) {
  Findings findings;
  for (const std::string* part : {&text.preamble, &text.functions, &text.body}) look_through(*part, findings);
  return !findings.unsafe && !(findings.divides && (integers || findings.integers));
}

}  // namespace kiln::codegen
