#include "signature/size_rules.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "signature/failure.hpp"
#include "support/golden_texts.hpp"

using kiln::signature::Layout;
using kiln::signature::parse_layout;
using kiln::signature::parse_shared_arrays;
using kiln::signature::parse_size_rules;
using kiln::signature::SizeRules;
using Sizes = std::vector<std::int64_t>;

namespace {

void check_rule_failure(std::string_view text, const Layout& layout, std::string_view message, std::size_t position) {
  CAPTURE(text);
  const Failure failure = failure_of([&] { (void)parse_size_rules(text, layout); });
  CHECK(failure.message == message);
  CHECK(failure.position == position);
}

std::int64_t value_of(const std::string& expression, std::int64_t m, std::int64_t n) {
  const Layout layout = parse_layout("(m),(n)->(p)");
  const SizeRules rules = parse_size_rules("p = " + expression, layout);
  REQUIRE(rules.size() == 1);
  return evaluate(rules[0], layout, Sizes{m, n, -1}, "f");
}

std::string shape_error_of(const std::string& expression, std::int64_t m, std::int64_t n) {
  try {
    (void)value_of(expression, m, n);
  } catch (const kiln::ShapeError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a size rule is an integer expression over core dimensions") {
  CHECK(value_of("m + n - 1", 5, 4) == 8);
  CHECK(value_of("m+n*2", 5, 4) == 13);
  CHECK(value_of("(m + n) * 2", 5, 4) == 18);
  CHECK(value_of("m - n - 1", 9, 4) == 4);
  CHECK(value_of("m / n / 2", 100, 5) == 10);
  CHECK(value_of("m * (m - 1) / 2", 7, 0) == 21);
  CHECK(value_of("m % n", 17, 5) == 2);
  CHECK(value_of("- -m", 3, 0) == 3);
  CHECK(value_of("-(m - n)", 3, 8) == 5);
  CHECK(value_of("min(m, n)", 3, 8) == 3);
  CHECK(value_of("max(m, n, 9)", 3, 8) == 9);
  CHECK(value_of("max(m)", 3, 8) == 3);
  CHECK(value_of("min ( m , max( n, 2 ) )", 9, 1) == 2);
  CHECK(value_of("12", 0, 0) == 12);
  CHECK(value_of("m", 0, 0) == 0);
}

TEST_CASE("division and remainder of size rules round down") {
  CHECK(value_of("(m - n) / 2 + 9", 0, 7) == 5);
  CHECK(value_of("(m - n) % 4", 0, 7) == 1);
  CHECK(value_of("(m - n) / -2", 0, 7) == 3);
  CHECK(value_of("m % -4 + 9", 7, 0) == 8);
  CHECK(value_of("(m - n) / 2 + 9", 0, 8) == 5);
  CHECK(value_of("m % -1", 7, 0) == 0);
}

TEST_CASE("a size rule that fails says with which sizes") {
  CHECK(shape_error_of("m - n", 3, 5) == "f: the size rule \"p = m - n\" gives -2 with m = 3, n = 5; a size is 0 or more");
  CHECK(shape_error_of("-3", 3, 5) == "f: the size rule \"p = -3\" gives -3; a size is 0 or more");
  CHECK(shape_error_of("m / (n - 5)", 3, 5) == "f: the size rule \"p = m / (n - 5)\" divides by zero with m = 3, n = 5");
  CHECK(shape_error_of("m % n", 3, 0) == "f: the size rule \"p = m % n\" divides by zero with m = 3, n = 0");
  CHECK(shape_error_of("m * m * 9", std::int64_t{1} << 31, 0) ==
        "f: the size rule \"p = m * m * 9\" overflows with m = 2147483648");
  CHECK(shape_error_of("m + 9223372036854775807", 1, 0).find("overflows with m = 1") != std::string::npos);
  CHECK(shape_error_of("-9223372036854775807 - m - n", 1, 1).find("overflows") != std::string::npos);
  CHECK(shape_error_of("-(-9223372036854775807 - m)", 1, 1).find("overflows") != std::string::npos);
  CHECK(shape_error_of("(-9223372036854775807 - m) / -1", 1, 1).find("overflows") != std::string::npos);
  CHECK(value_of("(-9223372036854775807 - m) % -1", 1, 1) == 0);
}

TEST_CASE("rules use sizes of inputs, fixed names and of rules before them") {
  const Layout layout = parse_layout("(m,3),(n)->(p,q),(min)");
  const SizeRules rules = parse_size_rules(" p = m + n - 1 ,\tq = 2*p, min = min(q, min(p, 5)) ", layout);
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].text == "p = m + n - 1");
  CHECK(rules[1].text == "q = 2*p");
  CHECK(rules[0].dimension == 3);
  CHECK(rules[1].dimension == 4);
  CHECK(rules[2].dimension == 5);
  CHECK(evaluate(rules[1], layout, Sizes{5, 3, 4, 8, -1, -1}, "f") == 16);
  CHECK(evaluate(rules[2], layout, Sizes{5, 3, 4, 8, 16, -1}, "f") == 5);
  CHECK(parse_size_rules("", layout).empty());
  CHECK(parse_size_rules(" \t", layout).empty());
}

TEST_CASE("every error of a size rule has its place") {
  const Layout layout = parse_layout("(m),(n,3)->(p,q,r?)");
  check_rule_failure("p", layout, "expected '=' after the core dimension, found the end of the text", 1);
  check_rule_failure("p =", layout, "expected a core dimension, a number or '(', found the end of the text", 3);
  check_rule_failure("p = m +", layout, "expected a core dimension, a number or '(', found the end of the text", 7);
  check_rule_failure("p = m n", layout, "expected an operator, ',' or the end of the size rules, found 'n'", 6);
  check_rule_failure("p = 3n", layout, "expected an operator, ',' or the end of the size rules, found 'n'", 5);
  check_rule_failure("p = m ** 2", layout, "expected a core dimension, a number or '(', found '*'", 7);
  check_rule_failure("p = (m", layout, "expected ')' or an operator in a size rule, found the end of the text", 6);
  check_rule_failure("p = min(m, n", layout, "expected ')' after the arguments of min, found the end of the text", 12);
  check_rule_failure("p = max()", layout, "expected a core dimension, a number or '(', found ')'", 8);
  check_rule_failure("p = min", layout, "\"min\" is no core dimension of (m),(n,3)->(p,q,r?); it has m, n, p, q, r", 4);
  check_rule_failure("p = m,", layout,
                     "expected the name of the core dimension that a size rule is for, found the end of the text", 6);
  check_rule_failure(", p = m", layout, "expected the name of the core dimension that a size rule is for, found ','", 0);
  check_rule_failure("3 = m", layout, "expected the name of the core dimension that a size rule is for, found '3'", 0);
  check_rule_failure("x = m", layout, "\"x\" is no core dimension of (m),(n,3)->(p,q,r?); it has m, n, p, q, r", 0);
  check_rule_failure("p = m + x", layout, "\"x\" is no core dimension of (m),(n,3)->(p,q,r?); it has m, n, p, q, r", 8);
  check_rule_failure("n = m", layout, "the inputs decide \"n\"; size rules are for dimensions that only outputs have", 0);
  check_rule_failure("p = m, p = n", layout, "\"p\" has two size rules", 7);
  check_rule_failure("r = m", layout, "\"r\" may be left out ('?'); a size rule is for a dimension that is always there", 0);
  check_rule_failure("p = q", layout, "the size of \"q\" is not known here: no input has it, and no size rule before this one",
                     4);
  check_rule_failure("p = p", layout, "the size of \"p\" is not known here: no input has it, and no size rule before this one",
                     4);
  check_rule_failure("p = 9223372036854775808", layout, "the number 9223372036854775808 does not fit in 64 bits", 4);
  check_rule_failure("p = m; q = m", layout, "expected an operator, ',' or the end of the size rules, found ';'", 5);
  check_rule_failure("p = 1", parse_layout("(3)->(4)"), "\"p\" is no core dimension of (3)->(4): it has none with a name", 0);
  check_rule_failure("p = " + std::string(100, '(') + "m", layout, "the size rule is nested more than 64 deep", 69);
  check_rule_failure("p = " + std::string(100, '-') + "m", layout, "the size rule is nested more than 64 deep", 69);
}

TEST_CASE("shared arrays have a type and a count of any dimensions") {
  const Layout layout = parse_layout("(m),(n)->(p)");
  const auto arrays = parse_shared_arrays(" T[n] ,index [ 2*(m + p) - 1 ]", layout);
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].type == "T");
  CHECK(arrays[0].position == 1);
  CHECK(arrays[0].count.text == "T[n]");
  CHECK(evaluate(arrays[0].count, layout, Sizes{3, 4, 5}, "f") == 4);
  CHECK(arrays[1].type == "index");
  CHECK(evaluate(arrays[1].count, layout, Sizes{3, 4, 5}, "f") == 15);
  CHECK(parse_shared_arrays("", layout).empty());
  CHECK(parse_shared_arrays(" ", layout).empty());
  std::string message;
  try {
    (void)evaluate(parse_shared_arrays("int8[m - n]", layout)[0].count, layout, Sizes{3, 4, 5}, "f");
  } catch (const kiln::ShapeError& error) {
    message = error.what();
  }
  CHECK(message == "f: the shared array \"int8[m - n]\" gives -1 with m = 3, n = 4; a size is 0 or more");
  const auto check_failure = [&](std::string_view text, std::string_view wanted, std::size_t position) {
    CAPTURE(text);
    const Failure failure = failure_of([&] { (void)parse_shared_arrays(text, layout); });
    CHECK(failure.message == wanted);
    CHECK(failure.position == position);
  };
  check_failure("4 * n", "expected the type of a shared array, as in \"float32[n]\", found '4'", 0);
  check_failure("T[n],", "expected the type of a shared array, as in \"float32[n]\", found the end of the text", 5);
  check_failure("T", "expected '[' and the number of elements after the type of a shared array, found the end of the text", 1);
  check_failure("T[", "expected a core dimension, a number or '(', found the end of the text", 2);
  check_failure("T[n", "expected ']' or an operator after the number of elements, found the end of the text", 3);
  check_failure("T[q]", "\"q\" is no core dimension of (m),(n)->(p); it has m, n, p", 2);
  check_failure("T[n] S[n]", "expected ',' or the end of the shared arrays, found 'S'", 5);
}

TEST_CASE("no beginning of a size rule makes the parser do anything but answer") {
  const Layout layout = parse_layout("(m),(n)->(p,q)");
  const std::string whole = "p = m + (n - 1) * 2 % max(m, 3), q = -p / min(m, n, 12)";
  REQUIRE(parse_size_rules(whole, layout).size() == 2);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    for (const char c : std::string("(),=*/%-+mx7 \n\xc3\0", 16)) {
      const std::string text = whole.substr(0, n) + c;
      try {
        (void)parse_size_rules(text, layout);
      } catch (const kiln::SignatureError& error) {
        CHECK(error.position() <= text.size());
      }
    }
  }
}

// Each line: m, n, the expression, and its value in Python; "error" where that divides by zero or leaves 64 bits on the way.
TEST_CASE("size rules give what Python computes") {
  std::ifstream file(kiln::test::golden_text("size_rules.txt"));
  REQUIRE(file);
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    CAPTURE(line);
    std::istringstream words(line);
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::string expression;
    std::string wanted;
    words >> m >> n;
    std::getline(words >> std::ws, expression, ';');
    words >> wanted;
    std::string got = "error";
    try {
      got = std::to_string(value_of(expression, m, n));
    } catch (const kiln::ShapeError&) {
    }
    CHECK(got == wanted);
    ++cases;
  }
  CHECK(cases >= 400);
}
