// kiln::reduction: what is refused, in which words, with nothing written.
#include <cstdlib>

#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "reductions.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Reduction;
using kiln::ReductionDefinition;

namespace {

template <class E>
std::string refused(ReductionDefinition definition) {
  return message_of<E>([&] { static_cast<void>(kiln::reduction(std::move(definition))); });
}

const Reduction ordered =
    kiln::reduction({.name = "ordered", .signatures = {"float64(float64 x)"}, .map = "return x;", .reduce = "return a - b;"});

}  // namespace

TEST_CASE("reduction errors: definitions") {
  CHECK(refused<kiln::SignatureError>({.name = "f", .reduce = "return a + b;"})
            .starts_with("f: no signature given; write one like \"float64(float32 x)\""));
  CHECK(refused<kiln::SignatureError>({.name = "f", .signatures = {"T(T x)"}})
            .starts_with("f: no .reduce given; write how the accumulators a and b become one: \"return a + b;\""));
  CHECK(refused<kiln::SignatureError>({.name = "f", .signatures = {"T(T x, T y)"}, .reduce = "return a + b;"})
            .starts_with("f: no .map given, and there are 2 inputs; write how an element of each becomes an accumulator"));
  CHECK(refused<kiln::SignatureError>(
            {.name = "f", .signatures = {"T(T x)"}, .accumulator = "T s;", .reduce = "return a;", .post = "return a.s;"})
            .starts_with("f: no .map given, and the accumulator is a struct"));
  CHECK(refused<kiln::SignatureError>({.name = "f", .signatures = {"(T p, T q)(T x)"}, .reduce = "return a + b;"})
            .starts_with("f: no .post given, and there are several outputs; assign them from the accumulator a"));
  CHECK(
      refused<kiln::SignatureError>({.name = "f",
                                     .signatures = {"(T low, T top)(T x)"},
                                     .accumulator = "T low, high;",
                                     .map = "return {x, x};",
                                     .reduce = "return a;"})
          .starts_with("f: no .post given, and the accumulator has no member for the output \"top\"; give the outputs from the "
                       "accumulator a in .post"));
  CHECK(refused<kiln::SignatureError>(
            {.name = "f", .signatures = {"T(T x)"}, .accumulator = "T s;", .map = "return {x};", .reduce = "return a;"})
            .starts_with("f: no .post given, and the accumulator has no member for the unnamed output"));
  CHECK(refused<kiln::SignatureError>({.name = "f", .signatures = {"T(T i)"}, .reduce = "return a + b;"})
            .starts_with("f: \"i\" cannot be an input's name: in .map it is the index"));
  CHECK(refused<kiln::SignatureError>({.name = "f", .signatures = {"(T a)(T x)"}, .reduce = "return a + b;", .post = "a = a;"})
            .starts_with("f: \"a\" cannot be an output's name: in .post it is the accumulator"));
  CHECK(refused<kiln::SignatureError>({.name = "f", .signatures = {"T(T x)", "T(T x, T y)"}, .reduce = "return a;"})
            .starts_with("f: every loop needs as many inputs and outputs as the first, \"T(T x)\""));
  // A text that does not close points into its own stage.
  CHECK(refused<kiln::CompileError>({.name = "f", .signatures = {"T(T x)"}, .map = "return (x;", .reduce = "return a;"})
            .starts_with("f.map:1:8: error: '(' is never closed; add ')'"));
  CHECK(refused<kiln::CompileError>({.name = "f", .signatures = {"T(T x)"}, .reduce = "return a};"})
            .starts_with("f.reduce:1:9: error: '}' closes nothing that was opened in this text"));
  CHECK(refused<kiln::CompileError>({.name = "f",
                                     .signatures = {"T(T x)"},
                                     .accumulator = "T s",
                                     .map = "return {x};",
                                     .reduce = "return a;",
                                     .post = "return a.s)"})
            .starts_with("f.post:1:11: error: ')' closes nothing"));
  CHECK(refused<kiln::CompileError>({.name = "f", .signatures = {"T(T x)"}, .reduce = "return a;", .identity = "0;"})
            .starts_with("f.identity:1:2: error: an expression has no ';'"));
}

TEST_CASE("reduction errors: compile errors point into the stage") {
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(Array::from<double>({1, 2, 3}));
        const auto first = [&](ReductionDefinition definition) {
          definition.name = "f";
          definition.signatures = {"float64(float64 x)"};
          const Reduction reduction = kiln::reduction(std::move(definition));
          const std::string text =
              message_of<kiln::CompileError>([&] { static_cast<void>(reduction({x}, reduction_on(target))); });
          return text.substr(0, text.find(": error"));
        };
        CHECK(first({.map = "return x + nowhere;", .reduce = "return a + b;"}) == "f.map:1:12");
        CHECK(first({.map = "return x;", .reduce = "\n  return a + nowhere;"}) == "f.reduce:2:14");
        CHECK(first({.map = "return x;", .reduce = "return a + b;", .post = "return a * nowhere;"}) == "f.post:1:12");
        CHECK(first({.map = "return x;", .reduce = "return a + b;", .identity = "nowhere"}) == "f.identity:1:1");
        CHECK(first({.accumulator = "nowhere s;", .map = "return {x};", .reduce = "return a;", .post = "return a.s;"}) ==
              "f.accumulator:1:1");
        CHECK(first({.map = "return x", .reduce = "return a + b;"}) == "f.map:1:9");
        CHECK(first({.accumulator = "float64 s[17];", .map = "return {x};", .reduce = "return a;", .post = "return a.s[0];"})
                  .starts_with("f.accumulator:"));
        // What every reduction does with its accumulator.
        for (const char* members : {"float64 s; accumulator(float64 x) : s(x) {}", "const float64 s;"}) {
          CAPTURE(std::string(members));
          const Reduction reduction = kiln::reduction({.name = "f",
                                                       .signatures = {"float64(float64 x)"},
                                                       .accumulator = members,
                                                       .map = "return accumulator{x};",
                                                       .reduce = "return accumulator{a.s + b.s};",
                                                       .post = "return a.s;"});
          const std::string text =
              message_of<kiln::CompileError>([&] { static_cast<void>(reduction({x}, reduction_on(target))); });
          CHECK(text.starts_with("f.accumulator:"));
          CHECK(
              text.find("an accumulator of a reduction is made of nothing and assigned: it needs a default constructor, and no "
                        "members that are const or references") != std::string::npos);
        }
      },
      {Mode::device});
}

TEST_CASE("reduction errors: calls") {
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from<double>({1, 2, 3, 4, 5, 6})).reshape({2, 3});
    const Array kept = Array::full({3}, 7.5);
    const Array out = target.place(kept);
    const auto shape_error = [&](const auto& call) { return message_of<kiln::ShapeError>(call); };
    const auto type_error = [&](const auto& call) { return message_of<kiln::TypeError>(call); };
    const auto with = [&](kiln::ReductionOptions options) { return reduction_on(target, std::move(options)); };

    CHECK(type_error([&] { static_cast<void>(mean_var({x}, with({}))); }) ==
          "mean_var has 2 outputs: call outputs<2>() instead of operator()");
    CHECK(type_error([&] { static_cast<void>(mean_var.outputs<3>({x}, with({}))); }) == "mean_var has 2 outputs, not 3");
    CHECK(type_error([&] { static_cast<void>(argmax.outputs<2>({x}, with({}))); }) == "argmax has 1 output, not 2");
    CHECK(type_error([&] { static_cast<void>(dot({x}, with({}))); }) ==
          "dot takes 2 arguments, 1 given; its loops are T(T x, T y)");
    CHECK(type_error([&] { static_cast<void>(dot({x, Array()}, with({}))); }) ==
          "dot: input 1 (y) is an empty Array handle, not an array");
    CHECK(type_error([&] { static_cast<void>(mean_var.outputs<2>({x}, with({.axis = 0, .out = out}))); }) ==
          "mean_var has 2 outputs, .out names 1 array");
    CHECK(shape_error([&] { static_cast<void>(ordered({x}, with({}))); }) ==
          "ordered: the operation is not marked reorderable, so its order counts and it is reduced along one axis, not 2; name "
          "one axis, or set .reorderable or .identity in the definition");
    const Array nothing = target.place(Array::zeros({0, 3}, DType::float64));
    CHECK(shape_error([&] { static_cast<void>(ordered({nothing}, with({.axis = 0, .out = out}))); }) ==
          "ordered: nothing to reduce in inputs of shape (0, 3), and the operation has no identity; give .initial, or "
          ".identity in the definition");
    const Array mask = target.place(Array::full({3}, true));
    CHECK(type_error([&] { static_cast<void>(ordered({x}, with({.axis = 0, .where = mask, .out = out}))); }) ==
          "ordered: the operation has no identity, which .where needs for where no element counts; give .initial, or "
          ".identity in the definition");
    // A struct is no number to start from.
    CHECK(type_error([&] { static_cast<void>(argmax({x}, with({.initial = 1}))); }) ==
          "argmax: .initial is one number, and the accumulator of this reduction has members; leave .initial out");
    CHECK(type_error([&] { static_cast<void>(minmax.outputs<2>({x}, with({.where = mask}))); }) ==
          "minmax: the operation has no identity, which .where needs for where no element counts; give .identity in the "
          "definition");
    CHECK(type_error([&] { static_cast<void>(dot({x, x}, with({.initial = Array()}))); }) ==
          "dot: .initial is an empty Array handle, not a value");
    CHECK(shape_error([&] { static_cast<void>(dot({x, x}, with({.initial = x}))); }) ==
          "dot: .initial has shape (2, 3); give a scalar");
    const Array small = target.place(Array::from<std::int8_t>({1, 2, 3}));
    CHECK(type_error([&] { static_cast<void>(dot({small, small}, with({.initial = 300}))); }) ==
          "dot: the integer 300 given as .initial does not fit in int8, the dtype of the loop int8(int8 x, int8 y)");
    CHECK(type_error([&] { static_cast<void>(argmax({x}, with({.where = x}))); }) ==
          "argmax: cannot cast .where from float64 to bool; give a bool array, such as the result of a comparison");
    const Array wide = target.place(Array::full({4, 2, 3}, true));
    CHECK(shape_error([&] { static_cast<void>(argmax({x}, with({.where = wide}))); }) ==
          "argmax: .where of shape (4, 2, 3) does not broadcast to the inputs' shape (2, 3)");
    CHECK(
        shape_error([&] { static_cast<void>(dot({x, target.place(Array::zeros({4}, DType::float64))}, with({}))); }) ==
        "dot: shapes do not broadcast: input 0 (x) (2, 3), input 1 (y) (4,); extents must be equal or 1, counted from the last "
        "axis");
    CHECK(shape_error([&] { static_cast<void>(argmax({x}, with({.axis = 2}))); }) ==
          "argmax: axis 2 does not exist in an array of shape (2, 3); give -2 to 1");
    CHECK(shape_error([&] { static_cast<void>(argmax({x}, with({.axis = {0, -2}}))); }) ==
          "argmax: axis -2 is named twice; name each axis once");
    CHECK(shape_error([&] { static_cast<void>(dot({x, x}, with({.axis = 1, .out = out}))); }) ==
          "dot: output 0 has shape (3,), the result has shape (2,); .out is never broadcast");
    CHECK(type_error([&] {
            static_cast<void>(dot({x, x}, with({.axis = 0, .out = target.place(Array::zeros({3}, DType::int32))})));
          }) ==
          "dot: cannot cast output 0 from float64 to the out array's int32 under casting \"same_kind\" for the loop "
          "float64(float64 x, float64 y); give one of float64");
    CHECK(shape_error([&] { static_cast<void>(minmax.outputs<2>({x}, with({.axis = 0, .out = {out, out}}))); }) ==
          "minmax: output 0 (low) and output 1 (high) share memory; give outputs that do not overlap");
    const Array still = target.place(Array::zeros({1}, DType::float64)).broadcast_to({3});
    CHECK(type_error([&] { static_cast<void>(dot({x, x}, with({.axis = 0, .out = still}))); }) ==
          "dot: output 0 is read-only; give a writable array as .out");
    CHECK(type_error([&] { static_cast<void>(mean_var.outputs<2>({x.astype(DType::complex64)}, with({}))); })
              .starts_with(
                  "mean_var: no loop takes (complex64) by safe casts; its loops are (float64 mean, float64 var)(float64 x)"));
    CHECK(type_error([&] { static_cast<void>(dot({target.place(Array::from<std::int8_t>({1})), 300}, with({}))); }) ==
          "dot: the integer 300 given as input 1 (y) does not fit in int8, the dtype of the loop int8(int8 x, int8 y)");
    CHECK(target.fetch(out).to_vector<double>() == std::vector<double>{7.5, 7.5, 7.5});
  });
}

TEST_CASE("reduction errors: arrays on different devices") {
  const Array x = Array::from<double>({1, 2, 3});
  const Array one = to_device(x, kiln::Device::cpu({.threads = 1}));
  for (const kiln::Device& device : devices()) {
    if (device.is_cpu()) continue;
    CHECK(message_of<kiln::DeviceError>([&] { static_cast<void>(dot(one, to_device(x, device))); }) ==
          "dot: input 0 (x) is on " + to_string(one.device()) + ", input 1 (y) is on " + to_string(device) +
              "; bring them to one device with to_device()");
  }
}

TEST_CASE("reduction errors: two ufuncs that do not go together") {
  namespace math = kiln::math;
  CHECK(message_of<kiln::TypeError>([] { static_cast<void>(kiln::reduction(math::modf, math::add)); }) ==
        "add_of_modf: the map modf has 2 outputs; give a ufunc of one output");
  CHECK(message_of<kiln::TypeError>([] { static_cast<void>(kiln::reduction(math::add, math::sin, "f")); }) ==
        "f: only a ufunc of two inputs and one output combines elements, and sin has 1 and 1");
  const Array x = Array::from<double>({1, 2, 3});
  const Reduction sum = kiln::reduction(math::multiply, math::add);
  CHECK(
      message_of<kiln::TypeError>([&] { static_cast<void>(sum({x, x}, {.signature = "float64, float64 -> float64"})); }) ==
      "add_of_multiply: a reduction of two ufuncs has no loop that .signature could force, they choose theirs; give .dtype for "
      "the one that combines, or convert the inputs with astype()");
  CHECK(message_of<kiln::TypeError>([&] {
          static_cast<void>(kiln::reduction(math::bitwise_and, math::add)(x, x));
        }).starts_with("in add_of_bitwise_and: bitwise_and: no loop takes (float64, float64) by safe casts"));
  CHECK(message_of<kiln::TypeError>([&] {
          static_cast<void>(sum(x));
        }).starts_with("add_of_multiply takes 2 arguments, 1 given"));
}

TEST_CASE("reduce errors: with KILN_DEBUG an identity that is none is found") {
  if (!has_cpu()) return;  // which the check runs on
  const auto make_product = [](const char* identity) {
    return kiln::vectorize({.name = "product", .signatures = {"T(T a, T b)"}, .body = "return a * b;", .identity = identity});
  };
  const Array x = Array::from<double>({2, 3});
  CHECK(make_product("0").reduce(x).item<double>() == 0);
  setenv("KILN_DEBUG", "1", 1);
  const kiln::Ufunc wrong = make_product("0");
  for (int i = 0; i < 2; ++i) {
    CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(wrong.reduce(x)); }) ==
          "product: .identity is \"0\", but product(0, x) is 0.0 where x is 3.0, in float64; give the value that changes "
          "none, or "
          "leave it out and set .reorderable");
  }
  CHECK(make_product("1").reduce(x).item<double>() == 6);
  CHECK(
      message_of<kiln::TypeError>([&] { static_cast<void>(kiln::reduction(kiln::math::square, make_product("0"))(x)); }) ==
      "product: .identity is \"0\", but product(0, x) is 0.0 where x is 3.0, in float64; give the value that changes none, or "
      "leave it out and set .reorderable");
  // Low enough for most values, and not for all.
  const auto make_largest = [](const char* identity) {
    return kiln::vectorize(
        {.name = "largest", .signatures = {"T(T a, T b)"}, .body = "return a < b ? b : a;", .identity = identity});
  };
  CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(make_largest("-1e5").reduce(x)); }) ==
        "largest: .identity is \"-1e5\", but largest(-1e5, x) is -100000.0 where x is -10000000.0, in float64; give the value "
        "that "
        "changes none, or leave it out and set .reorderable");
  const Array whole = Array::from<int>({2, 3});
  CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(make_largest("-1000").reduce(whole)); }) ==
        "largest: .identity is \"-1000\", but largest(-1000, x) is -1000 where x is -10000000, in int32; give the value that "
        "changes none, or leave it out and set .reorderable");
  CHECK(make_largest("-INFINITY").reduce(x).item<double>() == 3);
  // Values from which a sum would overflow, or a loop never end, are none to hold against it.
  const kiln::Ufunc either =
      kiln::vectorize({.name = "either", .signatures = {"T(T a, T b)"}, .body = "return a + b - a * b;", .identity = "0"});
  for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
    CHECK(either.reduce(Array::from<double>({0.5, 0.5}).astype(dtype)).astype(DType::float64).item<double>() == 0.75);
  }
  const kiln::Ufunc angles =
      kiln::vectorize({.signatures = {"float64(float64 a, float64 b)"},
                       .body = "double s = a + b; while (s > 360) s -= 360; while (s < -360) s += 360; return s;",
                       .identity = "0"});
  CHECK(angles.reduce(Array::from<double>({350, 20})).item<double>() == 10);
  // It need not hold for what the function never gives.
  CHECK(kiln::math::hypot.reduce(Array::from<double>({-3, 4})).item<double>() == 5);
  unsetenv("KILN_DEBUG");
}

TEST_CASE("reduce: identities of unsigned loops are as C++ converts them, down to the negative of the largest number") {
  const auto bits_and = [](const char* identity) {
    return kiln::vectorize(
        {.name = "both", .signatures = {"T(T a, T b)"}, .body = "return a & b;", .identity = identity, .reorderable = true});
  };
  const Array bytes = Array::from<std::uint8_t>({0xf7, 0x7f});
  // The identity is what nothing but itself gives.
  const auto of_nothing = [&](const char* identity) {
    return bits_and(identity).reduce(bytes, {.where = Array::zeros({2}, DType::bool_)}).item<std::uint8_t>();
  };
  CHECK(of_nothing("-1") == 255);
  CHECK(of_nothing("-129") == 127);
  CHECK(of_nothing("-255") == 1);
  CHECK(of_nothing("255") == 255);
  CHECK(bits_and("-1").reduce(bytes).item<std::uint8_t>() == 0x77);
  for (const char* identity : {"-256", "256"}) {
    CHECK_THROWS_AS(static_cast<void>(bits_and(identity).reduce(bytes)), kiln::TypeError);
  }
}

TEST_CASE("reduce errors: an identity that the dtype of the loop cannot hold") {
  const auto make_largest = [](const char* identity) {
    return kiln::vectorize(
        {.name = "largest", .signatures = {"T(T a, T b)"}, .body = "return a < b ? b : a;", .identity = identity});
  };
  const Array whole = Array::from<int>({2, 3});
  const Array truth = Array::from<double>({0, 1}).astype(DType::bool_);
  const auto text = [](const std::string& name, const std::string& identity, const std::string& dtype,
                       const std::string& loop) {
    return name + ": .identity is \"" + identity + "\", which " + dtype + " of the loop " + loop +
           " cannot hold; restrict the loops to dtypes that can, or leave .identity out and set .reorderable";
  };
  for (const char* identity :
       {"-INFINITY", "( NAN )", "-(INFINITY)", "1e10", "+HUGE_VAL", "2147483648", "-(2'147'483'649)", "0x1'0000'0000"}) {
    CAPTURE(identity);
    const kiln::Ufunc largest = make_largest(identity);
    CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(largest.reduce(whole)); }) ==
          text("largest", identity, "int32", "int32(int32 a, int32 b)"));
    CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(largest.reduce(truth)); }) ==
          text("largest", identity, "bool", "bool(bool a, bool b)"));
    // At every call, not at the first alone.
    const kiln::Reduction squares = kiln::reduction(kiln::math::square, largest);
    for (int call = 0; call < 2; ++call) {
      CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(squares(whole)); }) ==
            text("largest_of_square", identity, "int32", "int32(int32)"));
    }
    const kiln::Reduction stages =
        kiln::reduction({.name = "top", .signatures = {"T(T x)"}, .reduce = "return a < b ? b : a;", .identity = identity});
    for (int call = 0; call < 2; ++call) {
      CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(stages(whole)); }) ==
            text("top", identity, "int32", "int32(int32 x)"));
    }
    // Where there is something else to start from, and in loops that can hold it, it is as good as any.
    CHECK(largest.reduce(whole, {.initial = 1}).item<int>() == 3);
    CHECK(squares({whole}, {.initial = 1}).item<int>() == 9);
    CHECK(stages({whole}, {.initial = 1}).item<int>() == 3);
    CHECK(stages({whole}, {.initial = 1, .where = truth}).item<int>() == 3);
    setenv("KILN_DEBUG", "1", 1);
    CHECK(make_largest(identity).reduce(whole, {.initial = 1}).item<int>() == 3);
    CHECK(kiln::reduction(kiln::math::square, make_largest(identity))({whole}, {.initial = 1}).item<int>() == 9);
    unsetenv("KILN_DEBUG");
    static_cast<void>(largest.reduce(Array::from<double>({2, 3})));
  }
  CHECK(message_of<kiln::TypeError>([&] {
          static_cast<void>(make_largest((std::string(100000, '+').append("1e30")).c_str()).reduce(whole));
        }).find("which int32 of the loop int32(int32 a, int32 b) cannot hold") != std::string::npos);
  const auto reduced = [&](const char* identity, DType dtype) {
    return make_largest(identity).reduce(Array::from<double>({1, 2}).astype(dtype));
  };
  const auto of_bytes = [&](const char* identity, DType dtype) {
    return message_of<kiln::TypeError>([&] { static_cast<void>(reduced(identity, dtype)); });
  };
  for (const char* identity : {"128", "(1000)", "-129", "0x100", "0400", "4294967295u"}) {
    CAPTURE(identity);
    CHECK(of_bytes(identity, DType::int8).find("which int8 of the loop int8(int8 a, int8 b) cannot hold") != std::string::npos);
  }
  CHECK(of_bytes("256", DType::uint8).find("which uint8 of the loop ") != std::string::npos);
  CHECK(of_bytes("99999999999999999999", DType::int64).find("which int64 of the loop ") != std::string::npos);
  CHECK(of_bytes("-9223372036854775809", DType::int64).find("which int64 of the loop ") != std::string::npos);
  for (const char* identity : {"127", "-128", "-1", "0xff", "0b1111'1111", "0377", "' '", "1 + 1000"}) {
    CAPTURE(identity);
    CHECK_NOTHROW(static_cast<void>(reduced(identity, DType::int8)));
  }
  for (const char* identity : {"255", "-128", "-1", "0xFFu", "0"}) {
    CAPTURE(identity);
    CHECK_NOTHROW(static_cast<void>(reduced(identity, DType::uint8)));
  }
  CHECK_NOTHROW(static_cast<void>(reduced("18446744073709551615u", DType::uint64)));
  // Fractions are cut off, as those of .initial are; negative numbers wrap, as in C++.
  CHECK(make_largest("2.75").reduce(Array::from<int>({1})).item<int>() == 2);
  CHECK(make_largest("1.0").reduce(truth).item<bool>());
  CHECK(kiln::math::bitwise_and.reduce(Array::from<std::uint8_t>({})).item<std::uint8_t>() == 255);
}
