// Every wrong call gets one clear line, and nothing is written.
#include <algorithm>
#include <functional>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/fft.hpp"
#include "kiln/fuse.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DeviceError;
using kiln::DType;
using kiln::ShapeError;
using kiln::Slice;
using kiln::TypeError;
using kiln::Ufunc;

namespace {

const Ufunc& subtract() {
  static const Ufunc ufunc =
      kiln::vectorize({.name = "subtract", .signatures = {"float32(float32 a, float32 b)"}, .body = "return a - b;"});
  return ufunc;
}
const Ufunc& divmod() {
  static const Ufunc ufunc = kiln::vectorize(
      {.name = "divmod", .signatures = {"(int32 q, int32 r)(int32 a, int32 b)"}, .body = "q = a / b; r = a % b;"});
  return ufunc;
}

/// Calls that must throw, on arrays that must keep their values.
struct Fixture {
  explicit Fixture(const Target& on) : target(on) {}
  const Target& target;
  Array three = target.place(make(DType::float32, {1, 2, 3}));
  Array four = target.place(make(DType::float32, {1, 2, 3, 4}));
  Array out = target.place(make(DType::float32, {70, 80, 90}));

  template <class E>
  void check(std::initializer_list<kiln::Arg> args, const kiln::CallOptions& options, const std::string& message) const {
    CHECK(message_of<E>([&] { target.call(subtract(), args, options); }) == message);
    CHECK(difference(read(target.fetch(out)), {70, 80, 90}) == "");
    CHECK(difference(read(target.fetch(three)), {1, 2, 3}) == "");
  }
};

}  // namespace

TEST_CASE("errors: arguments and outputs are counted") {
  on_every_device([&](const Target& target) {
    const Fixture f(target);
    f.check<TypeError>({f.three}, {}, "subtract takes 2 arguments, 1 given; its loops are float32(float32 a, float32 b)");
    f.check<TypeError>({f.three, f.three, f.three}, {},
                       "subtract takes 2 arguments, 3 given; its loops are float32(float32 a, float32 b)");
    f.check<TypeError>({f.three, f.three}, {.out = {f.out, f.out}}, "subtract has 1 output, .out names 2 arrays");
    CHECK(message_of<TypeError>([&] { divmod()(3, 4); }) == "divmod has 2 outputs: call outputs<2>() instead of operator()");
    CHECK(message_of<TypeError>([&] { divmod().outputs<3>(3, 4); }) == "divmod has 2 outputs, not 3");
    CHECK(message_of<TypeError>([&] { subtract().outputs<2>(3, 4); }) == "subtract has 1 output, not 2");
  });
}

TEST_CASE("errors: an empty handle is no array") {
  on_every_device([&](const Target& target) {
    const Fixture f(target);
    f.check<TypeError>({f.three, Array()}, {.out = f.out}, "subtract: input 1 (b) is an empty Array handle, not an array");
    f.check<TypeError>({f.three, f.three}, {.out = Array()}, "subtract: output 0 is an empty Array handle, not an array");
  });
}

TEST_CASE("errors: dtypes that no loop takes") {
  on_every_device([&](const Target& target) {
    const Fixture f(target);
    const Array doubles = target.place(make(DType::float64, {1, 2, 3}));
    f.check<TypeError>({f.three, doubles}, {.out = f.out},
                       "subtract: no loop takes (float32, float64) by safe casts; its loops are float32(float32 a, float32 b); "
                       "convert an argument with astype(), or force a loop with .dtype or .signature");
    const Array ints = target.place(Array::zeros({3}, DType::int32));
    f.check<TypeError>(
        {f.three, f.three}, {.out = ints},
        "subtract: cannot cast output 0 from float32 to the out array's int32 under casting \"same_kind\" for the "
        "loop float32(float32 a, float32 b); give one of float32");
  });
}

TEST_CASE("errors: two ways to force a loop") {
  on_every_device([&](const Target& target) {
    Fixture(target).check<TypeError>({1.0F, 2.0F}, {.dtype = DType::float32, .signature = "float32, float32 -> float32"},
                                     "subtract: .dtype and .signature both force a loop; give one of them");
  });
}

TEST_CASE("errors: a mask is an operand, too") {
  std::string inputs;
  std::vector<kiln::Arg> args;
  for (int i = 0; i < 31; ++i) {
    inputs += (i == 0 ? "float32 a" : ", float32 a") + std::to_string(i);
    args.emplace_back(1.0F);
  }
  const Ufunc many = kiln::vectorize({.name = "many", .signatures = {"float32(" + inputs + ")"}, .body = "return a0;"});
  const auto each = kiln::guvectorize({.name = "each",
                                       .layout =
                                           [] {
                                             std::string layout = "()";
                                             for (int i = 1; i < 31; ++i) layout += ",()";
                                             return layout + "->()";
                                           }(),
                                       .signatures = {"void(" + inputs + ", float32 r)"},
                                       .body = "r = a0;"});
  on_every_device([&](const Target& target) {
    const kiln::CallOptions masked = target.options({.where = target.place(make(DType::bool_, {1}))});
    CHECK(target.fetch(many(args, target.options())).item<float>() == 1);
    CHECK(message_of<TypeError>([&] { many(args, masked); }) ==
          "many: .where makes more operands than the 32 that a kernel takes; use fewer operands");
    CHECK(message_of<TypeError>([&] { each(args, {.where = masked.where, .stream = masked.stream}); }) ==
          "each: .where makes more operands than the 32 that a kernel takes; use fewer operands");
  });
}

TEST_CASE("errors: an out of no elements whose strides are 0 can be written") {
  float none = 0;
  on_every_device([&](const Target& target) {
    const Array out = Array::view(&none, {0, 3}, DType::float32, {.strides = kiln::Strides{0, 0}});
    const Array in = Array::zeros({0, 3}, DType::float32);
    CHECK(target.call(subtract(), {in, in}, {.out = out}).shape() == kiln::Shape{0, 3});
    const Array mask = Array::zeros({0, 3}, DType::bool_);
    CHECK(target.call(subtract(), {in, in}, {.out = out, .where = mask}).shape() == kiln::Shape{0, 3});
    const auto copied = kiln::guvectorize(
        {.name = "copied", .layout = "(n)->(n)", .signatures = {"void(float32[:] a, float32[:] b)"}, .body = "b(0) = a(0);"});
    CHECK(copied({in}, {.out = out, .stream = target.options().stream}).shape() == kiln::Shape{0, 3});
  });
}

TEST_CASE("errors: a scalar that does not fit") {
  const Ufunc add = kiln::vectorize({.name = "add", .signatures = {"T(T a, T b)"}, .body = "return a + b;"});
  on_every_device([&](const Target& target) {
    const Array bytes = target.place(make(DType::int8, {1, 2}));
    CHECK(message_of<TypeError>([&] { target.call(add, {bytes, 300}); }) ==
          "add: the integer 300 given as input 1 (b) does not fit in int8, the dtype of the loop int8(int8 a, int8 b)");
    const Array none = target.place(Array::zeros({0}, DType::int8));
    CHECK_THROWS_AS(target.call(add, {none, 300}), TypeError);
    CHECK_THROWS_AS((void)add.resolve({none, 300}), TypeError);
    const Array naturals = target.place(make(DType::uint16, {1, 2}));
    CHECK(message_of<TypeError>([&] { target.call(add, {-1, naturals}); }) ==
          "add: the integer -1 given as input 0 (a) does not fit in uint16, the dtype of the loop uint16(uint16 a, uint16 b)");
  });
}

TEST_CASE("errors: shapes that do not broadcast, and outs that do not take the result") {
  on_every_device([&](const Target& target) {
    const Fixture f(target);
    f.check<ShapeError>({f.three, f.four}, {.out = f.out},
                        "subtract: shapes do not broadcast: input 0 (a) (3,), input 1 (b) (4,); extents must be equal or 1, "
                        "counted from the last axis");
    f.check<ShapeError>({f.four, f.four}, {.out = f.out},
                        "subtract: shapes do not broadcast: input 0 (a) (4,), input 1 (b) (4,), output 0 (3,); extents must be "
                        "equal or 1, counted from the last axis");
    const Array table = target.place(Array::zeros({2, 3}, DType::float32));
    f.check<ShapeError>({table, f.three}, {.out = f.out},
                        "subtract: output 0 has shape (3,), the result has shape (2, 3); .out is never broadcast");
    const Array one = target.place(Array::zeros({1}, DType::float32));
    f.check<ShapeError>({f.three, f.three}, {.out = one},
                        "subtract: output 0 has shape (1,), the result has shape (3,); .out is never broadcast");
  });
}

TEST_CASE("errors: outputs that cannot be written") {
  on_every_device([&](const Target& target) {
    const Fixture f(target);
    f.check<TypeError>({f.three, f.three}, {.out = f.out.as_read_only()},
                       "subtract: output 0 is read-only; give a writable array as .out");
    const Array one = target.place(Array::zeros({1}, DType::float32));
    f.check<TypeError>({f.three, f.three}, {.out = one.broadcast_to({3})},
                       "subtract: output 0 is read-only; give a writable array as .out");
    const Array ints = target.place(make(DType::int32, {9, 8, 7, 6}));
    const auto divide = [&](const Array& q, const Array& r) {
      return message_of<ShapeError>([&] { target.outputs(divmod(), {7, 2}, {.out = {q, r}}); });
    };
    CHECK(divide(ints[{Slice{.stop = 3}}], ints[{Slice{.start = 1}}]) ==
          "divmod: output 0 (q) and output 1 (r) share memory; give outputs that do not overlap");
    CHECK(difference(read(target.fetch(ints)), {9, 8, 7, 6}) == "");
    // Halves of one array that only interleave are fine.
    target.outputs(divmod(), {7, 2}, {.out = {ints[{Slice{.start = 0, .step = 2}}], ints[{Slice{.start = 1, .step = 2}}]}});
    CHECK(difference(read(target.fetch(ints)), {3, 1, 3, 1}) == "");
  });
}

TEST_CASE("errors: an out whose elements share memory") {
  std::vector<float> memory(8, 5.0F);
  const Array rows = Array::view(memory.data(), {3, 4}, DType::float32, {.strides = kiln::Strides{8, 4}});
  const Array ones = Array::full({3, 4}, 1.0F);
  CHECK(message_of<ShapeError>([&] { subtract()({ones, ones}, {.out = rows}); }) ==
        "subtract: elements of output 0 share memory with one another; give an .out whose elements are distinct");
  CHECK(std::count(memory.begin(), memory.end(), 5.0F) == 8);
}

TEST_CASE("errors: two memories are never mixed") {
  count_case();
  for (const kiln::Device& first : devices()) {
    for (const kiln::Device& second : devices()) {
      if (first.same_memory(second)) continue;
      const Array a = kiln::to_device(make(DType::float32, {1, 2}), first);
      const Array b = kiln::to_device(make(DType::float32, {1, 2}), second);
      CHECK(message_of<DeviceError>([&] { subtract()(a, b); }) == "subtract: input 0 (a) is on " + to_string(first) +
                                                                      ", input 1 (b) is on " + to_string(second) +
                                                                      "; bring them to one device with to_device()");
      CHECK(message_of<DeviceError>([&] { subtract()({a, a}, {.stream = kiln::Stream(second)}); }) ==
            "subtract: the stream is on " + to_string(second) + ", the arrays are on " + to_string(first) +
                "; give a stream of that device");
    }
  }
}

TEST_CASE("errors: .device names another device than the one that the arrays are on, in calls of every kind") {
  const kiln::Device other = kiln::Device::of_kind(kiln::DeviceKind::hip);
  const std::string tail = "; leave .device out, or bring all to that device";
  const kiln::Gufunc twice = kiln::guvectorize({.name = "twice",
                                                .layout = "(n)->(n)",
                                                .signatures = {"void(float32[:] x, float32[:] y)"},
                                                .body = "for (index i = 0; i < n; ++i) y(i) = 2 * x(i);"});
  const kiln::Reduction total =
      kiln::reduction({.name = "total", .signatures = {"float32(float32 x)"}, .reduce = "return a + b;", .identity = "0"});
  const kiln::RawKernel clear = kiln::kernel({.name = "clear", .signature = "void(float32* x)", .body = "x[item] = 0;"});
  on_every_device(
      [&](const Target& target) {
        if (target.device().kind() == other.kind()) return;
        const Array a = target.place(make(DType::float32, {1, 2, 3}));
        const Array at = target.place(make(DType::int64, {0, 2}));
        const std::string here = to_string(target.device());
        const auto expected = [&](const char* what, const char* operand) {
          return std::string(what) + ": .device is hip:0, " + operand + " is on " + here + tail;
        };
        CHECK(message_of<DeviceError>([&] { subtract()({a, a}, {.device = other}); }) == expected("subtract", "input 0 (a)"));
        CHECK(message_of<DeviceError>([&] { twice({a}, {.device = other}); }) == expected("twice", "input 0 (x)"));
        CHECK(message_of<DeviceError>([&] { total({a}, {.device = other}); }) == expected("total", "input 0 (x)"));
        CHECK(message_of<DeviceError>([&] { clear({.size = 3, .device = other}, a); }) == expected("clear", "argument 0 (x)"));
        const Ufunc& add = kiln::math::add;
        for (const std::string& text : {message_of<DeviceError>([&] { add.reduce(a, {.device = other}); }),
                                        message_of<DeviceError>([&] { add.accumulate(a, {.device = other}); }),
                                        message_of<DeviceError>([&] { add.reduceat(a, at, {.device = other}); }),
                                        message_of<DeviceError>([&] { add.at(a, at, a, {.device = other}); }),
                                        message_of<DeviceError>([&] { kiln::fft::fft(a, {.device = other}); })}) {
          CHECK(text.find(": .device is hip:0, ") != std::string::npos);
          CHECK(text.find(" is on " + here + tail) != std::string::npos);
        }
        CHECK(list_of(target.fetch(a)) == std::vector<double>{1, 2, 3});
      },
      {Mode::device});
}

TEST_CASE("errors: device names") {
  const std::string forms =
      "devices are \"cpu\", \"cpu:N\" (N threads), \"cuda\", \"cuda:N\", \"hip\", \"hip:N\" (GPU number N), "
      "\"emulated:sm_NN\", \"best\"";
  const auto message = [](const char* text) { return message_of<DeviceError>([&] { (void)kiln::Device::from_string(text); }); };
  CHECK(message("gpu") == "unknown device \"gpu\"; " + forms);
  CHECK(message("") == "unknown device \"\"; " + forms);
  CHECK(message("cuda:x") == "unknown device \"cuda:x\": expected a number after ':'; " + forms);
  CHECK(message("cuda:-1") == "unknown device \"cuda:-1\": expected a number after ':'; " + forms);
  CHECK(message("cpu:0") == "unknown device \"cpu:0\": a CPU needs at least one thread; " + forms);
  CHECK(message("cpu:5000") == "unknown device \"cpu:5000\": a CPU has at most 4096 threads; " + forms);
  CHECK(message("cuda:999").starts_with("there is no device cuda:999: "));
  CHECK(message("hip:999").starts_with("there is no device hip:999: "));
  CHECK(kiln::Device::from_string("cpu:3") == kiln::Device::cpu({.threads = 3}));
}

TEST_CASE("errors: a body or an expression") {
  CHECK(message_of<kiln::SignatureError>([] {
          (void)kiln::vectorize({.name = "f", .signatures = {"int32(int32 a)"}});
        }).starts_with("f: neither a body nor an expression given"));
  CHECK(message_of<kiln::SignatureError>([] {
          (void)kiln::vectorize({.name = "f", .signatures = {"int32(int32 a)"}, .body = "return a;", .expression = "a"});
        }).starts_with("f: give a body or an expression, not both"));
}

TEST_CASE("errors: signatures and texts that cannot be read fail at the definition") {
  const auto signature = [](const char* text) {
    return message_of<kiln::SignatureError>([&] { (void)kiln::vectorize(text, "return 1;"); });
  };
  CHECK(signature("float32(float32 a, float32 a)") ==
        "the name \"a\" is used twice\nfloat32(float32 a, float32 a)\n                           ^");
  CHECK(signature("float32(float32 return)") ==
        "\"return\" cannot be a parameter's name: it is a C++ keyword\nfloat32(float32 return)\n                ^");
  CHECK(signature("float32(flaot32 a)") ==
        "unknown dtype \"flaot32\": did you mean \"float32\"?\nfloat32(flaot32 a)\n        ^");
  CHECK(signature("float32(float32 a") ==
        "expected ')' or ',' after an input, found the end of the text\nfloat32(float32 a\n                 ^");
  const auto body = [](const char* text) {
    return message_of<kiln::CompileError>(
        [&] { (void)kiln::vectorize({.name = "k", .signatures = {"float32(float32 a)"}, .body = text}); });
  };
  CHECK(body("if (a > 0) { return a;") ==
        "k:1:12: error: '{' is never closed; add '}'\n  if (a > 0) { return a;\n             ^");
  CHECK(body("return a; }")
            .starts_with("k:1:11: error: '}' closes nothing that was opened in this text; remove it, or open it with '{'\n"));
  CHECK(body("return a /* why").starts_with("k:1:10: error: "));
  CHECK(message_of<kiln::CompileError>([] {
          (void)kiln::vectorize({.name = "k", .signatures = {"float32(float32 a)"}, .expression = "a; a = 2"});
        }).starts_with("k:1:2: error: an expression has no ';'; remove it, or write the body in braces with a return\n"));
  CHECK(body("return \"a;").starts_with("k:1:8: error: "));
}

TEST_CASE("errors: a failing definition or call leaves a working library") {
  on_every_device([&](const Target& target) {
    const Fixture f(target);
    const Ufunc broken =
        kiln::vectorize({.name = "broken", .signatures = {"float32(float32 a)"}, .body = "return a + nothing;"});
    for (int i = 0; i < 2; ++i) {
      CHECK(message_of<kiln::CompileError>([&] {
              target.call(broken, {f.three}, {.out = f.out});
            }).starts_with("broken:1:12: error: "));
      CHECK(difference(read(target.fetch(f.out)), {70, 80, 90}) == "");
    }
    target.call(subtract(), {f.three, 1.0F}, {.out = f.out});
    CHECK(difference(read(target.fetch(f.out)), {0, 1, 2}) == "");
  });
}

TEST_CASE("errors: a name that no kernel can have") {
  struct Definer {
    const char* what;
    std::function<void(const std::string&)> define;
  };
  const std::vector<Definer> definers{
      {"vectorize",
       [](const std::string& name) {
         static_cast<void>(kiln::vectorize({.name = name, .signatures = {"T(T x)"}, .body = "return x;"}));
       }},
      {"guvectorize",
       [](const std::string& name) {
         static_cast<void>(kiln::guvectorize(
             {.name = name, .layout = "(n)->()", .signatures = {"void(int64[:] x, int64 y)"}, .body = "y = n;"}));
       }},
      {"kernel",
       [](const std::string& name) {
         static_cast<void>(kiln::kernel({.name = name, .signature = "void(int64 n)", .body = ";"}));
       }},
      {"reduction",
       [](const std::string& name) {
         static_cast<void>(kiln::reduction({.name = name, .signatures = {"T(T x)"}, .reduce = "return a + b;"}));
       }},
      {"reduction of two ufuncs",
       [](const std::string& name) { static_cast<void>(kiln::reduction(kiln::math::square, kiln::math::add, name)); }},
      {"fuse", [](const std::string& name) { static_cast<void>(kiln::fuse(name, [](kiln::Expr x) { return -x; })); }},
  };
  const auto refused = [](const std::string& shown, const std::string& better, const std::string& line, std::size_t at) {
    return "the name \"" + shown + "\" is no C++ identifier; write letters, digits and '_', as in \"" + better + "\"\n" + line +
           "\n" + std::string(at, ' ') + "^";
  };
  for (const Definer& definer : definers) {
    INFO(definer.what);
    const auto error = [&](const std::string& name) { return message_of<kiln::SignatureError>([&] { definer.define(name); }); };
    CHECK(error("my kernel") == refused("my kernel", "my_kernel", "my kernel", 2));
    CHECK(error("1st") == refused("1st", "kernel_1st", "1st", 0));
    CHECK(error("std::max") == refused("std::max", "std_max", "std::max", 3));
    CHECK(error(" a-b") == refused(" a-b", "a_b", " a-b", 0));
    CHECK(error("naïve") == refused("naïve", "na_ve", "naïve", 2));
    CHECK(error("a\nb") == refused("a?b", "a_b", "a", 1));
    CHECK(error("caf\xe9 \x1b[2J") == refused("caf? ?[2J", "caf_2J", "caf? ?[2J", 3));
    CHECK(error("--") == refused("--", "kernel", "--", 0));
    CHECK(error("double") == "\"double\" cannot be the kernel's name: it is a C++ keyword\ndouble\n^");
    CHECK(error("a__b") == "\"a__b\" cannot be the kernel's name: it is a name that C++ reserves for compilers\na__b\n^");
    definer.define("");  // the kind's own
    definer.define("_a1");
  }
}
