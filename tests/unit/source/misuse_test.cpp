// Errors of compilers at operands, in the words of the definition: which are changed, and which stay. That compilers have such
// errors is tests/conformance/misuse_test.cpp's.
#include "source/misuse.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using kiln::Diagnostic;
using kiln::codegen::Operand;

namespace {

using Form = Operand::Form;
// Of a generalized ufunc, and of a raw kernel.
const std::vector<Operand> kNamed{{.name = "A", .form = Form::view, .extents = {"m", "n"}},
                                  {.name = "w"},
                                  {.name = ""},
                                  {.name = "y", .form = Form::view, .extents = {"n"}, .writable = true},
                                  {.name = "u", .form = Form::view, .extents = {""}, .type = "float32"},
                                  {.name = "p", .form = Form::pointer, .type = "T"}};

/// "LINE:COLUMN: text" of each.
std::string worded(const std::string& body, std::vector<Diagnostic> found) {
  std::string all;
  for (const Diagnostic& each : kiln::codegen::in_words_of_operands(std::move(found), "k", body, kNamed)) {
    all += (all.empty() ? "" : "\n") + std::to_string(each.line) + ":" + std::to_string(each.column) + ": " + each.text;
  }
  return all;
}
std::string worded(const std::string& body, int column, const std::string& text) {
  return worded(body, {{.file = "k", .line = 1, .column = column, .text = text}});
}

const std::string kWrongCount = "the number of indices is not that of the operand's dimensions";

}  // namespace

TEST_CASE("misuse: the place is that of the operand, and the line is its") {
  const auto found = kiln::codegen::in_words_of_operands({{.file = "k", .line = 2, .column = 8, .text = kWrongCount}}, "k",
                                                         "w;\n  w = A(0);", kNamed);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "A has 2 indices, 1 given; write A(i, j), or A[i] for a row");
  CHECK(found[0].column == 7);
  CHECK(found[0].source_line == "  w = A(0);");
}

TEST_CASE("misuse: what stays as the compiler has it") {
  const std::string text = "invalid operands to binary expression ('int' and 's')";
  CHECK(worded("w = s + A(0, 0);", 7, text) == "1:7: " + text);
  CHECK(worded("A(0, 0) < s;", 9, text) == "1:9: " + text);
  CHECK(worded("w = A(none);", 7, "use of undeclared identifier 'none'") == "1:7: use of undeclared identifier 'none'");
  // Other texts, notes, places behind the text, and names that the body may declare.
  CHECK(worded("A(0);", {{.file = "k.functions", .line = 1, .column = 2, .text = kWrongCount}}) == "1:2: " + kWrongCount);
  CHECK(worded("A(0);", {{.severity = kiln::Severity::note, .file = "k", .line = 1, .column = 2, .text = kWrongCount}}) ==
        "1:2: " + kWrongCount);
  CHECK(worded("A(0);", {{.file = "k", .line = 9, .column = 2, .text = kWrongCount}}) == "9:2: " + kWrongCount);
  CHECK(worded("", 1, kWrongCount) == "1:1: " + kWrongCount);
  CHECK(worded("auto A = y; A(0);", 14, kWrongCount) == "1:14: " + kWrongCount);
  CHECK(worded("auto f = [](auto g) { g(0); };", 24, kWrongCount) == "1:24: " + kWrongCount);
  CHECK(worded("A(TWO);", 2, "no matching function for call to 'mine'") == "1:2: no matching function for call to 'mine'");
  CHECK(worded("mine(A, 1);", 1, "no matching function for call to 'mine'") == "1:1: no matching function for call to 'mine'");
}

TEST_CASE("misuse: an error that follows from another is not repeated") {
  const Diagnostic first{.file = "k", .line = 1, .column = 5, .text = "a view is no pointer or number"};
  const Diagnostic second{
      .file = "k", .line = 1, .column = 3, .text = "a value of type \"float *\" cannot be assigned to an entity"};
  CHECK(
      worded("w = u + 1;", {first, second}) ==
      "1:5: u is a view of 1 dimension, and no number or pointer; write u(i), for the address of an element &u(i), or declare "
      "a pointer in the signature: const float32* u");
}
