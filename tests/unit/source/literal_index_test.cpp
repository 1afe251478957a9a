#include "source/literal_index.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kiln/error.hpp"

using kiln::codegen::Operand;
using kiln::codegen::UserText;

namespace {

using Form = Operand::Form;
const std::vector<Operand> kIndexed{{.name = "A", .form = Form::view, .extents = {"m", "n"}},
                                    {.name = "o", .form = Form::view, .extents = {""}, .writable = true},
                                    {.name = "w"},
                                    {.name = "p", .form = Form::pointer, .type = "float32"}};

std::string indexed_text(UserText text) {
  text.name = "k";
  try {
    kiln::codegen::check_literal_indices(text, kIndexed);
  } catch (const kiln::CompileError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    const kiln::Diagnostic& d = error.diagnostics().front();
    CHECK(d.file == "k");
    return std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.text;
  }
  return "";
}
std::string indexed(const std::string& body) {
  return indexed_text({.body = body});
}

}  // namespace

TEST_CASE("literal indices: negative ones") {
  const std::string rest = " is negative; indices count from 0, and the last is ";
  CHECK(indexed("w;\nw = A(-2, 0);") == "2:7: the index -2 of A" + rest + "m - 1");
  CHECK(indexed("w = A[0][-2];") == "1:10: the index -2 of A" + rest + "n - 1");
  CHECK(indexed("w = A.row(1)(-0x2);") == "1:14: the index -0x2 of A" + rest + "n - 1");
  CHECK(indexed("o(-1) = w;") == "1:3: the index -1 of o" + rest + "o.shape(0) - 1");
  for (const char* body : {"w = A(-0, n - 1);", "w = A(0, -n + n);", "w = p[-1];", "w = A(0, 1)[-1];", "w = A(-0.5, 0);",
                           "w = s.A(-1, 0) + f(-1, A);", "float* A = q; w = A[-1];", "#define A(i, j) 0\nw = A(-1, 0);",
                           "w = A([](int a, int b) { return -1; }(0, 1), g<1, -2>(3));"}) {
    CAPTURE(body);
    CHECK(indexed(body).empty());
  }
  CHECK(indexed_text({.body = "w = A(LAST, 0);", .preamble = "#define LAST -1"}).empty());
  CHECK(indexed_text({.body = "w = A(-1, 0);", .preamble = "#include \"macros.h\""}).empty());
}

TEST_CASE("literal indices: several in one subscript") {
  CHECK(indexed("w = A[0, 1];") == "1:5: A[…] takes one index; write A(i, j)");
  CHECK(indexed("w = p[0, 1];") ==
        "1:5: p is a pointer and has one index, of its elements in C order; write p[i * columns + j], or declare a view in the "
        "signature: float32[:,:] p");
  for (const char* body : {"w = A[(0, 1)][0];", "w = A[max(0, 1)][0];", "w = t[0, 1];", "auto f = [A, p] { return 1; };"}) {
    CAPTURE(body);
    CHECK(indexed(body).empty());
  }
}
