// What kiln::fuse and fused ufuncs refuse, and how they say so.
#include <string>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/fuse.hpp"
#include "kiln/math.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Expr;
using kiln::SignatureError;
using kiln::TypeError;
using kiln::Ufunc;
namespace math = kiln::math;

namespace {

Ufunc named(const std::string& ufunc_name, kiln::CompileOptions compile = {}) {
  return kiln::vectorize(
      {.name = ufunc_name, .signatures = {"float32(float32 x)"}, .body = "return x;", .compile = std::move(compile)});
}

}  // namespace

TEST_CASE("fuse errors: a step without a loop names itself and the dtypes") {
  const Ufunc bits = kiln::fuse("bits", [](Expr a, Expr b) { return (a & b) + 1.5; });
  const Array ints = Array::zeros({2}, DType::int32);
  CHECK(bits(ints, ints).dtype() == DType::float64);
  const std::string message = message_of<TypeError>([&] { bits(ints, Array::zeros({2}, DType::float32)); });
  CHECK(message.starts_with("in fused \"bits\": bitwise_and: no loop takes (int32, float32) by safe casts; its loops are "));
  CHECK(message_of<TypeError>([&] {
          static_cast<void>(bits.resolve({ints, 2.5}));
        }).starts_with("in fused \"bits\": bitwise_and: no loop takes "));
}

TEST_CASE("fuse errors: casting holds for every step, and a constant must fit") {
  const Ufunc sum = kiln::fuse("sum", [](Expr a, Expr b) { return a + b; });
  const Array narrow = Array::zeros({2}, DType::float32);
  const Array wide = Array::zeros({2}, DType::float64);
  CHECK(message_of<TypeError>([&] {
          sum({narrow, wide}, {.casting = kiln::Casting::no});
        }).starts_with("in fused \"sum\": add: cannot cast input 0 (x1) from float32 to float64 under casting \"no\""));
  CHECK(message_of<TypeError>([&] { sum({wide, wide}, {.out = Array::zeros({2}, DType::int64)}); }) ==
        "sum: cannot cast output 0 from float64 to the out array's int64 under casting \"same_kind\" for the loop "
        "float64(float64 x0, float64 x1); give one of float64");
  const Ufunc shifted = kiln::fuse("shifted", [](Expr a) { return a + 300; });
  CHECK(message_of<TypeError>([&] { shifted(Array::zeros({2}, DType::int8)); }) ==
        "in fused \"shifted\": add: the integer 300 given as input 1 (x2) does not fit in int8, the dtype of the loop "
        "int8(int8 x1, int8 x2)");
  CHECK(shifted({Array::zeros({1}, DType::int8)}, {.casting = kiln::Casting::unsafe}).to_vector<std::int8_t>()[0] == 44);
}

TEST_CASE("fuse errors: there is no loop to force") {
  const Ufunc sum = kiln::fuse("sum", [](Expr a, Expr b) { return a + b; });
  CHECK(
      message_of<TypeError>([&] { sum({1, 2}, {.dtype = DType::float32}); }) ==
      "sum: a fused ufunc has no loop that .dtype could force, its ufuncs choose theirs; convert the inputs with astype(), or "
      "give an .out of that dtype");
  CHECK(message_of<TypeError>([&] {
          sum({1, 2}, {.signature = "int8, int8 -> int8"});
        }).starts_with("sum: a fused ufunc has no loop that .signature could force"));
  CHECK(message_of<TypeError>([&] { sum(1); }) == "sum takes 2 arguments, 1 given; its loops are sum(x0, x1)");
}

TEST_CASE("fuse errors: shapes, as any ufunc's") {
  const Ufunc sum = kiln::fuse({.name = "sum", .parameters = {"a", "b"}}, [](Expr a, Expr b) { return a + b; });
  CHECK(message_of<kiln::ShapeError>([&] {
          sum(Array::zeros({2}, DType::int8), Array::zeros({3}, DType::int8));
        }).starts_with("sum: shapes do not broadcast: input 0 (a) (2,), input 1 (b) (3,)"));
}

TEST_CASE("fuse errors: an expression stays in its function") {
  Expr leaked;
  const Ufunc first = kiln::fuse("first", [&](Expr a) {
    leaked = a * 2;
    return a;
  });
  CHECK(message_of<TypeError>([&] { static_cast<void>(kiln::fuse("second", [&](Expr b) { return b + leaked; })); }) ==
        "in fused \"second\": an Expr of fused \"first\" is used; a parameter is known only inside the function that it was "
        "given to");
  CHECK(message_of<TypeError>([&] {
          static_cast<void>(kiln::fuse("first", [&](Expr) { return leaked; }));
        }).starts_with("in fused \"first\": an Expr of fused \"first\" is used"));
}

TEST_CASE("fuse errors: results that are none") {
  CHECK(message_of<TypeError>([] { static_cast<void>(kiln::fuse("f", [](Expr) { return std::vector<Expr>{}; })); }) ==
        "fused \"f\" has no outputs: its function gave none");
  CHECK(message_of<TypeError>([] { static_cast<void>(kiln::fuse("f", [](Expr) { return Expr(); })); }) ==
        "in fused \"f\": output 0 is an empty Expr, not an expression of the parameters");
  CHECK(message_of<TypeError>([] { static_cast<void>(kiln::fuse("f", [](Expr x) { return std::array{x, Expr(2.5)}; })); }) ==
        "in fused \"f\": output 1 is a constant, which has no dtype of its own; make it an expression of the parameters");
}

TEST_CASE("fuse errors: symbolic calls check their arguments") {
  const auto fused = [](const auto& function) {
    return message_of<TypeError>([&] { static_cast<void>(kiln::fuse("f", function)); });
  };
  CHECK(fused([](Expr x) { return math::hypot(x); }) == "hypot takes 2 arguments, 1 given");
  CHECK(fused([](Expr x) { return math::hypot(x, Expr()); }) == "hypot: input 1 (x2) is an empty Expr, not an expression");
  CHECK(fused([](Expr x) { return math::divmod(x, 2); }) == "divmod has 2 outputs: call outputs<2>() instead of operator()");
  CHECK(fused([](Expr x) { return math::divmod.outputs<3>(x, 2); }) == "divmod has 2 outputs, not 3");
}

TEST_CASE("fuse errors: names") {
  const auto fused = [](std::vector<std::string> parameters) {
    return message_of<SignatureError>([&] {
      static_cast<void>(kiln::fuse({.name = "f", .parameters = std::move(parameters)}, [](Expr x, Expr y) { return x + y; }));
    });
  };
  CHECK(fused({"a"}) == "f: .parameters names 1, the function takes 2\nf(a)\n ^");
  CHECK(fused({"a", "b c"}) == "f: \"b c\" cannot be a parameter's name: it is no C++ identifier\nf(a, b c)\n     ^");
  CHECK(fused({"a", "int"}) == "f: \"int\" cannot be a parameter's name: it is a C++ keyword\nf(a, int)\n     ^");
  CHECK(fused({"a", "a"}) == "f: \"a\" names two parameters\nf(a, a)\n     ^");
  CHECK(message_of<TypeError>([] {
          static_cast<void>(kiln::fuse({.name = "f"}, [](std::span<const Expr> x) { return x[0]; }));
        }) == "fused \"f\" has no parameters; name them in .parameters");
}

TEST_CASE("fuse errors: the limits") {
  const auto with = [](std::size_t inputs, std::size_t outputs) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < inputs; ++i) names.push_back("p" + std::to_string(i));
    return kiln::fuse({.name = "f", .parameters = names}, [&](std::span<const Expr> x) {
      Expr sum = x[0];
      for (const Expr& each : x.subspan(1)) sum += each;
      return std::vector<Expr>(outputs, sum);
    });
  };
  const Ufunc most = with(30, 2);
  std::vector<kiln::Arg> ones(30, kiln::Arg(1));
  CHECK(most.outputs(ones)[1].to_vector<std::int32_t>() == std::vector<std::int32_t>{30});
  CHECK(message_of<TypeError>([&] { static_cast<void>(with(30, 3)); }) ==
        "fused \"f\" has 30 inputs and 3 outputs; a ufunc has at most 32 together");
  const auto deep = [](int depth) {
    return kiln::fuse("deep", [&](Expr x) {
      Expr sum = x;
      for (int i = 0; i < depth; ++i) sum += x;
      return sum;
    });
  };
  CHECK(deep(1000).resolve({1}).dtypes.back() == DType::int32);
  CHECK(message_of<TypeError>([&] { static_cast<void>(deep(1001)); }) ==
        "add: an expression more than 1000 ufuncs deep; fuse it in parts");
  CHECK(message_of<TypeError>([&] {
          static_cast<void>(kiln::fuse("wide", [&](Expr x) {
            Expr sum = 0;
            for (int i = 0; i < 20; ++i) {
              Expr row = i;
              for (int j = 0; j < 900; ++j) row = row + x;
              sum += row;
            }
            return sum;
          }));
        }) == "in fused \"wide\": more than 10000 ufuncs; fuse it in parts");
}

TEST_CASE("fuse errors: options that do not go together") {
  const auto fused = [](const Ufunc& f, const Ufunc& g, kiln::FuseDefinition definition = {.name = "both"}) {
    return message_of<TypeError>(
        [&] { static_cast<void>(kiln::fuse(std::move(definition), [&](Expr x) { return g(f(x)); })); });
  };
  CHECK(fused(named("f", {.contract = true}), named("g")) ==
        "in fused \"both\": f has .compile.contract and g has not, and one kernel is compiled one way; set .compile.contract "
        "for the fused "
        "ufunc, "
        "or for none of them");
  CHECK(fused(named("f"), named("g", {.fast_math = true}))
            .starts_with("in fused \"both\": g has .compile.fast_math and f has not"));
  const Ufunc allowed = kiln::fuse({.name = "both", .compile = {.contract = true}},
                                   [&](Expr x) { return named("g")(named("f", {.contract = true})(x)); });
  CHECK(allowed(1.5F).to_vector<float>()[0] == 1.5F);
  // What was allowed inside is allowed as a whole.
  CHECK(message_of<TypeError>([&] {
          static_cast<void>(kiln::fuse("outer", [&](Expr x) { return allowed(x) + x; }));
        }).starts_with("in fused \"outer\": f has .compile.contract and add has not"));
  CHECK(fused(named("f", {.headers = {{"h.hpp", "1"}}}), named("g", {.headers = {{"h.hpp", "2"}}})) ==
        "in fused \"both\": f and g give different texts for the header \"h.hpp\"; rename one of them");
  CHECK(fused(named("f", {.include_dirs = {"/a"}}), named("g", {.include_dirs = {"/b"}})) ==
        "in fused \"both\": f and g search different folders for headers; give both the same .compile.include_dirs, or the "
        "files as "
        ".compile.headers");
  const auto including = [](const char* ufunc_name, const char* define) {
    return named(ufunc_name, {.preamble = "#include \"h.hpp\"", .headers = {{"h.hpp", ""}}, .defines = {define}});
  };
  CHECK(fused(including("f", "N=1"), including("g", "N=2")) ==
        "in fused \"both\": f and g include files under different .compile.defines; give both the same ones");
  const Ufunc scaled = named("scaled", {.preamble = "#include \"h.hpp\"\n#define K 3", .headers = {{"h.hpp", ""}}});
  CHECK(fused(scaled, named("g", {.functions = "constexpr int K = 2;"})) ==
        "in fused \"both\": scaled defines K in a .compile.preamble that includes files, which stands before all ufuncs, and g "
        "has "
        "that name, "
        "too; #define it in .compile.functions, or rename one of them");
  CHECK(fused(kiln::vectorize("float32(float32 K)", "return K;"), scaled).starts_with("in fused \"both\": scaled defines K"));
  CHECK_NOTHROW(static_cast<void>(kiln::fuse("both", [&](Expr x) { return scaled(scaled(x)); })));
  CHECK(fused(named("f", {.functions = "#include \"h.hpp\"\n"}), named("g")) ==
        "in fused \"both\": f includes a file in .compile.functions; move the #include to .compile.preamble");
}

TEST_CASE("fuse errors: texts beside a body are given to the ufuncs, headers to either") {
  const auto fused = [](kiln::CompileOptions own, const Ufunc& f) {
    return message_of<TypeError>(
        [&] { static_cast<void>(kiln::fuse({.name = "both", .compile = std::move(own)}, [&](Expr x) { return f(f(x)); })); });
  };
  const auto refused = [](const std::string& member) {
    return "in fused \"both\": it has .compile." + member +
           ", which no text of its own could use; give it to the ufuncs that do";
  };
  CHECK(fused({.preamble = "#define A"}, named("f")) == refused("preamble"));
  CHECK(fused({.functions = "int f();"}, named("f")) == refused("functions"));
  CHECK(fused({.include_dirs = {"/a"}}, named("f")) == refused("include_dirs"));
  CHECK(fused({.defines = {"A=1"}}, named("f")) == refused("defines"));
  CHECK(fused({.headers = {{"h.hpp", "1"}}}, named("f", {.headers = {{"h.hpp", "2"}}})) ==
        "in fused \"both\": both and f give different texts for the header \"h.hpp\"; rename one of them");
  const Ufunc scaled = kiln::vectorize({.name = "scaled",
                                        .signatures = {"float32(float32 x)"},
                                        .body = "return x * factor;",
                                        .compile = {.preamble = "#include \"factor.hpp\""}});
  const kiln::CompileOptions with_header{.headers = {{"factor.hpp", "#pragma once\nconstexpr float factor = 3;"}}};
  CHECK(kiln::fuse({.name = "twice", .compile = with_header}, [&](Expr x) { return scaled(scaled(x)); })(1.0F)
            .to_vector<float>()[0] == 9.0F);
}

TEST_CASE("fuse errors: a text that does not compile is shown in its own ufunc's lines") {
  const Ufunc good = named("good");
  const Ufunc bad = kiln::vectorize(
      {.name = "bad", .signatures = {"float32(float32 x)"}, .body = "float32 y = x;\nreturn y + missing;" + unique_comment()});
  const Ufunc fused = kiln::fuse("outer", [&](Expr x) { return bad(good(x)); });
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::zeros({2}, DType::float32));
    try {
      target.call(fused, {x});
      FAIL_CHECK("it compiled");
    } catch (const kiln::CompileError& error) {
      REQUIRE(!error.diagnostics().empty());
      const kiln::Diagnostic& first = error.diagnostics().front();
      CHECK(first.file == "bad");
      CHECK(first.line == 2);
      CHECK(first.column == 12);
      CHECK(first.text.find("missing") != std::string::npos);
      CHECK(std::string(error.what()).find("while compiling \"float32(float32 x0)\"") != std::string::npos);
    }
  });
  const Ufunc open_ended = kiln::vectorize(
      {.name = "open", .signatures = {"float32(float32 x)"}, .body = "if (x > 0)\n  return x;\n" + unique_comment()});
  const Ufunc around = kiln::fuse("outer", [&](Expr x) { return open_ended(x) + 1; });
  try {
    around(1.0F);
    FAIL_CHECK("it compiled");
  } catch (const kiln::CompileError& error) {
    REQUIRE(!error.diagnostics().empty());
    CHECK(error.diagnostics().front().file == "open");
    CHECK(error.diagnostics().front().line == 3);
  }
}

TEST_CASE("fuse errors: a parameter that is a macro of its ufunc's header is named") {
  const kiln::CompileOptions object{.preamble = "#include \"h.h\"", .headers = {{"h.h", "#define x 3\n"}}};
  kiln::CompileOptions function = object;
  function.headers = {{"h.h", "#define x(y) 3\n"}};
  const Ufunc bad = named("bad", object);
  const Ufunc good = named("good", function);
  const Ufunc refused = kiln::fuse("outer", [&](Expr a) { return bad(a) + 1; });
  const Ufunc taken = kiln::fuse("outer", [&](Expr a) { return good(a) + 1; });
  on_every_device([&](const Target& target) {
    const Array ones = target.place(Array::from(std::vector<float>{1, 1}));
    const std::string error = message_of<kiln::CompileError>([&] { target.call(refused, {ones}); });
    CAPTURE(error);
    CHECK(error.starts_with("bad:1:"));
    CHECK(error.find("x is a macro, and a name in the signature; rename one of them") != std::string::npos);
    CHECK(target.fetch(target.call(taken, {ones})).to_vector<float>() == std::vector<float>{2, 2});
  });
}
