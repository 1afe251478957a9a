// Type signatures of generalized ufuncs, which are read against a layout.
#include <doctest/doctest.h>

#include <string>

#include "signature/failure.hpp"
#include "signature/layout.hpp"
#include "signature/signature.hpp"

using kiln::DType;
using kiln::signature::Layout;
using kiln::signature::parse;
using kiln::signature::parse_kernel;
using kiln::signature::parse_layout;

namespace {

void check_failure(std::string_view layout, std::string_view text, std::string_view message, std::size_t position) {
  CAPTURE(text);
  const Layout parsed = parse_layout(layout);
  const Failure failure = failure_of([&] { (void)parse(text, parsed); });
  CHECK(failure.message == message);
  CHECK(failure.position == position);
}

}  // namespace

TEST_CASE("a gufunc's last parameters are its outputs, and each has its core dimensions") {
  const auto s = parse("void(float32[:,:] A, float64[:] x, float32[:] y)", parse_layout("(m,n),(n)->(m)"));
  REQUIRE(s.inputs.size() == 2);
  REQUIRE(s.outputs.size() == 1);
  CHECK(s.inputs[0].type.dtype == DType::float32);
  CHECK(s.inputs[0].name == "A");
  CHECK(s.inputs[0].dimensions == 2);
  CHECK(s.inputs[1].type.dtype == DType::float64);
  CHECK(s.inputs[1].dimensions == 1);
  CHECK(s.outputs[0].name == "y");
  CHECK(s.outputs[0].dimensions == 1);
  CHECK(s.named_outputs);
  CHECK(s.text == "void(float32[:,:] A, float64[:] x, float32[:] y)");
}

TEST_CASE("a gufunc's constants are scalar inputs") {
  const Layout layout = parse_layout("(n),()->(n)");
  const auto s = parse("void(float32[:] x, constant int32 r, float32[:] y)", layout);
  CHECK_FALSE(s.inputs[0].constant);
  CHECK(s.inputs[1].constant);
  CHECK(parse_kernel("void f(float32[:] x, constant int32 r, float32[:] y) { }", layout).signature.text == s.text);
  check_failure("(n),()->(n)", "void(constant float32[:] x, int32 r, float32[:] y)",
                "an array cannot be \"constant\": only the value of a scalar is part of the kernel", 14);
  check_failure("(n)->()", "void(float32[:] x, constant float32 y)",
                "an output cannot be \"constant\": only the value of an input is part of the kernel", 36);
}

TEST_CASE("a gufunc's scalars, type variables, blanks, and names left out as Numba does") {
  const auto numba = parse("void(float32[:], float32, float32[:])", parse_layout("(n),()->(n)"));
  CHECK(numba.inputs[0].dimensions == 1);
  CHECK(numba.inputs[1].dimensions == 0);
  CHECK(numba.inputs[1].name.empty());

  const auto open =
      parse(" void ( T [ : , : ] a , U b , T [ : ] r ) where T : float32 , float64", parse_layout("(m,n),()->(m)"));
  REQUIRE(open.variables.size() == 2);
  CHECK(open.variables[0].choices.size() == 2);
  CHECK(open.inputs[0].dimensions == 2);
  CHECK_FALSE(open.outputs[0].type.dtype.has_value());

  // A result without core dimensions is a scalar that the body assigns, or Numba's array of one element.
  const Layout inner = parse_layout("(n),(n)->(),()");
  const auto both = parse("void(int8[:] a, int8[:] b, int64 s, int64[:] t)", inner);
  CHECK(both.outputs[0].dimensions == 0);
  CHECK(both.outputs[1].dimensions == 1);
}

TEST_CASE("every error of a gufunc's signature has its place") {
  constexpr std::string_view kMoving = "(n),()->(n)";
  check_failure(kMoving, "", "a gufunc's signature begins with \"void\": its outputs are its last parameters", 0);
  check_failure(kMoving, " float32(float32[:] a)",
                "a gufunc's signature begins with \"void\": its outputs are its last parameters", 1);
  check_failure(kMoving, "(float32 r)(float32[:] a)",
                "a gufunc's signature begins with \"void\": its outputs are its last parameters", 0);
  check_failure(kMoving, "void", "expected '(' before the parameters, found the end of the text", 4);
  check_failure(kMoving, "void()", "the layout (n),()->(n) has 2 inputs and 1 output: give one parameter for each", 5);
  check_failure(kMoving, "void(int8[:] a, int8 b)",
                "the layout (n),()->(n) has 2 inputs and 1 output: give one parameter for each", 22);
  check_failure(kMoving, "void(int8[:] a, int8 b, int8[:] c, int8 d)",
                "the layout (n),()->(n) has 2 inputs and 1 output: give one parameter for each", 35);
  check_failure("()->(),()", "void(int8 a)", "the layout ()->(),() has 1 input and 2 outputs: give one parameter for each", 11);
  check_failure(kMoving, "void(int8 a, int8 b, int8[:] c)",
                "input 0 has the core dimensions (n) in the layout (n),()->(n): write \"int8[:]\"", 9);
  check_failure(kMoving, "void(int8[:,:] a, int8 b, int8[:] c)",
                "input 0 has the core dimensions (n) in the layout (n),()->(n): write \"int8[:]\"", 9);
  check_failure(kMoving, "void(int8[:] a, int8[:,:] b, int8[:] c)",
                "input 1 has no core dimensions in the layout (n),()->(n): write \"int8\" or \"int8[:]\"", 20);
  check_failure("(m,3)->(m,3)", "void(T[:,:] a, T[:] b)",
                "output 0 has the core dimensions (m,3) in the layout (m,3)->(m,3): write \"T[:,:]\"", 16);
  check_failure("(n)->()", "void(T[:] a, T[:,:] b)",
                "output 0 has no core dimensions in the layout (n)->(): write \"T\" or \"T[:]\"", 14);
  check_failure(kMoving, "void(int8[] a, int8 b, int8[:] c)",
                "expected ':' for each core dimension, as in \"float32[:,:]\", found ']'", 10);
  check_failure(kMoving, "void(int8[3] a, int8 b, int8[:] c)",
                "expected ':' for each core dimension, as in \"float32[:,:]\", found '3'", 10);
  check_failure(kMoving, "void(int8[:; a, int8 b, int8[:] c)", "expected ']' or ',' after ':', found ';'", 11);
  check_failure(kMoving, "void(int8[:] a int8 b)", "expected ')' or ',' after a parameter, found 'i'", 15);
  check_failure(kMoving, "void(int8[:] a, void b, int8[:] c)", "a parameter has a dtype, \"void\" is none", 16);
  check_failure(kMoving, "void(int8[:] a, , int8[:] c)", "expected the type of a parameter, found ','", 16);
  check_failure(kMoving, "void(int8[:] a, int8 a, int8[:] c)", "the name \"a\" is used twice", 21);
  check_failure(kMoving, "void(int8[:] a, int8 b, int8[:] a)", "the name \"a\" is used twice", 32);
  check_failure(kMoving, "void(int8[:] a, int8 n, int8[:] c)",
                "the name \"n\" is used twice: as a core dimension and as a parameter", 21);
  check_failure("(N)->(N)", "void(N[:] a, N[:] b)", "the name \"N\" is used twice: as a core dimension and as a type", 5);
  check_failure(kMoving, "void(int8[:] class, int8 n, int8[:] c)",
                "\"class\" cannot be a parameter's name: it is a C++ keyword", 13);
  check_failure(kMoving, "void(int8[:] a, int8 b, T[:] c)",
                "the type variable \"T\" stands in no input, so nothing decides it (dtypes have lower-case names)", 24);
  check_failure(kMoving, "void(int8[:] a, int8 b, int8[:] c) x", "expected the end of the signature, found 'x'", 35);
}

TEST_CASE("a whole gufunc in one string") {
  const Layout layout = parse_layout("(m,n),(n,p)->(m,p)");
  const auto kernel = parse_kernel("void mm(T[:,:] A, T[:,:] B, T[:,:] C) where T: float32 { C(0, 0) = A(0, 0); }", layout);
  CHECK(kernel.name == "mm");
  CHECK_FALSE(kernel.expression);
  CHECK(kernel.body == " C(0, 0) = A(0, 0); ");
  CHECK(kernel.signature.text == "void(T[:,:] A, T[:,:] B, T[:,:] C) where T: float32");
  CHECK(parse(kernel.signature.text, layout).inputs[1].name == "B");

  const auto failure = [&](std::string_view text) { return failure_of([&] { (void)parse_kernel(text, layout); }); };
  CHECK(failure("void mm(T[:,:] A, T[:,:] B, T[:,:] C) = A").message ==
        "a gufunc has a body in braces, which writes its outputs, and no '= expression'");
  CHECK(failure("void mm(T[:,:] A, T[:,:] B, T[:,:] C) = A").position == 38);
  CHECK(failure("void mm(T[:,:] A, T[:,:] B, T[:,:] C)").message == "expected '{ body }', found the end of the text");
  CHECK(failure("void (T[:,:] A, T[:,:] B, T[:,:] C) {}").message == "expected the kernel's name after its result, found '('");
  CHECK(failure("T mm(T[:,:] A, T[:,:] B, T[:,:] C) {}").position == 0);
}

TEST_CASE("no beginning of a gufunc's signature makes the parser do anything but answer") {
  const Layout layout = parse_layout("(m,n),()->(m),()");
  const std::string whole = "void(T[:,:] A, U x, T[:] y, float32[:] z) where T: int8, U: float16";
  REQUIRE(parse(whole, layout).outputs.size() == 2);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    for (const char c : std::string("(),[]:T 3\n\xc3\0", 12)) {
      const std::string text = whole.substr(0, n) + c;
      try {
        (void)parse(text, layout);
      } catch (const kiln::SignatureError& error) {
        CHECK(error.position() <= text.size());
      }
    }
  }
}
