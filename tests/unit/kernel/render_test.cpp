// The translation unit of a kernel: where the user's text stands in it, and what it includes.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/elementwise/spec.hpp"
#include "kernel/gufunc/spec.hpp"
#include "kernel/kernel_text.hpp"
#include "kernel/raw/spec.hpp"
#include "kernel/reduction/spec.hpp"
#include "kernel/spec.hpp"

using kiln::DeviceKind;
using kiln::DType;
using namespace kiln::codegen;
using namespace kiln::kinds;

namespace {

constexpr DType f32 = DType::float32;

UserText discriminant() {
  return {.name = "disc", .body = "return sqrt(b * b - 4 * a * c);", .input_names = {"a", "b", "c"}};
}
ElementwiseSpec three_inputs(DType dtype = f32) {
  return {.inputs = std::vector<OperandSpec>(3, {dtype, dtype}), .outputs = {{dtype, dtype}}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("the body stands at column 1 of line 1 of its own name, and the unit's lines go on behind it") {
  const std::string source = render(discriminant(), three_inputs(), DeviceKind::cpu);
  const std::vector<std::string> lines = lines_of(source);
  const auto at = std::find(lines.begin(), lines.end(), "#line 1 \"disc\"");
  REQUIRE(at != lines.end());
  CHECK(at[1] == "return sqrt(b * b - 4 * a * c);");
  CHECK(has(source, "kiln_body(::kiln::float32 a, ::kiln::float32 b, ::kiln::float32 c) {\n#line 1"));
  // Each directive that resets the numbers names the line that follows it.
  int resets = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].ends_with("\"kiln/kernel.cpp\"")) {
      CHECK(lines[i] == "#line " + std::to_string(i + 2) + " \"kiln/kernel.cpp\"");
      ++resets;
    }
  }
  CHECK(resets == 1);
}

TEST_CASE("a constant stands in the text where its argument would, and the parameters stay") {
  const auto both = [](UserText text, const KernelSpec& spec, DeviceKind target, const std::string& plain,
                       const std::string& constant) {
    text.input_names = {"x", "n"};
    const std::string without = render(text, spec, target);
    CAPTURE(without);
    CHECK(has(without, plain));
    text.constants = {"", "::kiln::int32(5ll)"};
    const std::string with = render(text, spec, target);
    CAPTURE(with);
    CHECK(has(with, constant));
    CHECK_FALSE(has(with, plain));
    std::string undone = with;
    undone.replace(undone.find(constant), constant.size(), plain);
    CHECK(undone == without);
  };
  for (const DeviceKind target : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::hip}) {
    const OperandSpec number{DType::int32, DType::int32, Access::scalar};
    both({.name = "f", .body = "return x * n;"}, ElementwiseSpec{.inputs = {{f32, f32}, number}, .outputs = {{f32, f32}}},
         target, "kiln_body(a0, a1)", "kiln_body(a0, ::kiln::int32(5ll))");
    both({.name = "f", .body = "return a + b;", .stages = Stages{.map = "return x * n;"}, .identity = "0"},
         ReductionSpec{
             .inputs = {{f32, f32}, number}, .outputs = {{f32, f32}}, .identity = true, .stages = true, .state_bytes = 4},
         target, "kiln_map(x0, x1)", "kiln_map(x0, ::kiln::int32(5ll))");
    both({.name = "f", .body = "x[item] *= n;"},
         RawSpec{.parameters = {{.dtype = f32, .array = true}, {.dtype = DType::int32}}}, target, ", p0, p1)",
         ", p0, ::kiln::int32(5ll))");
    both({.name = "f", .body = "y(0) = x(0) * n;", .output_names = {"y"}},
         GufuncSpec{.inputs = {{.element = {f32, f32}, .dimensions = {0}}, {.element = {DType::int32, DType::int32}}},
                    .outputs = {{.element = {f32, f32}, .dimensions = {0}}},
                    .dimensions = {{.name = "n"}}},
         target, ", operands::element1::load(*p1), ", ", ::kiln::int32(5ll), ");
  }
}

TEST_CASE("a raw kernel: views are made of an address and their axes, and grid() is there where the body means kiln's") {
  UserText text{.name = "k", .body = "p[grid(1)] = A(0, 1) + x[0];", .input_names = {"A", "x", "p", "n"}};
  RawSpec spec{.parameters = {{.dtype = f32, .array = true, .read_only = true, .dimensions = 2},
                              {.dtype = f32, .array = true, .dimensions = 1, .strided = true},
                              {.dtype = f32, .array = true},
                              {.dtype = DType::int64}}};
  for (const DeviceKind target : {DeviceKind::cuda, DeviceKind::hip, DeviceKind::cpu}) {
    const std::string source = render(text, spec, target);
    CHECK(has(source, "using view_of_A = view<element_of_A, false, axis<varies, varies>, axis<varies, 4>>;\n"));
    CHECK(has(source, "using view_of_x = view<element_of_x, true, axis<varies, varies>>;\n"));
    CHECK(has(source,
              "const ::kiln::operands::view_of_A A, const ::kiln::operands::view_of_x x, ::kiln::float32* p, "
              "::kiln::int64 n) {\n#line 1"));
    CHECK(has(source, "  const operands::view_of_A v0(p0, n0.extent[0], n0.stride[0], n0.extent[1], n0.stride[1]);\n"));
    CHECK(has(source, "#define grid(d) kiln_grid<(d)>(kiln_here)\nKILN_FN void kiln_body("));
    CHECK_FALSE(has(source, "#define gridsize"));
    // Only the body has it.
    CHECK(source.find("\n#undef grid\n") > source.find("p[grid(1)]"));
  }
  CHECK(has(render(text, spec, DeviceKind::cuda),
            "kiln_kernel(const ::kiln::float32* p0, ::kiln::float32* p1, ::kiln::float32* p2, const int64 p3, const "
            "kinds::RawAxes<2> n0, const kinds::RawAxes<1> n1)"));
  spec.form = RawForm::items;
  CHECK(has(render(text, spec, DeviceKind::cpu), "user::kiln_body(item, item_in_grid{item, launch->size}, v0, v1, p2, p3)"));
  // Names of the user's own.
  const auto defines = [&](const UserText& other) { return has(render(other, spec, DeviceKind::cpu), "#define grid("); };
  for (const char* body : {"index i = n * grid(1);", "if (grid(1) < n) p[0] = 1;", "const auto [i, j] = grid(2);",
                           "for (index i = grid(1); i < n; i += grid(1)) p[i] = -grid(1);", "return void(1 + grid(1));"}) {
    CAPTURE(body);
    text.body = body;
    CHECK(defines(text));
  }
  for (const char* body :
       {"auto grid = [](int i) { return i; }; p[0] = grid(1);", "int grid = 3; p[0] = grid;", "p[0] = s.grid(1);"}) {
    CAPTURE(body);
    text.body = body;
    CHECK_FALSE(defines(text));
  }
  text.body = "p[0] = grid(1);";
  CHECK(defines(text));
  UserText own = text;
  own.functions = "inline int grid(int i) { return i; }";
  CHECK_FALSE(defines(own));
  own = text;
  own.input_names[0] = "grid";
  own.body = "p[0] = grid(0, 1);";
  CHECK_FALSE(defines(own));
}

TEST_CASE("preamble, functions and type variables stand before the body, in the namespace of the user") {
  UserText text = discriminant();
  text.preamble = "#define TWO 2";
  text.functions = "T twice(T x) { return TWO * x; }";
  text.type_variables = {{"T", f32}, {"U", DType::bool_}};
  const std::string source = render(text, three_inputs(), DeviceKind::hip);
  const std::size_t space = source.find("namespace kiln::user {");
  const std::size_t type = source.find("using T = ::kiln::float32;\nusing U = ::kiln::boolean;\n");
  const std::size_t preamble = source.find("#line 1 \"disc.preamble\"\n#define TWO 2\n");
  const std::size_t functions = source.find("#line 1 \"disc.functions\"\nT twice(T x)");
  const std::size_t body = source.find("#line 1 \"disc\"\n");
  REQUIRE(body != std::string::npos);
  CHECK(space < type);
  CHECK(type < preamble);
  CHECK(preamble < functions);
  CHECK(functions < body);
  CHECK(source.find("KILN_USER_BEGIN") < space);
  CHECK(body < source.find("KILN_USER_END"));
}

TEST_CASE("quotes and backslashes in a name are escaped in #line") {
  UserText text = discriminant();
  text.name = "a \"b\" c:\\d";
  CHECK(has(render(text, three_inputs(), DeviceKind::cpu), "#line 1 \"a \\\"b\\\" c:\\\\d\"\n"));
}

TEST_CASE("an expression is returned, or assigned to the output that has a name") {
  UserText text = discriminant();
  text.expression = true;
  text.body = "a + b + c";
  CHECK(has(render(text, three_inputs(), DeviceKind::cpu), "{\nreturn\n#line 1 \"disc\"\na + b + c\n;"));
  text.output_names = {"out"};
  const std::string named = render(text, three_inputs(), DeviceKind::cpu);
  CHECK(has(named, "KILN_FN void kiln_body(::kiln::float32& out, ::kiln::float32 a,"));
  CHECK(has(named, "{\nout =\n#line 1 \"disc\"\na + b + c\n;"));
}

TEST_CASE("several outputs are references, halves arrive as float, unnamed inputs have no name") {
  const UserText text{.name = "k", .body = "q = a; r = a;", .input_names = {"a", ""}, .output_names = {"q", "r"}};
  const ElementwiseSpec spec{.inputs = {{DType::float16, DType::float16}, {DType::bool_, DType::bool_}},
                             .outputs = {{DType::bfloat16, DType::bfloat16}, {f32, f32}}};
  const std::string source = render(text, spec, DeviceKind::cpu);
  CHECK(has(source, "KILN_FN void kiln_body(::kiln::bfloat16& q, ::kiln::float32& r, float a, ::kiln::boolean) {"));
  CHECK(has(source, "user::kiln_body(r0, r1, a0, a1)"));
}

TEST_CASE("a kernel includes the headers that its text and dtypes need, and no other") {
  using Headers = std::vector<std::string>;
  const ElementwiseSpec spec = three_inputs();
  UserText text = discriminant();
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/math/math.hpp", "kiln/elementwise/cpu.hpp"});
  text.body = "return a * b + c; // sqrt \"exp\"";
  CHECK(needed_headers(text, spec, DeviceKind::cuda) == Headers{"kiln/core/types.hpp", "kiln/elementwise/gpu.hpp"});
  text.functions = "float32 f(float32 x) { return erf(x); }";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/math/special.hpp", "kiln/elementwise/cpu.hpp"});
  text.functions = "float32 f(float32 x) { return atan2(ceil(x), cbrt(x)); }";
  CHECK(needed_headers(text, spec, DeviceKind::hip) == Headers{"kiln/core/types.hpp", "kiln/math/exponential.hpp",
                                                               "kiln/math/trigonometry.hpp", "kiln/math/rounding.hpp",
                                                               "kiln/elementwise/gpu.hpp"});
  text.functions = "float32 f(float32 x) { return pow(x, 3); }";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/math/power.hpp", "kiln/elementwise/cpu.hpp"});
  text.functions = "float32 f(float32 x) { return heaviside(x, gcd(1, 2)); }";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/math/integers.hpp", "kiln/math/floating.hpp", "kiln/elementwise/cpu.hpp"});
  // Names that are those of variables elsewhere count where they are called.
  text.functions = "float32 f(float32 y0, float32 normal) { return y0 * normal; }";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) == Headers{"kiln/core/types.hpp", "kiln/elementwise/cpu.hpp"});
  text.functions = "#define INVERSE erfinv\nfloat32 f(float32 x) { return INVERSE(x); }";
  CHECK(needed_headers(text, spec, DeviceKind::cpu)[1] == "kiln/math/error_functions.hpp");
  text.functions = "float32 f(float32 x) { return y0(x) + j1f(x) + normal<float32>(1, 2) + philox(1, 2)[0]; }";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) == Headers{"kiln/core/types.hpp", "kiln/math/bessel.hpp",
                                                               "kiln/math/c_names.hpp", "kiln/math/random_bits.hpp",
                                                               "kiln/math/random.hpp", "kiln/elementwise/cpu.hpp"});
  text.functions = "";
  text.body = "return bfloat16(a) + abs(complex64(b)) + c;";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) == Headers{"kiln/core/types.hpp", "kiln/core/half.hpp",
                                                               "kiln/core/complex.hpp", "kiln/math/math.hpp",
                                                               "kiln/math/complex_parts.hpp", "kiln/elementwise/cpu.hpp"});
  text.body = "return complex64(a) + power(complex64(b), c);";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) == Headers{"kiln/core/types.hpp", "kiln/core/complex.hpp",
                                                               "kiln/math/powers.hpp", "kiln/math/complex_math.hpp",
                                                               "kiln/elementwise/cpu.hpp"});
  text.body = "return less_than(a, b);";
  CHECK(needed_headers(text, three_inputs(DType::complex64), DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/core/complex.hpp", "kiln/math/integers.hpp", "kiln/math/complex_arithmetic.hpp",
                "kiln/elementwise/cpu.hpp"});
  text.body = "return a;";
  CHECK(needed_headers(text, three_inputs(DType::complex64), DeviceKind::hip) ==
        Headers{"kiln/core/types.hpp", "kiln/core/complex.hpp", "kiln/elementwise/gpu.hpp"});
  text.type_variables = {{"T", DType::float16}};
  CHECK(needed_headers(text, spec, DeviceKind::hip) ==
        Headers{"kiln/core/types.hpp", "kiln/core/half.hpp", "kiln/elementwise/gpu.hpp"});
  text.type_variables.clear();
  text.debug.on = true;
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/core/checks_cpu.hpp", "kiln/elementwise/cpu.hpp"});
  text.debug.on = false;
  // Names are pasted together of words and numbers of the texts, and of no others.
  text.preamble = "#define CAT(left, right) left##right";
  CHECK(needed_headers(text, spec, DeviceKind::cpu).size() == 2);
  text.body = "return CAT(CAT(e, rf), c)(a) + CAT(log, 1p)(b);";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) == Headers{"kiln/core/types.hpp", "kiln/math/log.hpp",
                                                               "kiln/math/exponential.hpp", "kiln/math/special.hpp",
                                                               "kiln/elementwise/cpu.hpp"});
  text.preamble = "%:define CAT(left, right) left%:%:right";
  text.body = "return CAT(po, wf)(a, 2);";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/math/power.hpp", "kiln/math/c_names.hpp", "kiln/elementwise/cpu.hpp"});
  text.body = "return a;";
  text.preamble = "#include \"mine.h\"";
  CHECK(needed_headers(text, spec, DeviceKind::cpu).size() == 2);
  // What a file names counts as what the text names, and a standard header as its own name.
  const auto with = [&](const std::map<std::string, std::string>& included) {
    return needed_headers(text, spec, DeviceKind::cpu, {}, included);
  };
  CHECK(with({{"mine.h", "inline float f(float x) { return ::std::exp(x); }"}}) ==
        Headers{"kiln/core/types.hpp", "kiln/math/exp.hpp", "kiln/elementwise/cpu.hpp"});
  const auto& embedded = kiln::codegen::embedded_headers();
  CHECK(with({{"array", embedded.at("array")}}) ==
        Headers{"kiln/core/types.hpp", "kiln/core/array.hpp", "kiln/elementwise/cpu.hpp"});
  CHECK(with({{"algorithm", embedded.at("algorithm")}}) ==
        Headers{"kiln/core/types.hpp", "kiln/core/initializer_list.hpp", "kiln/elementwise/cpu.hpp"});
  CHECK(with({{"kiln/math/log.hpp", embedded.at("kiln/math/log.hpp")}}) ==
        Headers{"kiln/core/types.hpp", "kiln/math/log.hpp", "kiln/elementwise/cpu.hpp"});
  // C's names need what they are made of.
  text.preamble = "";
  text.body = "return powf(a, 2) + FLT_MAX + numeric_limits<float>::lowest() + uint(1);";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/math/power.hpp", "kiln/math/c_names.hpp", "kiln/core/constants.hpp",
                "kiln/core/c_types.hpp", "kiln/core/limits.hpp", "kiln/elementwise/cpu.hpp"});
  // Ordinary words are the standard library's beside `std` alone.
  text.body = "float array[2] = {a, b}; return is_small(array[0]);";
  CHECK(needed_headers(text, spec, DeviceKind::cpu).size() == 2);
  text.body = "std::array<float, 2> array{a, b}; return std::is_same_v<float, int> ? array[0] : c;";
  CHECK(needed_headers(text, spec, DeviceKind::cpu) ==
        Headers{"kiln/core/types.hpp", "kiln/core/array.hpp", "kiln/core/type_traits.hpp", "kiln/elementwise/cpu.hpp"});
  UserText asserts{.name = "k", .body = "assert(a > 0); return a;", .input_names = {"a", "b", "c"}};
  const auto has_kilns = [&] {
    const Headers found = needed_headers(asserts, spec, DeviceKind::cpu);
    return std::find(found.begin(), found.end(), "kiln/core/assertions.hpp") != found.end();
  };
  CHECK(has_kilns());
  asserts.functions = "inline int g(int a) { if (a > 1) return a; else assert(a); return 0; }";
  CHECK(has_kilns());
  asserts.functions = "inline void assert(bool) {}";
  CHECK_FALSE(has_kilns());
  asserts.functions = "#define assert(x) static_cast<void>(x)";
  CHECK_FALSE(has_kilns());
}

TEST_CASE("a strided operand or a second dimension wants the n-dimensional form") {
  ElementwiseSpec spec = three_inputs();
  spec.width = 4;
  spec.unroll = 2;
  const std::string flat = render(discriminant(), spec, DeviceKind::cuda);
  CHECK(has(flat,
            "KILN_KERNEL kiln_kernel(uint32 n, const float32* __restrict__ p0, const float32* __restrict__ p1, "
            "const float32* __restrict__ p2, float32* __restrict__ p3) {"));
  CHECK(has(flat, "walk<2>(n / 4, w);"));
  spec.inputs[0].access = Access::scalar;
  spec.inputs[1].access = Access::strided;
  spec.aliased = true;
  spec.wide_index = true;
  const std::string nd = render(discriminant(), spec, DeviceKind::cuda);
  CHECK(has(nd, "using index_space = space<uint64, 1, 4>;"));
  CHECK(has(nd,
            "KILN_KERNEL kiln_kernel(uint64 n, const index_space s, float32 p0, const float32* p1, const float32* p2, "
            "float32* p3) {"));
  CHECK(has(nd, "kiln/elementwise/gpu_nd.hpp"));
  spec.inputs[1].access = Access::contiguous;
  spec.rank = 3;
  CHECK(has(render(discriminant(), spec, DeviceKind::hip), "using index_space = space<uint64, 3, 4>;"));
}

TEST_CASE("conversions between memory and body") {
  ElementwiseSpec spec = three_inputs();
  spec.inputs[0] = {DType::int16, f32, Access::contiguous};
  spec.inputs[1] = {DType::bool_, f32, Access::broadcast};
  spec.outputs[0] = {DType::bool_, f32};
  const std::string source = render(discriminant(), spec, DeviceKind::cpu);
  CHECK(has(source, "from_storage<float32>(p0[i])"));
  CHECK(has(source, "from_storage<float32>((*static_cast<const uint8*>(p[1]) != 0))"));
  CHECK(has(source, "uint8(convert<boolean>(r0))"));
  CHECK(has(source, "p2[i]"));
}
