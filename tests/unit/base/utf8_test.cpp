#include "base/utf8.hpp"

#include <doctest/doctest.h>

using kiln::base::is_utf8;
using kiln::base::printable;
using kiln::base::utf8_length;

TEST_CASE("the bytes of the first character") {
  CHECK(utf8_length("ab") == 1);
  CHECK(utf8_length(std::string_view("\0b", 2)) == 1);
  CHECK(utf8_length("\xc3\xa9x") == 2);          // é
  CHECK(utf8_length("\xe2\x82\xacx") == 3);      // €
  CHECK(utf8_length("\xf0\x9f\x94\xa5x") == 4);  // a flame
}

TEST_CASE("no character begins with what is not UTF-8") {
  for (const std::string_view text : {"", "\x80", "\xff", "\xc3", "\xc3x", "\xe2\x82", "\xe2\x82x", "\xf0\x9f\x94"}) {
    CHECK(utf8_length(text) == 0);
  }
  CHECK(utf8_length("\xc0\xaf") == 0);          // overlong
  CHECK(utf8_length("\xe0\x80\xaf") == 0);      // overlong
  CHECK(utf8_length("\xed\xa0\x80") == 0);      // a surrogate
  CHECK(utf8_length("\xf4\x90\x80\x80") == 0);  // beyond U+10FFFF
}

TEST_CASE("a text is UTF-8 where all of it is") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("a\xc3\xa9\xe2\x82\xac"));
  CHECK_FALSE(is_utf8("a\xc3"));
  CHECK_FALSE(is_utf8("a\xc3\xa9\xa9z"));
}

TEST_CASE("what a terminal would not show is printed as '?'") {
  CHECK(printable("a\tb na\xc3\xafve") == "a\tb na\xc3\xafve");
  CHECK(printable("a\nb\x1b[2J\x7f") == "a?b?[2J?");
  CHECK(printable("caf\xe9 \xc3") == "caf? ?");
  CHECK(printable("").empty());
}
