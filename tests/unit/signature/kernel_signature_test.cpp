#include "signature/kernel_signature.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "kiln/error.hpp"

using kiln::DType;
using kiln::SignatureError;
using kiln::signature::bound_text;
using kiln::signature::KernelSignature;
using kiln::signature::parse_raw;

namespace {

void check_failure(std::string_view text, std::string_view message, std::size_t position) {
  CAPTURE(text);
  try {
    static_cast<void>(parse_raw(text));
    FAIL_CHECK("nothing was thrown");
  } catch (const SignatureError& error) {
    CAPTURE(error.what());
    CHECK(std::string_view(error.what()).starts_with(message));
    CHECK(error.position() == position);
  }
}

}  // namespace

TEST_CASE("raw signatures: views, scalars, type variables") {
  const KernelSignature s =
      parse_raw(" void ( const float32 [ : ] x , T[:,:] y, int64 n,U a ) where U: int8, T: float32, float64 ");
  REQUIRE(s.parameters.size() == 4);
  CHECK(s.parameters[0].read_only);
  CHECK(s.parameters[0].array);
  CHECK(s.parameters[0].dimensions == 1);
  CHECK(s.parameters[0].type.dtype == DType::float32);
  CHECK(s.parameters[0].name == "x");
  CHECK_FALSE(s.parameters[1].read_only);
  CHECK(s.parameters[1].dimensions == 2);
  CHECK(s.parameters[1].type.variable == 0);
  CHECK_FALSE(s.parameters[2].array);
  CHECK(s.parameters[3].type.variable == 1);
  REQUIRE(s.variables.size() == 2);
  CHECK(s.variables[0].choices == std::vector{DType::float32, DType::float64});
  CHECK(s.variables[1].choices == std::vector{DType::int8});
  CHECK(bound_text(s, std::array{DType::float64, DType::int8}) == "void(const float32[:] x, float64[:,:] y, int64 n, int8 a)");
}

TEST_CASE("raw signatures: pointers") {
  const KernelSignature s = parse_raw("void(const T* x, float32 *y, float32[:] z) where T: int8");
  REQUIRE(s.parameters.size() == 3);
  CHECK(s.parameters[0].array);
  CHECK(s.parameters[0].read_only);
  CHECK(s.parameters[0].dimensions == 0);
  CHECK(s.parameters[1].array);
  CHECK_FALSE(s.parameters[1].read_only);
  CHECK(s.parameters[1].type.dtype == DType::float32);
  CHECK(bound_text(s, std::array{DType::int8}) == "void(const int8* x, float32* y, float32[:] z)");
  CHECK(parse_raw("void( )").parameters.empty());
  CHECK(type_text(s, s.parameters[0]) == "T");
  CHECK(type_text(s, s.parameters[1]) == "float32");
}

TEST_CASE("raw signatures: constants") {
  const KernelSignature s = parse_raw("void(const T[:] x, constant T a, constant int64 n, int64 constant)");
  CHECK_FALSE(s.parameters[0].constant);
  CHECK(s.parameters[1].constant);
  CHECK_FALSE(s.parameters[1].read_only);
  CHECK(s.parameters[2].constant);
  CHECK_FALSE(s.parameters[3].constant);
  CHECK(s.parameters[3].name == "constant");
  CHECK(bound_text(s, std::array{DType::int8}) == "void(const int8[:] x, constant int8 a, constant int64 n, int64 constant)");
  check_failure("void(constant int8[:] x)", "an array cannot be \"constant\": only the value of a scalar is part of the kernel",
                14);
  check_failure("void(constant int8* x)", "an array cannot be \"constant\"", 14);
}

TEST_CASE("raw signatures: what is none, and where") {
  check_failure("void fill(float32[:] x)",
                "a signature beside its body has no name: leave \"fill\" out here, and give it as .name", 5);
  check_failure("float32(float32[:] x)",
                "a raw kernel gives nothing back: its signature begins with \"void\", and it writes to arrays", 0);
  check_failure("", "a raw kernel gives nothing back", 0);
  check_failure("void float32[:] x", "expected '(' before the parameters", 5);
  check_failure("void(,)", "expected the type of a parameter, found ','", 5);
  check_failure("void(float32[:] x,)", "expected a parameter", 18);
  check_failure("void(float32[:])", "expected the parameter's name, by which the body knows it, found ')'", 15);
  check_failure("void(float32[] x)", "expected ':' for each dimension, as in \"float32[:,:]\", found ']'", 13);
  check_failure("void(float32[:;] x)", "expected ']' or ',' after ':', found ';'", 14);
  check_failure("void(float31[:] x)", "unknown dtype \"float31\"", 5);
  check_failure("void(float32** x)", "expected the parameter's name, by which the body knows it, found '*'", 13);
  check_failure("void(float32*[:] x)", "expected the parameter's name, by which the body knows it, found '['", 13);
  check_failure("void(float32* item)", "\"item\" cannot be a parameter's name", 14);
  check_failure("void(const float32 a)", "a scalar is a copy of the argument: leave \"const\" out", 11);
  check_failure("void(float32[:] item)",
                "\"item\" cannot be a parameter's name: it is what the body of a raw kernel has of its own", 16);
  check_failure("void(HUGE_VAL[:] x)", "\"HUGE_VAL\" cannot be a type variable's name: it is a macro of C's <math.h>", 5);
  check_failure("void(int64 n, int64 n)", "the name \"n\" is used twice", 20);
  check_failure("void(T[:] T)", "the name \"T\" is used twice: as a type and as a parameter", 5);
  check_failure("void(int64 n) where T: int8", "\"T\" is restricted but not used as a type", 20);
  check_failure("void(int64 n) x", "expected the end of the signature, found 'x'", 14);
  std::string axes = "void(int8[:";
  for (int d = 1; d < 64; ++d) axes += ",:";
  CHECK(parse_raw(axes + "] x, int8* p)").parameters[0].dimensions == 64);
  check_failure(axes + "] x, int16[:] y)",
                "the arrays of a raw kernel have at most 64 dimensions together; a pointer has none: \"float32* x\"",
                axes.size() + 5);
  std::string many = "void(";
  for (int i = 0; i < 33; ++i) many += (i == 0 ? "int8 p" : ", int8 p") + std::to_string(i);
  check_failure(many + ")", "a raw kernel has at most 32 parameters", many.find("int8 p32"));
}
