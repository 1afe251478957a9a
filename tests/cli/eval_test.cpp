// kiln eval on good input: the results are NumPy's, to the bit.
#include <doctest/doctest.h>

#include "command.hpp"
#include "evaluation.hpp"
#include "npy_file.hpp"

namespace {

using cli::read_npy;
using cli::run;
using cli::sample;
using cli::Scratch;

const std::string kDiscriminant = "float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)";

/// Elements that are nan in both files are equal, whatever their sign: processors differ in it.
std::string without_nan_signs(std::string payload) {
  for (std::size_t i = 3; i < payload.size(); i += 4) {
    const bool nan = payload.compare(i - 1, 2, "\xc0\x7f") == 0 || payload.compare(i - 1, 2, "\xc0\xff") == 0 ||
                     payload.compare(i - 1, 2, "\xff\x7f") == 0 || payload.compare(i - 1, 2, "\xff\xff") == 0;
    if (nan) payload.replace(i - 3, 4, "nan ");
  }
  return payload;
}

}  // namespace

TEST_CASE("eval writes the result of an expression to a file, and prints nothing") {
  const Scratch scratch;
  const auto result = run({"eval", kDiscriminant, sample("a"), sample("b"), sample("c"), "-o", scratch.file("d.npy")});
  CHECK(result.err == "");
  CHECK(result.out == "");
  REQUIRE(result.status == 0);
  const auto have = read_npy(scratch.file("d.npy"));
  const auto want = read_npy(sample("disc"));
  CHECK(have.descr == "<f4");
  CHECK(have.shape == want.shape);
  CHECK(without_nan_signs(have.payload) == without_nan_signs(want.payload));
  CHECK(scratch.count() == 1);  // no temporary file is left
}

TEST_CASE("eval broadcasts a column against a row, beyond 2^53") {
  const Scratch scratch;
  const auto result = run({"eval", "int64 add(int64 a, int64 b) { return a + b; }", sample("row"), sample("column"), "-o",
                           scratch.file("sum.npy")});
  CHECK(result.err == "");
  REQUIRE(result.status == 0);
  CHECK(read_npy(scratch.file("sum.npy")) == read_npy(sample("row_plus_column")));
}

TEST_CASE("eval takes constants as numbers, and no arrays") {
  cli::check_eval({"int32 divide(int32 a, constant int32 b) = a / b", sample("dividend"), "7"}, "quotient");
  CHECK(run({"eval", "uint8 add(uint8 a, constant uint8 b) = a + b", "3", "4"}).out == "7\n");
  CHECK(run({"eval", "T add(T a, constant T b) where T: int64, float32 = a + b", "3", "4"}).out == "7\n");
  CHECK(
      cli::eval_error({"int32 divide(int32 a, constant int32 b) = a / b", sample("dividend"), sample("dividend")}, 1) ==
      "kiln: error: divide: input 1 (b) is an array, and the parameter is \"constant\": the kernel is compiled for its value; "
      "give "
      "a number\n");
}

TEST_CASE("eval writes several outputs in order") {
  const Scratch scratch;
  const std::string divmod = "(int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }";
  const auto result = run({"eval", divmod, sample("dividend"), "7", "-o", scratch.file("q.npy"), "-o", scratch.file("r.npy")});
  CHECK(result.err == "");
  REQUIRE(result.status == 0);
  CHECK(read_npy(scratch.file("q.npy")) == read_npy(sample("quotient")));
  CHECK(read_npy(scratch.file("r.npy")) == read_npy(sample("remainder")));
  CHECK(scratch.count() == 2);

  const auto printed = run({"eval", divmod, sample("dividend"), "7"});
  CHECK(printed.out == "[        2        -2 306783378         0         0]\n[ 3 -3  1  0  6]\n");
}

TEST_CASE("eval reads every layout of .npy") {
  const Scratch scratch;
  for (const char* name : {"matrix", "matrix_f", "big_endian"}) {
    CAPTURE(name);
    const auto result = run({"eval", "T square(T x) = x * x", sample(name), "-o", scratch.file("out.npy")});
    CHECK(result.err == "");
    REQUIRE(result.status == 0);
    auto have = read_npy(scratch.file("out.npy"));
    CHECK(have.descr == "<f8");
    CHECK(have.shape == "3, 4");
    if (!have.fortran) CHECK(have.payload == read_npy(sample("matrix_squared")).payload);
    CHECK(
        run({"eval", "T square(T x) = x * x", scratch.file("out.npy"), sample("matrix"), "-o", scratch.file("x.npy")}).status ==
        2);
    CHECK(run({"eval", "T same(T x) = x", scratch.file("out.npy")}).out ==
          "[[0.       0.015625 0.0625   0.140625]\n [0.25     0.390625 0.5625   0.765625]\n [1.       1.265625 1.5625   "
          "1.890625]]\n");
  }
}

TEST_CASE("eval takes 0-d and empty arrays") {
  const auto zero_d = run({"eval", "float64 twice(float64 x) = 2 * x", sample("zero_d")});
  CHECK(zero_d.status == 0);
  CHECK(zero_d.out == "3.0\n");
  const Scratch scratch;
  const auto empty = run({"eval", "float32 twice(float32 x) = 2 * x", sample("empty"), "-o", scratch.file("e.npy")});
  CHECK(empty.err == "");
  REQUIRE(empty.status == 0);
  CHECK(read_npy(scratch.file("e.npy")) == read_npy(sample("empty")));
  CHECK(run({"eval", "float32 twice(float32 x) = 2 * x", sample("empty")}).out == "[]\n");
}

TEST_CASE("eval keeps a 3000 x 1000 array whole") {
  // Made by kiln itself from a small one: a row of 1000 broadcast against a column of 3000.
  const Scratch scratch;
  const auto write_iota = [&](const std::string& path, int count, const std::string& shape) {
    std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header;
    for (int i = 0; i < count; ++i) {
      for (const int shift : {0, 8, 16, 24}) bytes += static_cast<char>(i >> shift & 0xff);
    }
    cli::write_file(path, bytes);
  };
  write_iota(scratch.file("row.npy"), 1000, "1000,");
  write_iota(scratch.file("column.npy"), 3000, "3000, 1");
  const auto result = run({"eval", "int32 f(int32 r, int32 c) = 1000 * c + r", scratch.file("row.npy"),
                           scratch.file("column.npy"), "-o", scratch.file("big.npy")});
  CHECK(result.err == "");
  REQUIRE(result.status == 0);
  const auto big = read_npy(scratch.file("big.npy"));
  CHECK(big.shape == "3000, 1000");
  REQUIRE(big.payload.size() == 12'000'000);
  int wrong = 0;
  for (std::size_t i = 0; i < 3'000'000; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      wrong += static_cast<unsigned char>(big.payload[4 * i + byte]) != (i >> 8 * byte & 0xff) ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  const auto printed = run({"eval", "int32 same(int32 x) = x", scratch.file("big.npy")});
  CHECK(printed.out ==
        "[[      0       1       2 ...     997     998     999]\n"
        " [   1000    1001    1002 ...    1997    1998    1999]\n"
        " [   2000    2001    2002 ...    2997    2998    2999]\n"
        " ...\n"
        " [2997000 2997001 2997002 ... 2997997 2997998 2997999]\n"
        " [2998000 2998001 2998002 ... 2998997 2998998 2998999]\n"
        " [2999000 2999001 2999002 ... 2999997 2999998 2999999]]\n");
}

TEST_CASE("numbers on the command line are weak scalars") {
  const auto out = [](const std::string& kernel, const std::string& array, const std::string& number) {
    const auto result = run({"eval", kernel, sample(array), number});
    CAPTURE(result.err);
    CHECK(result.status == 0);
    return result.out;
  };
  // The array's dtype stays.
  CHECK(out("T add(T x, T k) = x + k", "half", "0x10") == "[17.  18.5  inf 16. ]\n");
  CHECK(out("T add(T x, T k) = x + k", "bytes", "3") == "[  3   4 203   2]\n");
  // A higher kind raises it.
  CHECK(out("T add(T x, T k) = x + k", "bytes", "-1e-3") == "[-1.00000e-03  9.99000e-01  1.99999e+02  2.54999e+02]\n");
  CHECK(out("int32 add(int32 x, int32 k) = x + k", "dividend", "-1") ==
        "[        16        -18 2147483646         -1          5]\n");
  CHECK(out("float64 add(float64 x, float64 k) = x + k", "zero_d", "nan") == "nan\n");
  CHECK(out("float64 add(float64 x, float64 k) = x + k", "zero_d", "-inf") == "-inf\n");
  CHECK(out("bool both(bool x, bool k) = x && k", "flags", "true") == "[ True False  True]\n");

  const Scratch scratch;
  CHECK(run({"eval", "T times(T x, T k) = x * k", sample("z"), "1+2j", "-o", scratch.file("z.npy")}).status == 0);
  CHECK(read_npy(scratch.file("z.npy")) == read_npy(sample("z_times")));
}

TEST_CASE("numbers alone run too, and all of their forms are read") {
  const auto out = [](const std::string& type, const std::string& number) {
    const auto result = run({"eval", type + " same(" + type + " x) = x", number});
    CAPTURE(result.err);
    CHECK(result.status == 0);
    return result.out;
  };
  CHECK(out("int64", "-9223372036854775808") == "-9223372036854775808\n");
  CHECK(out("uint64", "18446744073709551615") == "18446744073709551615\n");
  CHECK(out("int64", "-0x10") == "-16\n");
  CHECK(out("float64", ".5") == "0.5\n");
  CHECK(out("float64", "+1e999") == "inf\n");
  CHECK(out("bool", "False") == "False\n");
  CHECK(out("complex128", "-1.5e1-2j") == "(-15-2j)\n");
  CHECK(out("complex128", "-2j") == "-2j\n");
  CHECK(out("float32", "2.5") == "2.5\n");
}

TEST_CASE("numbers alone take the dtypes of the parameters beside type variables, too") {
  CHECK(run({"eval", "T f(T a, float32 c) = a * c", "2", "3"}).out == "6\n");
  CHECK(run({"eval", "T f(T a, float32 c) = a * c", "2.5", "3"}).out == "7.5\n");
  // What its number's dtype is no choice of is the first that holds it.
  CHECK(run({"eval", "T f(T x, float32 y) where T: float32, float64 = x * y", "2", "3"}).out == "6.0\n");
  CHECK(run({"eval", "T f(T x, int32 n) where T: int8, float32, float64 = x * n", "2", "3"}).out == "6.0\n");
  // Two numbers of one variable are promoted.
  CHECK(run({"eval", "(T x, int32 y) f(T a, float32 c, T b) { x = a * b; y = c; }", "2", "3.5", "1.5"}).out == "3.0\n3\n");
  CHECK(run({"eval", "--layout", "(),()->()", "void s(float32 x, float32 k, float32 y) { y = x * k; }", "2", "3", "--dtype",
             "float32"})
            .out == "6.0\n");
}

TEST_CASE("numbers alone take the dtypes of the parameters") {
  const auto eval = [](const std::string& kernel, const std::string& number) { return run({"eval", kernel, number}); };
  CHECK(eval("uint8 next(uint8 x) = x + 1", "254").out == "255\n");
  CHECK(eval("(bool big, float32 y) f(float32 x) { big = x > 1; y = x / 3; }", "1.0").out == "False\n0.33333334\n");
  CHECK(eval("T third(T x) = x / 3", "1.0").out == "0.3333333333333333\n");  // no parameter says: float64
  CHECK(eval("float16 same(float16 x) = x", "0.1").out == "0.1\n");
  const auto large = eval("int8 next(int8 x) = x + 1", "300");
  CHECK(large.status == 1);
  CHECK(cli::contains(large.err, "does not fit in int8"));
  const auto negative = eval("uint8 next(uint8 x) = x + 1", "-3");
  CHECK(negative.status == 1);
  CHECK(cli::contains(negative.err, "cannot cast input 0 (x) from int64 to uint8"));
}

TEST_CASE("files whose names are a number, or look like an option") {
  const Scratch scratch;
  const std::string kernel = "float64 twice(float64 x) = 2 * x";
  cli::write_file(scratch.file("3"), cli::read_file(sample("zero_d")));
  cli::write_file(scratch.file("-x.npy"), cli::read_file(sample("zero_d")));
  CHECK(run({"eval", kernel, "./3"}, {.folder = scratch.path()}).out == "3.0\n");
  CHECK(run({"eval", kernel, "--", "-x.npy"}, {.folder = scratch.path()}).out == "3.0\n");
  CHECK(run({"eval", kernel, "--", "-3"}, {.folder = scratch.path()}).out == "-6.0\n");
}

TEST_CASE("arrays come from standard input, and go to standard output") {
  const auto first = run({"eval", "int64 add(int64 a, int64 b) = a + b", sample("row"), "-", "-o", "-"},
                         {.input = cli::read_file(sample("column"))});
  CHECK(first.err == "");
  REQUIRE(first.status == 0);
  CHECK(cli::parse_npy(first.out) == read_npy(sample("row_plus_column")));
}

TEST_CASE("arrays come from .npz archives: the only one, or the one that is named") {
  const Scratch scratch;
  const std::string archive = std::string(KILN_GOLDEN_DIR) + "/npz/stored.npz";
  const std::string kernel = "float64 twice(float64 x) = 2 * x";
  CHECK(run({"eval", kernel, archive + ":one"}).out == "14.0\n");
  CHECK(run({"eval", "float32 f(float32 x) = 4 * x", archive + ":x"}).out ==
        "[[ 0.  1.  2.  3.]\n [ 4.  5.  6.  7.]\n [ 8.  9. 10. 11.]]\n");
  const auto several = run({"eval", kernel, archive});
  CHECK(several.status == 1);
  CHECK(several.err == "kiln: error: \"" + archive + "\" has 5 arrays; name one: " + archive + ":x, " + archive + ":y, " +
                           archive + ":flags, " + archive + ":none, " + archive + ":one\n");
  const auto missing = run({"eval", kernel, archive + ":z"});
  CHECK(missing.status == 1);
  CHECK(cli::contains(missing.err, "\"z\""));

  cli::write_file(scratch.file("arr_0.npy"), cli::read_file(sample("zero_d")));
  const std::string pack =
      "cd '" + scratch.path() + "' && python3 -c \"import zipfile; zipfile.ZipFile('one.npz', 'w').write('arr_0.npy')\"";
  REQUIRE(std::system(pack.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe): this program has one thread
  CHECK(run({"eval", kernel, "one.npz"}, {.folder = scratch.path()}).out == "3.0\n");
  CHECK(run({"eval", kernel, "-"}, {.input = cli::read_file(scratch.file("one.npz"))}).out == "3.0\n");
}

TEST_CASE("an output may replace an input, a link is followed, and a device is written to") {
  const Scratch scratch;
  cli::write_file(scratch.file("x.npy"), cli::read_file(sample("zero_d")));
  const std::string kernel = "float64 twice(float64 x) = 2 * x";
  CHECK(run({"eval", kernel, scratch.file("x.npy"), "-o", scratch.file("x.npy")}).status == 0);
  CHECK(run({"eval", kernel, scratch.file("x.npy")}).out == "6.0\n");
  CHECK(run({"eval", kernel, scratch.file("x.npy"), "-o", "/dev/null"}).status == 0);
  CHECK(cli::read_file("/dev/null") == "");
}

TEST_CASE("eval prints the warnings of a kernel, compiled or from the cache") {
  const Scratch scratch;
  for (const char* source : {"compiled", "from the cache"}) {
    CAPTURE(source);
    const auto result = run({"eval", "int32 f(int32 a) = 7/2 * a + (a << 40)", "0"},
                            {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}}});
    CHECK(result.out == "0\n");
    CHECK(result.err ==
          "kiln: warning: f:1:1: 7/2 divides integers and gives 3; write 7.0/2 for the fraction\n"
          "kiln: warning: f:1:14: shift count >= width of type\n");
    CHECK(result.status == 0);
  }
}
