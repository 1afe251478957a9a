#include "signature/layout.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "signature/failure.hpp"
#include "support/golden_texts.hpp"

using kiln::signature::Layout;
using kiln::signature::parse_layout;
using Indices = std::vector<std::size_t>;

namespace {

void check_layout_failure(std::string_view text, std::string_view message, std::size_t position) {
  CAPTURE(text);
  const Failure failure = failure_of([&] { (void)parse_layout(text); });
  CHECK(failure.message == message);
  CHECK(failure.position == position);
}

}  // namespace

TEST_CASE("a layout gives the core dimensions of each operand") {
  const Layout layout = parse_layout("(m,n),(n,p)->(m,p)");
  CHECK(layout.text == "(m,n),(n,p)->(m,p)");
  REQUIRE(layout.dimensions.size() == 3);
  CHECK(layout.dimensions[0].name == "m");
  CHECK(layout.dimensions[1].name == "n");
  CHECK(layout.dimensions[2].name == "p");
  CHECK_FALSE(layout.dimensions[0].size.has_value());
  CHECK_FALSE(layout.dimensions[0].optional);
  CHECK_FALSE(layout.stretches(0, 0));
  CHECK(layout.inputs == std::vector<Indices>{{0, 1}, {1, 2}});
  CHECK(layout.outputs == std::vector<Indices>{{0, 2}});
  CHECK(layout.operands() == 3);
  CHECK(layout.of(1) == Indices{1, 2});
  CHECK(layout.of(2) == Indices{0, 2});
  CHECK(layout.find("p") == 2);
  CHECK_FALSE(layout.find("q").has_value());
  CHECK(layout.in_inputs(2));
}

TEST_CASE("operands without core dimensions, several outputs, a dimension twice, dimensions of outputs alone") {
  const Layout layout = parse_layout("(n,n),()->(),(n,q)");
  CHECK(layout.inputs == std::vector<Indices>{{0, 0}, {}});
  CHECK(layout.outputs == std::vector<Indices>{{}, {0, 1}});
  CHECK(layout.in_inputs(0));
  CHECK_FALSE(layout.in_inputs(1));
}

TEST_CASE("fixed sizes: equal ones are one dimension, however they are written") {
  const Layout layout = parse_layout("(3),(03,12),(n)->(0003)");
  REQUIRE(layout.dimensions.size() == 3);
  CHECK(layout.dimensions[0].name == "3");
  CHECK(layout.dimensions[0].size == 3);
  CHECK(layout.dimensions[1].size == 12);
  CHECK(layout.inputs == std::vector<Indices>{{0}, {0, 1}, {2}});
  CHECK(layout.outputs == std::vector<Indices>{{0}});
  CHECK(layout.find("3") == 0);
  CHECK_FALSE(layout.find("03").has_value());
  CHECK(parse_layout("(9223372036854775807)->()").dimensions[0].size == 9223372036854775807);
}

TEST_CASE("dimensions that may be left out, and that stretch") {
  const Layout matmul = parse_layout("(n?,k),(k,m?)->(n?,m?)");
  CHECK(matmul.dimensions[0].optional);
  CHECK_FALSE(matmul.dimensions[1].optional);
  CHECK(matmul.dimensions[2].optional);

  const Layout equal = parse_layout("(n|1),(n|1)->()");
  CHECK(equal.stretches(0, 0));
  CHECK(equal.stretches(1, 0));
  CHECK_FALSE(equal.dimensions[0].optional);
  // An output has the whole dimension, so that it is written without the mark.
  const Layout whole = parse_layout("(n|1),(n|1)->(n)");
  CHECK(whole.outputs == std::vector<Indices>{{0}});
  CHECK_FALSE(whole.stretches(2, 0));

  const Layout both = parse_layout("(n?|1),(3|1)->(n?)");
  CHECK(both.dimensions[0].optional);
  CHECK(both.stretches(0, 0));
  CHECK(both.stretches(1, 0));
  CHECK(parse_layout("(3?)->()").dimensions[0].optional);

  // The mark is that of one input's dimension, also where the name appears again.
  const Layout one = parse_layout("(i|1,j|1),(i|1,j),(),(j,j|1)->(i,j)");
  CHECK(one.inputs == std::vector<Indices>{{0, 1}, {0, 1}, {}, {1, 1}});
  CHECK(one.stretching == std::vector<std::vector<bool>>{{true, true}, {true, false}, {}, {false, true}});
}

TEST_CASE("blanks stand anywhere between two words") {
  const Layout layout = parse_layout(" \t( m , n\t) ,\t( )->( m ) \t");
  CHECK(layout.inputs == std::vector<Indices>{{0, 1}, {}});
  CHECK(layout.outputs == std::vector<Indices>{{0}});
  const Layout lines = parse_layout("\n  (m,n),\r\n\t(n)\n  ->(m)\n");
  CHECK(lines.inputs == std::vector<Indices>{{0, 1}, {1}});
  CHECK(lines.text == "(m,n), (n) ->(m)");
  check_layout_failure("\n(m)-()", "expected ',' or \"->\" after an input, found '-'", 4);
}

TEST_CASE("every error of a layout has its place") {
  check_layout_failure("", "expected '(' before the core dimensions of an input, found the end of the text", 0);
  check_layout_failure("->(n)", "expected '(' before the core dimensions of an input, found '-'", 0);
  check_layout_failure("n->()", "expected '(' before the core dimensions of an input, found 'n'", 0);
  check_layout_failure("(n", "expected ')' or ',' after a core dimension, found the end of the text", 2);
  check_layout_failure("(n m)->()", "expected ')' or ',' after a core dimension, found 'm'", 3);
  check_layout_failure("(n,)->()", "expected the name or the size of a core dimension, found ')'", 3);
  check_layout_failure("(,n)->()", "expected the name or the size of a core dimension, found ','", 1);
  check_layout_failure("((n))->()", "expected the name or the size of a core dimension, found '('", 1);
  check_layout_failure("(n)", "expected ',' or \"->\" after an input, found the end of the text", 3);
  check_layout_failure("(n)- >()", "expected ',' or \"->\" after an input, found '-'", 3);
  check_layout_failure("(n)(n)->()", "expected ',' or \"->\" after an input, found '('", 3);
  check_layout_failure("(n),->()", "expected '(' before the core dimensions of an input, found '-'", 4);
  check_layout_failure("(n)->", "expected '(' before the core dimensions of an output, found the end of the text", 5);
  check_layout_failure("(n)->(),", "expected '(' before the core dimensions of an output, found the end of the text", 8);
  check_layout_failure("(n)->()->()", "expected ',' or the end of the layout after an output, found '-'", 7);
  check_layout_failure("(n)->(n", "expected ')' or ',' after a core dimension, found the end of the text", 7);
}

TEST_CASE("every error of a core dimension has its place") {
  check_layout_failure("(0)->()", "the size of a core dimension is more than 0", 1);
  check_layout_failure("(+3)->()", "expected the name or the size of a core dimension, found '+'", 1);
  check_layout_failure("(-3)->()", "expected the name or the size of a core dimension, found '-'", 1);
  check_layout_failure("(3n)->()", "\"3n\" is neither a name nor a size: names begin with a letter", 1);
  check_layout_failure("(9223372036854775808)->()", "the size 9223372036854775808 does not fit in 64 bits", 1);
  check_layout_failure("(1.5)->()", "expected ')' or ',' after a core dimension, found '.'", 2);
  check_layout_failure("(int)->()", "\"int\" cannot be a core dimension's name: it is a C++ keyword", 1);
  check_layout_failure("(INFINITY)->()", "\"INFINITY\" cannot be a core dimension's name: it is a macro of C's <math.h>", 1);
  check_layout_failure("(n,int8)->()", "\"int8\" cannot be a core dimension's name: it is a name of kiln's own", 3);
  check_layout_failure("(n__)->()", "\"n__\" cannot be a core dimension's name: it is a name that C++ reserves for compilers",
                       1);
  check_layout_failure("(n ?)->()", "expected ')' or ',' after a core dimension, found '?'", 3);
  check_layout_failure("(?)->()", "expected the name or the size of a core dimension, found '?'", 1);
  check_layout_failure("(n?\?)->()", "expected ')' or ',' after a core dimension, found '?'", 3);
  check_layout_failure("(n|2)->()", "expected \"|1\" after a core dimension that stretches", 2);
  check_layout_failure("(n|)->()", "expected \"|1\" after a core dimension that stretches", 2);
  check_layout_failure("(n |1)->()", "expected ')' or ',' after a core dimension, found '|'", 3);
  check_layout_failure("(n|1?)->()", "expected ')' or ',' after a core dimension, found '?'", 4);
  check_layout_failure("(n|1)->(n|1)", "an output does not stretch: leave out its \"|1\"", 9);
  check_layout_failure("(n?,k),(k,n)->()",
                       "\"n\" is written with \"?\" before and without it here: write it the same way everywhere", 10);
  check_layout_failure("(n)->(n?)", "\"n\" is written with \"?\" here and without it before: write it the same way everywhere",
                       6);
  check_layout_failure("(3?),(3)->()",
                       "\"3\" is written with \"?\" before and without it here: write it the same way everywhere", 6);
}

TEST_CASE("a layout has at most 32 operands") {
  std::string text = "()";
  for (int i = 1; i < 31; ++i) text += ",()";
  CHECK(parse_layout(text + "->()").operands() == 32);
  check_layout_failure(text + "->(),()", "a gufunc has at most 32 inputs and outputs together, the layout has 33", 0);
}

TEST_CASE("no beginning of a layout makes the parser do anything but answer") {
  const std::string whole = " (n?|1, 03) ,(k|1,_x9 ),()\t->(n?, 3),(q) ";
  REQUIRE(parse_layout(whole).operands() == 5);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    for (const char c : std::string("(),->?|1n 0\t\n\xc3\0", 15)) {
      const std::string text = whole.substr(0, n) + c;
      try {
        (void)parse_layout(text);
      } catch (const kiln::SignatureError& error) {
        CHECK(error.position() <= text.size());
      }
    }
  }
}

// Each line of the file: the layout between quotes, then "error", or what NumPy reads: number of core dimensions of every
// operand; index of each; size of each distinct one (-1 where it has a name); which are optional.
TEST_CASE("layouts are what NumPy reads") {
  std::ifstream file(kiln::test::golden_text("layouts.txt"));
  REQUIRE(file);
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    CAPTURE(line);
    const std::size_t close = line.rfind('"');
    const std::string text = line.substr(1, close - 1);
    const std::string wanted = line.substr(close + 2);
    std::ostringstream read;
    try {
      const Layout layout = parse_layout(text);
      for (std::size_t i = 0; i < layout.operands(); ++i) read << layout.of(i).size() << ' ';
      read << '|';
      for (std::size_t i = 0; i < layout.operands(); ++i) {
        for (const std::size_t dimension : layout.of(i)) read << ' ' << dimension;
      }
      read << " |";
      for (const auto& dimension : layout.dimensions) read << ' ' << dimension.size.value_or(-1);
      read << " |";
      for (const auto& dimension : layout.dimensions) read << ' ' << dimension.optional;
    } catch (const kiln::SignatureError&) {
      read << "error";
    }
    CHECK(read.str() == wanted);
    ++cases;
  }
  CHECK(cases >= 500);
}
