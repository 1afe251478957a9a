#include <doctest/doctest.h>

#include <string>

#include "signature/failure.hpp"
#include "signature/signature.hpp"

using kiln::DType;
using kiln::SignatureError;
using kiln::signature::parse;
using kiln::signature::parse_kernel;

namespace {

void check_parse_failure(std::string_view text, std::string_view message, std::size_t position) {
  CAPTURE(text);
  const Failure failure = failure_of([&] { (void)parse(text); });
  CAPTURE(failure.message);
  CHECK(failure.message.find(message) != std::string::npos);
  CHECK(failure.below.find(text) != std::string::npos);
  CHECK(failure.position == position);
}

}  // namespace

TEST_CASE("a signature gives types and names") {
  const auto s = parse("float32(float32 a, int64 b)");
  REQUIRE(s.inputs.size() == 2);
  CHECK(s.inputs[0].type.dtype == DType::float32);
  CHECK(s.inputs[0].name == "a");
  CHECK(s.inputs[1].type.dtype == DType::int64);
  CHECK(s.inputs[1].name == "b");
  REQUIRE(s.outputs.size() == 1);
  CHECK(s.outputs[0].type.dtype == DType::float32);
  CHECK_FALSE(s.named_outputs);
  CHECK(s.variables.empty());
}

TEST_CASE("names may be left out, blanks may stand anywhere") {
  const auto s = parse("  bool ( complex64 ,\tbfloat16 )\n");
  CHECK(s.inputs[0].name.empty());
  CHECK(s.inputs[1].type.dtype == DType::bfloat16);
  CHECK(s.outputs[0].type.dtype == DType::bool_);
}

TEST_CASE("several outputs are named") {
  const auto s = parse("(int32 q, int32 r)(int32 a, int32 b)");
  REQUIRE(s.outputs.size() == 2);
  CHECK(s.named_outputs);
  CHECK(s.outputs[1].name == "r");
}

TEST_CASE("type variables, open and restricted") {
  const auto open = parse("T(T a, U b)");
  REQUIRE(open.variables.size() == 2);
  CHECK(open.variables[0].choices.empty());
  CHECK(open.inputs[1].type.variable == 1);
  CHECK_FALSE(open.outputs[0].type.dtype.has_value());

  const auto restricted = parse("T(T a, U b, int32 n) where T: float32, float64, U: int8");
  REQUIRE(restricted.variables.size() == 2);
  CHECK(restricted.variables[0].choices == std::vector<DType>{DType::float32, DType::float64});
  CHECK(restricted.variables[1].choices == std::vector<DType>{DType::int8});
}

TEST_CASE("constants: a qualifier of inputs") {
  const auto s = parse("float32(float32 x, constant int32 n, constant T)");
  REQUIRE(s.inputs.size() == 3);
  CHECK_FALSE(s.inputs[0].constant);
  CHECK(s.inputs[1].constant);
  CHECK(s.inputs[1].name == "n");
  CHECK(s.inputs[1].position == 34);
  CHECK(s.inputs[2].constant);
  CHECK(s.inputs[2].type.variable == 0);
  CHECK(s.text == "float32(float32 x, constant int32 n, constant T)");
  // A name like any other where no type follows.
  CHECK(parse("float32(float32 constant)").inputs[0].name == "constant");
  CHECK_FALSE(parse("float32(float32 constant)").inputs[0].constant);
  const auto kernel = parse_kernel("float32 f(float32 x, constant int32 n) = x * n");
  CHECK(kernel.signature.text == "float32(float32 x, constant int32 n)");
  CHECK(kernel.signature.inputs[1].constant);
  check_parse_failure("(constant int32 q)(int32 a)",
                      "an output cannot be \"constant\": only the value of an input is part of the kernel", 16);
  check_parse_failure("constant float32(float32 a)", "unknown dtype \"constant\"", 0);
  check_parse_failure("float32(constant constant int32 n)", "unknown dtype \"constant\"", 17);
}

TEST_CASE("raw: a qualifier of inputs and named outputs") {
  const auto s = parse("(raw float32 y, T z)(float32 x, raw T table)");
  CHECK(s.outputs[0].raw);
  CHECK_FALSE(s.outputs[1].raw);
  CHECK_FALSE(s.inputs[0].raw);
  CHECK(s.inputs[1].raw);
  CHECK(s.inputs[1].name == "table");
  CHECK(s.text == "(raw float32 y, T z)(float32 x, raw T table)");
  CHECK(parse("float32(float32 raw)").inputs[0].name == "raw");
  CHECK(parse_kernel("float32 f(raw float32 t, int32 k) = t[k]").signature.inputs[0].raw);
  check_parse_failure("raw float32(float32 x)", "unknown dtype \"raw\"", 0);
  check_parse_failure("float32(constant raw float32 x)", "an array cannot be \"constant\"", 17);
  check_parse_failure("float32(raw raw float32 x)", "unknown dtype \"raw\"", 12);
}

TEST_CASE("inout: a qualifier of named outputs") {
  const auto s = parse("(inout float32 y, float32 z)(float32 x)");
  CHECK(s.outputs[0].inout);
  CHECK_FALSE(s.outputs[1].inout);
  check_parse_failure("(float32 y)(inout float32 x)", "an input cannot be \"inout\": it is an output that is read first", 26);
  check_parse_failure("(inout raw float32 y)(float32 x)", "a raw output is there to read and to write: leave \"inout\" out", 1);
}

TEST_CASE("named outputs decide shapes and type variables where there are no inputs") {
  const auto s = parse("(float32 y, T z)()");
  CHECK(s.inputs.empty());
  CHECK(s.outputs.size() == 2);
  CHECK(s.variables.size() == 1);
}

TEST_CASE("every error has its place") {
  check_parse_failure("", "expected the type of the result", 0);
  check_parse_failure("float32", "expected '(' before the inputs, found the end of the text", 7);
  check_parse_failure("float32 julia(float32 x)",
                      "a signature beside its body has no name: leave \"julia\" out here, and give it as .name", 8);
  check_parse_failure("float32 julia", "expected '(' after the result's type, found \"julia\"", 8);
  check_parse_failure("float32()", "a ufunc without inputs has named outputs, whose shape a call gives: \"(float32 y)()\"", 8);
  check_parse_failure("float32(float32 a", "expected ')' or ',' after an input, found the end of the text", 17);
  check_parse_failure("float32(float32 a,)", "expected the type of an input, found ')'", 18);
  check_parse_failure("float32(float32 a) x", "expected the end of the signature, found 'x'", 19);
  check_parse_failure("flaot32(float32 a)", "float32", 0);
  check_parse_failure("float32(float32 a, float23 b)", "float23", 19);
  check_parse_failure("float32(float32 a, float32 a)", "the name \"a\" is used twice", 27);
  check_parse_failure("(int32 a)(int32 a)", "the name \"a\" is used twice", 16);
  check_parse_failure("float32(float32 class)", "\"class\" cannot be a parameter's name: it is a C++ keyword", 16);
  check_parse_failure("float32(float32 NAN)", "\"NAN\" cannot be a parameter's name: it is a macro of C's <math.h>", 16);
  check_parse_failure("NAN(NAN a)", "\"NAN\" cannot be a type variable's name: it is a macro of C's <math.h>", 0);
  check_parse_failure("float32(KILN_FN a)", "\"KILN_FN\" cannot be a type variable's name: it is a name of kiln's own", 8);
  check_parse_failure("float32(float32 int32)", "\"int32\" cannot be a parameter's name: it is a name of kiln's own", 16);
  check_parse_failure("float32(float32 a__b)", "a name that C++ reserves for compilers", 16);
  check_parse_failure("(int32)(int32 a)", "an output in parentheses needs a name", 6);
  check_parse_failure("void(float32 a)", "a ufunc has an output", 0);
  check_parse_failure("T(float32 a)", "the type variable \"T\" stands in no input", 0);
  check_parse_failure("T(T T)", "the name \"T\" is used twice: as a type and as a parameter", 4);
  check_parse_failure("T(T a) where", "expected a type variable after \"where\", found the end of the text", 12);
  check_parse_failure("T(T a) where U: int8", "\"U\" is restricted but not used as a type", 13);
  check_parse_failure("T(T a) where T float32", "expected ':' after the type variable, found 'f'", 15);
  check_parse_failure("T(T a) where T: int8, int8", "\"int8\" is listed twice", 22);
  check_parse_failure("T(T a) where T: int8, T: int16", "\"T\" is restricted twice", 22);
  check_parse_failure("float32(float32 a; float32 b)", "expected ')' or ',' after an input, found ';'", 17);
}

TEST_CASE("more operands than a kernel takes are refused") {
  std::string text = "int8(int8";
  for (int i = 0; i < 31; ++i) text += ", int8";
  CHECK_THROWS_AS((void)parse(text + ")"), SignatureError);
}

TEST_CASE("no text of any length makes the parser do anything but answer") {
  const std::string whole = "(T q, U r)(T a, U b, float32 c) where T: int8, U: float16";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string start = whole.substr(0, n);
    try {
      (void)parse(start);
    } catch (const SignatureError& error) {
      CHECK(error.position() <= start.size());
    }
  }
}

TEST_CASE("a whole kernel with an expression") {
  CHECK(parse_kernel(" \n float32 f(float32 x) = x").signature.text == "float32(float32 x)");
  const auto kernel = parse_kernel("float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)");
  CHECK(kernel.name == "disc");
  CHECK(kernel.expression);
  CHECK(kernel.body == "sqrt(b*b - 4*a*c)");
  CHECK(kernel.signature.text == "float32(float32 a, float32 b, float32 c)");
  CHECK(parse(kernel.signature.text).inputs.size() == 3);
}

TEST_CASE("lines that end with a carriage return, and blanks behind an expression") {
  for (const char* text :
       {"float32 f(float32 x) = x * x;\r\n", "float32 f(float32 x) = x * x;\t", "float32 f(float32 x)\r\n= x * x ; \r\n\t"}) {
    const auto kernel = parse_kernel(text);
    CHECK(kernel.body == "x * x");
    CHECK(kernel.signature.text == "float32(float32 x)");
  }
}

TEST_CASE("a whole kernel with a body, several outputs and a restriction") {
  const auto kernel = parse_kernel("(T q, T r) divmod(T a, T b) where T: int32, int64 { q = a / b; { r = a % b; } }");
  CHECK(kernel.name == "divmod");
  CHECK_FALSE(kernel.expression);
  CHECK(kernel.body == " q = a / b; { r = a % b; } ");
  CHECK(kernel.signature.text == "(T q, T r)(T a, T b) where T: int32, int64");
}

TEST_CASE("errors of a whole kernel") {
  const auto check = [](std::string_view text, std::string_view message, std::size_t position) {
    CAPTURE(text);
    const Failure failure = failure_of([&] { (void)parse_kernel(text); });
    CAPTURE(failure.message);
    CHECK(failure.message.find(message) != std::string::npos);
    CHECK(failure.position == position);
  };
  check("float32(float32 a) = a", "expected the kernel's name after its result, found '('", 7);
  check("float32 f(float32 a)", "expected '= expression' or '{ body }', found the end of the text", 20);
  check("float32 f(float32 a) =", "expected an expression after '='", 22);
  check("float32 f(float32 a) { return a;", "expected '}' after the body", 32);
  check("float32 f(float32 a) { return a; } x", "expected the end of the text after the body's '}'", 35);
  check("(int32 q) f(int32 a) = a", "an expression gives one unnamed output", 23);
  check("float32 for(float32 a) = a", "\"for\" cannot be the kernel's name: it is a C++ keyword", 8);
}
