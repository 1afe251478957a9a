// Tokens of C++ text.
#include <doctest/doctest.h>

#include <string>

#include "source/scanner.hpp"

using kiln::codegen::Scanner;
using kiln::codegen::Token;

namespace {

// Tokens separated by blanks, newlines of directives as "NL".
std::string tokens(std::string_view text) {
  Scanner scanner(text);
  std::string all;
  for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
    all += (all.empty() ? "" : " ") + (token.kind == Token::Kind::newline ? std::string("NL") : token.text);
  }
  return all;
}

}  // namespace

TEST_CASE("names, numbers, literals and punctuation") {
  CHECK(tokens("a1+_b  *1'000.5e-3f") == "a1 + _b * 1'000.5e-3f");
  CHECK(tokens("x<::y; v<:0:>; %:z") == "x < :: y ; v [ 0 ] ; % : z");
  CHECK(tokens("u8\"a b\" L'c' R\"(x y)\" RR\"q\"") == "u8\"a b\" L'c' R\"(x y)\" RR \"q\"");
  CHECK(tokens("sq\\\nrt(a) // no\n/* no */ b") == "sqrt ( a ) b");
}

TEST_CASE("directives begin with a hash at the start of a line and end with it") {
  CHECK(tokens("a # b\n  # define X 1\nc") == "a # b # define X 1 NL c");
  CHECK(tokens("#define X \\\n 2\n#undef X") == "# define X 2 NL # undef X");
}

TEST_CASE("places are those of the text") {
  Scanner scanner("ab\n  c\\\n  d e");
  CHECK(scanner.next().place.column == 1);
  const Token c = scanner.next();
  CHECK(c.text == "c");
  CHECK(c.place.line == 2);
  CHECK(c.place.column == 3);
  const Token d = scanner.next();
  CHECK(d.place.line == 3);
  CHECK(d.place.column == 3);
  CHECK(kiln::codegen::line_of("one\r\ntwo\nthree", {2, 1}) == "two");
  CHECK(kiln::codegen::line_of("one\r\ntwo", {1, 1}) == "one");
}

TEST_CASE("lines without a token take no stack") {
  std::string text;
  for (int line = 0; line < 200'000; ++line) text += line % 2 == 0 ? "\n" : "// nothing\n";
  CHECK(tokens(text + "#pragma once" + text + "a") == "# pragma once NL a");
}
