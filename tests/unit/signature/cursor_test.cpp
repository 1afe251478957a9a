// What stands at the place of an error, in every text that a cursor reads.
#include "signature/cursor.hpp"

#include <doctest/doctest.h>

#include <string>

#include "gufunc/impl.hpp"
#include "signature/failure.hpp"
#include "signature/layout.hpp"
#include "signature/signature.hpp"
#include "signature/size_rules.hpp"

using kiln::signature::Cursor;
using kiln::signature::parse_layout;

namespace {

template <class F>
void check_unreadable(F parse, const std::string& message, std::size_t position) {
  const Failure failure = failure_of(parse);
  CHECK(failure.message == message);
  CHECK(failure.position == position);
}

}  // namespace

TEST_CASE("the whole of a UTF-8 character is shown") {
  CHECK(Cursor("x").found() == ", found 'x'");
  CHECK(Cursor("\xc3\xa9").found() == ", found '\xc3\xa9'");                   // é
  CHECK(Cursor("\xe2\x82\xacx").found() == ", found '\xe2\x82\xac'");          // €
  CHECK(Cursor("\xf0\x9f\x94\xa5x").found() == ", found '\xf0\x9f\x94\xa5'");  // a flame
  CHECK(Cursor("").found() == ", found the end of the text");
}

TEST_CASE("a byte that is not UTF-8 and a control character are shown as numbers") {
  CHECK(Cursor("\xc3").found() == ", found '\\xc3'");
  CHECK(Cursor("\xe2\x82x").found() == ", found '\\xe2'");
  CHECK(Cursor("\x80").found() == ", found '\\x80'");
  CHECK(Cursor("\x1b[2J").found() == ", found '\\x1b'");
  CHECK(Cursor("\x7f").found() == ", found '\\x7f'");
  CHECK(Cursor(std::string_view("\0", 1)).found() == ", found '\\x00'");
}

TEST_CASE("layouts, indices, size rules and signatures name the character that they cannot read") {
  check_unreadable([] { (void)parse_layout("(\xc3\xa9)->()"); },
                   "expected the name or the size of a core dimension, found '\xc3\xa9'", 1);
  check_unreadable([] { (void)parse_layout("(n\xc3\xa9)->()"); },
                   "expected ')' or ',' after a core dimension, found '\xc3\xa9'", 2);
  check_unreadable([] { (void)parse_layout("(\xc3)->()"); }, "expected the name or the size of a core dimension, found '\\xc3'",
                   1);
  check_unreadable([] { (void)kiln::gufunc::parse_each("\xc3\xa9:n", parse_layout("(n)->()")); },
                   "expected the name of an index, as in \"i:m\", found '\xc3\xa9'", 0);
  check_unreadable([] { (void)kiln::gufunc::parse_each("i:n, \xc3\xa9:n", parse_layout("(n)->()")); },
                   "expected the name of an index, as in \"i:m\", found '\xc3\xa9'", 5);
  check_unreadable([] { (void)kiln::signature::parse_size_rules("p = \xc3\xa9", parse_layout("(n)->(p)")); },
                   "expected a core dimension, a number or '(', found '\xc3\xa9'", 4);
  check_unreadable([] { (void)kiln::signature::parse("float32(float32 \xc3\xa9)"); },
                   "expected ')' or ',' after an input, found '\xc3\xa9'", 16);
  check_unreadable([] { (void)kiln::signature::parse("float32(\xc3\xa9 a)"); },
                   "expected the type of an input, found '\xc3\xa9'", 8);
}
