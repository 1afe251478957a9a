// Which loop a call runs: NumPy's answers from the golden files, and what NumPy has no ufunc for.
#include <map>
#include <sstream>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/error.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Casting;
using kiln::DType;
using kiln::Ufunc;

namespace {

Ufunc with_loops(const std::string& ufunc_name, const std::string& loops) {
  kiln::UfuncDefinition definition{.name = ufunc_name};
  std::istringstream lines(loops);
  std::size_t nin = 0;
  for (std::string loop; std::getline(lines, loop, ';');) {
    std::vector<std::string> dtypes;
    std::istringstream words(loop);
    for (std::string word; std::getline(words, word, ',');) dtypes.push_back(word);
    nin = dtypes.size() - 1;
    definition.signatures.push_back(dtypes.back() + "(" + dtypes[0] + " a" + (nin == 2 ? ", " + dtypes[1] + " b" : "") + ")");
  }
  definition.body = "return a;";
  return kiln::vectorize(definition);
}

/// The dtype that the call would give, or the kind of error: "error", "overflow".
std::string outcome(const Ufunc& ufunc, const std::vector<kiln::Arg>& args) {
  try {
    const auto resolved = args.size() == 1 ? ufunc.resolve({args[0]}) : ufunc.resolve({args[0], args[1]});
    return std::string(name(resolved.dtypes.back()));
  } catch (const kiln::TypeError& error) {
    return std::string(error.what()).find("does not fit in") == std::string::npos ? "error" : "overflow";
  }
}

}  // namespace

TEST_CASE("loops: casting agrees with numpy.can_cast") {
  const std::map<std::string, Casting> castings = {{"no", Casting::no},
                                                   {"equiv", Casting::equiv},
                                                   {"safe", Casting::safe},
                                                   {"same_kind", Casting::same_kind},
                                                   {"unsafe", Casting::unsafe}};
  for (const Golden& line : golden("casts.txt")) {
    INFO(line.text);
    CHECK(can_cast(dtype_named(line.fields[1]), dtype_named(line.fields[2]), castings.at(line.fields[0])) ==
          (line.fields[3] == "1"));
  }
}

TEST_CASE("loops: a type variable is bound by numpy.result_type") {
  const Ufunc add = kiln::vectorize("T(T a, T b)", "return a + b;");
  for (const Golden& line : golden("promotions.txt")) {
    INFO(line.text);
    const DType a = dtype_named(line.fields[0]);
    const DType b = dtype_named(line.fields[1]);
    const DType expected = dtype_named(line.fields[2]);
    CHECK(promote(a, b) == expected);
    CHECK(add.resolve({Array::zeros({2}, a), Array::zeros({2}, b)}).dtypes == std::vector<DType>(3, expected));
  }
}

TEST_CASE("loops: the choice among several loops is NumPy's") {
  std::map<std::string, Ufunc> ufuncs;
  const Ufunc any = kiln::vectorize("T(T a, T b)", "return a + b;");
  std::size_t cases = 0;
  for (const Golden& line : golden("loops.txt")) {
    INFO(line.text);
    if (line.fields[0] == "ufunc") {
      ufuncs.emplace(line.fields[1], with_loops(line.fields[1], line.fields[2]));
      continue;
    }
    std::vector<Array> arrays;
    arrays.reserve(2);
    std::vector<kiln::Arg> args;
    for (std::size_t i = 1; line.fields[i] != "->"; ++i) {
      const std::string& field = line.fields[i];
      if (field[0] != 's') {
        arrays.push_back(Array::zeros(field[0] == 'a' ? kiln::Shape{2} : kiln::Shape{}, dtype_named(field.substr(2))));
        args.emplace_back(arrays.back());
      } else if (field.starts_with("s:bool")) {
        args.emplace_back(true);
      } else if (field.starts_with("s:int:")) {
        args.emplace_back(static_cast<std::int64_t>(std::stoll(field.substr(6))));
      } else if (field.starts_with("s:float")) {
        args.emplace_back(2.5);
      } else {
        args.emplace_back(std::complex<double>(1, 2));
      }
    }
    const std::string expected = line.fields.back();
    CHECK(outcome(ufuncs.at(line.fields[0]), args) == expected);
    // One loop for all dtypes makes the same choice as NumPy's list.
    if (line.fields[0] == "add") CHECK(outcome(any, args) == expected);
    ++cases;
  }
  CHECK(cases > 2000);
}

TEST_CASE("loops: exact dtypes win wherever they stand, then the first safe one in order") {
  const Ufunc f = kiln::vectorize(
      {.name = "f", .signatures = {"float64(float64 a)", "float32(float32)", "int32(int32)"}, .body = "return a;"});
  const auto loop = [&](DType dtype) { return f.resolve({Array::zeros({2}, dtype)}).loop; };
  CHECK(loop(DType::float32) == "float32(float32)");
  CHECK(loop(DType::int32) == "int32(int32)");
  CHECK(loop(DType::int16) == "float64(float64 a)");
  CHECK(loop(DType::float16) == "float64(float64 a)");
}

TEST_CASE("loops: casting checks the chosen loop and never chooses") {
  const Ufunc f = kiln::vectorize({.name = "f", .signatures = {"float32(float32 a)", "float64(float64)"}, .body = "return a;"});
  const Array complexes = Array::zeros({2}, DType::complex64);
  const std::string none =
      "f: no loop takes (complex64) by safe casts; its loops are float32(float32 a); float64(float64); convert an argument "
      "with "
      "astype(), or force a loop with .dtype or .signature";
  const auto refused = [&](Casting casting) {
    return message_of<kiln::TypeError>([&] { (void)f.resolve({complexes}, {.casting = casting}); });
  };
  CHECK(refused(Casting::unsafe) == none);
  CHECK(refused(Casting::same_kind) == none + " and .casting = Casting::unsafe");
  const Array ints = Array::zeros({2}, DType::int16);
  CHECK(f.resolve({ints}).loop == "float32(float32 a)");
  CHECK(
      message_of<kiln::TypeError>([&] { (void)f.resolve({ints}, {.casting = Casting::no}); }) ==
      "f: cannot cast input 0 (a) from int16 to float32 under casting \"no\" for the loop float32(float32 a); convert it with "
      "astype(), or give .casting = Casting::safe");
}

TEST_CASE("loops: out does not steer the choice, and its cast is checked") {
  const Ufunc f = kiln::vectorize(
      {.name = "f", .signatures = {"int64(int64 a)", "float64(float64)", "complex64(complex64)"}, .body = "return a;"});
  const auto with_out = [&](DType in, DType out) {
    return f.resolve({Array::zeros({2}, in)}, {.out = Array::zeros({2}, out)}).loop;
  };
  CHECK(with_out(DType::int64, DType::float64) == "int64(int64 a)");
  CHECK(with_out(DType::int64, DType::int32) == "int64(int64 a)");
  CHECK(with_out(DType::int64, DType::float32) == "int64(int64 a)");
  const auto refused = [&](DType in, DType out) { return message_of<kiln::TypeError>([&] { (void)with_out(in, out); }); };
  CHECK(refused(DType::float64, DType::int64) ==
        "f: cannot cast output 0 from float64 to the out array's int64 under casting \"same_kind\" for the loop "
        "float64(float64); give one of float64");
  CHECK(refused(DType::complex64, DType::float32) ==
        "f: cannot cast output 0 from complex64 to the out array's float32 under casting \"same_kind\" for the loop "
        "complex64(complex64); give one of complex64");
  CHECK(refused(DType::int64, DType::uint64) ==
        "f: cannot cast output 0 from int64 to the out array's uint64 under casting \"same_kind\" for the loop int64(int64 a); "
        "give one of int64");
}

TEST_CASE("loops: a forced dtype or signature skips the search") {
  const Ufunc f =
      kiln::vectorize({.name = "f",
                       .signatures = {"int32(int32 a, int32 b)", "float32(float32, float32)", "float64(float64, float64)"},
                       .body = "return a / b;"});
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::int32, {1, 3}));
    const Array b = target.place(make(DType::int32, {2, 2}));
    CHECK(difference(read(target.fetch(target.call(f, {a, b}))), {0, 1}) == "");
    const Array real = target.call(f, {a, b}, {.dtype = DType::float64});
    CHECK(real.dtype() == DType::float64);
    CHECK(difference(read(target.fetch(real)), {0.5L, 1.5L}) == "");
    const Array single = target.call(f, {a, b}, {.signature = "float32, float32 -> float32"});
    CHECK(single.dtype() == DType::float32);
    CHECK(difference(read(target.fetch(single)), {0.5L, 1.5L}) == "");
  });
  const Array x = Array::zeros({2}, DType::float64);
  CHECK(message_of<kiln::TypeError>([&] { (void)f.resolve({x, x}, {.dtype = DType::int32}); }) ==
        "f: cannot cast input 0 (a) from float64 to int32 under casting \"same_kind\" for the loop int32(int32 a, int32 b); "
        "convert it with astype(), or give .casting = Casting::unsafe");
  CHECK(f.resolve({x, x}, {.casting = Casting::unsafe, .dtype = DType::int32}).loop == "int32(int32 a, int32 b)");
  CHECK(message_of<kiln::TypeError>([&] { (void)f.resolve({x, x}, {.dtype = DType::int8}); }) ==
        "f: there is no loop with outputs of dtype int8; its loops are int32(int32 a, int32 b); float32(float32, float32); "
        "float64(float64, float64)");
  CHECK(message_of<kiln::TypeError>([&] { (void)f.resolve({x, x}, {.signature = "int8, int8 -> int8"}); }) ==
        "f: there is no loop \"int8, int8 -> int8\"; its loops are int32(int32 a, int32 b); float32(float32, float32); "
        "float64(float64, float64)");
  CHECK(message_of<kiln::SignatureError>([&] { (void)f.resolve({x, x}, {.signature = "int8, int8"}); }) ==
        "expected '->' after the inputs, found the end of the text\nint8, int8\n          ^");
}

TEST_CASE("loops: scalars are weak, 0-d arrays are strong, and the values are right") {
  const Ufunc add = kiln::vectorize("T(T a, T b)", "return a + b;");
  on_every_device([&](const Target& target) {
    const auto check = [&](DType dtype, const kiln::Arg& scalar, DType expected, const Exact& sum) {
      const Array result = target.call(add, {target.place(make(dtype, {1, 2})), scalar});
      CHECK(result.dtype() == expected);
      CHECK(difference(read(target.fetch(result)), {sum + 1.0L, sum + 2.0L}) == "");
    };
    check(DType::float32, 0.5, DType::float32, 0.5L);
    check(DType::float16, 2.0, DType::float16, 2);
    check(DType::bfloat16, 2.0, DType::bfloat16, 2);
    check(DType::bfloat16, 2, DType::bfloat16, 2);
    check(DType::int8, 100, DType::int8, 100);
    check(DType::uint8, std::int64_t{200}, DType::uint8, 200);
    check(DType::int32, 0.5F, DType::float64, 0.5L);
    check(DType::int8, true, DType::int8, 1);
    check(DType::float32, std::complex<double>(0, 1), DType::complex64, Exact(0, 1));
    check(DType::float64, std::complex<float>(0, 1), DType::complex128, Exact(0, 1));
    check(DType::complex64, 2.5, DType::complex64, 2.5L);
    const Array strong = target.place(Array::scalar(0.5));
    check(DType::float32, strong, DType::float64, 0.5L);
    // Every scalar, any position.
    const Array left = target.call(add, {std::uint8_t{5}, target.place(make(DType::int16, {-7}))});
    CHECK(left.dtype() == DType::int16);
    CHECK(difference(read(target.fetch(left)), {-2}) == "");
  });
}
