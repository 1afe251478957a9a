// kiln eval --layout: generalized ufuncs, NumPy's results, and what is said of wrong options.
#include <doctest/doctest.h>

#include "command.hpp"
#include "npy_file.hpp"

namespace {

using cli::contains;
using cli::read_npy;
using cli::run;
using cli::sample;
using cli::Scratch;

const std::string kMatmul =
    "void mm(float32[:,:] A, float32[:,:] B, float32[:,:] C) { for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) {"
    " float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s; } }";
const std::string kCumsum = "void cumsum(T[:] x, T[:] y) { T s = 0; for (index i = 0; i < n; ++i) { s += x(i); y(i) = s; } }";
const std::string kLength = "void length(float64[:] x, float64 r) { r = 0; for (auto& v : x) r += v * v; }";

/// What the command writes to a file, which must be the sample's bytes.
void check(std::vector<std::string> arguments, const std::string& expected) {
  const Scratch scratch;
  arguments.insert(arguments.begin(), "eval");
  arguments.insert(arguments.end(), {"-o", scratch.file("result.npy")});
  const auto result = run(arguments);
  CHECK(result.err == "");
  REQUIRE(result.status == 0);
  CHECK(read_npy(scratch.file("result.npy")) == read_npy(sample(expected)));
}

std::string error_of(std::vector<std::string> arguments, int status) {
  arguments.insert(arguments.begin(), "eval");
  const auto result = run(arguments);
  CHECK(result.status == status);
  CHECK(result.out == "");
  return result.err;
}
std::string usage_error(const std::vector<std::string>& arguments) {
  const std::string text = error_of(arguments, 2);
  return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("--layout makes a generalized ufunc of the kernel") {
  check({"--layout", "(m,n),(n,p)->(m,p)", kMatmul, sample("left"), sample("right")}, "product");
  check({"-l", "(n)->(n)", kCumsum, sample("counts"), "--axis", "1", "--dtype", "int64"}, "counts_running");
  check({"-l", "(n)->()", kLength, sample("matrix"), "--keepdims"}, "row_lengths");
  const auto printed =
      run({"eval", "-l", "(),()->(),()", "void both(int64 a, int64 b, int64 s, int64 d) { s = a + b; d = a - b; }", "5", "3"});
  CHECK(printed.out == "8\n2\n");
  CHECK(printed.err == "");
}

TEST_CASE("--each, --sizes, --axes, --where, --file and --time of a generalized ufunc") {
  const std::string each =
      "void mm(T[:,:] A, T[:,:] B, T[:,:] C) { T s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s; }";
  check({"-l", "(m,n),(n,p)->(m,p)", "--each", "i:m, j:p", each, sample("left"), sample("right")}, "product");
  check({"-l", "(m,n),(n,p)->(m,p)", "--axes", "1,2;0,1;2,0", kMatmul, sample("left"), sample("right")}, "product_axes");
  const std::string convolve =
      "void convolve(float64[:] x, float64[:] w, float64[:] y) { for (index l = 0; l < p; ++l) { float64 s = 0;"
      " for (index i = 0; i < m; ++i) if (l >= i && l - i < n) s += x(i) * w(l - i); y(l) = s; } }";
  check({"-l", "(m),(n)->(p)", "--sizes", "p = m + n - 1", convolve, sample("matrix"), sample("weights")}, "convolved");
  const std::string largest = "void largest(float64[:] x, float64 r) { r = x(0); for (auto& v : x) r = max(r, v); }";
  check({"-l", "(n)->()", largest, sample("matrix")}, "row_largest");
  check({"-l", "(n)->()", largest, sample("matrix"), "--where", sample("row_mask")}, "row_where");

  const std::string squares =
      "void length(float64[:] x, float64 r) { float64 s = 0; for (index i = lane; i < n; i += lanes) s += x(i) * x(i);"
      " r = team_sum(s); }";
  check({"-l", "(n)->()", "--group", "block", squares, sample("matrix"), "--keepdims"}, "row_lengths");

  const Scratch scratch;
  cli::write_file(scratch.file("kernel.txt"), largest);
  const auto timed = run({"eval", "-l", "(n)->()", "--file", scratch.file("kernel.txt"), sample("matrix"), "--time"});
  CHECK(timed.status == 0);
  CHECK(contains(timed.err, "float64 (3,)"));
}

TEST_CASE("--layout: what is wrong is said") {
  const std::string x = sample("matrix");
  CHECK(usage_error({"add", x, x, "--each", "i:n"}) == "kiln: error: --each is for a generalized ufunc: give --layout, too");
  CHECK(usage_error({"add", x, x, "--sizes", "p = n"}) ==
        "kiln: error: --sizes is for a generalized ufunc: give --layout, too");
  CHECK(usage_error({"add", x, x, "--group", "32"}) == "kiln: error: --group is for a generalized ufunc: give --layout, too");
  CHECK(usage_error({"add", x, x, "--axes", "0;0"}) == "kiln: error: --axes is for a generalized ufunc: give --layout, too");
  CHECK(usage_error({"-l", "(n)->()", kLength, x, "-m", "reduce"}) ==
        "kiln: error: --method is for ufuncs: a kernel with a --layout has none");
  CHECK(usage_error({"-l", "(n)->()", kLength, x, "--initial", "1"}) == "kiln: error: --initial is for --method reduce");
  CHECK(usage_error({"-l", "(n)->()", kLength, x, "--axis", "0,1"}) ==
        "kiln: error: --axis of a kernel with a --layout is one axis; give --axes \"0,1;1,2;0,1\"");
  CHECK(usage_error({"-l", "(n)->()", kLength, x, "--axes", "0;x"}) ==
        "kiln: error: --axes \"x\" is not a number; give axes as in \"0,1;1,2;0,1\"");
  CHECK(usage_error({"-l", "(n)->()", kLength, x, x}) == "kiln: error: \"length\" takes 1 operand, 2 given");

  CHECK(error_of({"-l", "(n->()", kLength, x}, 1) ==
        "kiln: error: expected ')' or ',' after a core dimension, found '-'\n(n->()\n  ^\n");
  CHECK(contains(error_of({"-l", "(n)->()", "float64 f(float64 x) = x", x}, 1), "a gufunc's signature begins with \"void\""));
  CHECK(contains(error_of({"-l", "(n)->()", "--each", "i:k", kLength, x}, 1), "k"));
  CHECK(error_of({"-l", "(m,n)->()", "void f(float64[:,:] x, float64 r) { r = 0; }", sample("flags")}, 1) ==
        "kiln: error: f: input 0 (x) of shape (3,) has 1 dimension, its core (m,n) needs 2\n");
}
