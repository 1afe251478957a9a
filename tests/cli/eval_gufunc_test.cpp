// kiln eval --layout: generalized ufuncs, NumPy's results, and what is said of wrong options.
#include <doctest/doctest.h>

#include "evaluation.hpp"

namespace {

using cli::check_eval;
using cli::contains;
using cli::eval_error;
using cli::eval_usage_error;
using cli::run;
using cli::sample;
using cli::Scratch;

const std::string kMatmul =
    "void mm(float32[:,:] A, float32[:,:] B, float32[:,:] C) { for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) {"
    " float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s; } }";
const std::string kCumsum = "void cumsum(T[:] x, T[:] y) { T s = 0; for (index i = 0; i < n; ++i) { s += x(i); y(i) = s; } }";
const std::string kLength = "void length(float64[:] x, float64 r) { r = 0; for (auto& v : x) r += v * v; }";

}  // namespace

TEST_CASE("--layout makes a generalized ufunc of the kernel") {
  check_eval({"--layout", "(m,n),(n,p)->(m,p)", kMatmul, sample("left"), sample("right")}, "product");
  check_eval({"-l", "(n)->(n)", kCumsum, sample("counts"), "--axis", "1", "--dtype", "int64"}, "counts_running");
  check_eval({"-l", "(n)->()", kLength, sample("matrix"), "--keepdims"}, "row_lengths");
  const auto printed =
      run({"eval", "-l", "(),()->(),()", "void both(int64 a, int64 b, int64 s, int64 d) { s = a + b; d = a - b; }", "5", "3"});
  CHECK(printed.out == "8\n2\n");
  CHECK(printed.err == "");
}

TEST_CASE("--each, --sizes, --axes, --where, --file and --time of a generalized ufunc") {
  const std::string each =
      "void mm(T[:,:] A, T[:,:] B, T[:,:] C) { T s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s; }";
  check_eval({"-l", "(m,n),(n,p)->(m,p)", "--each", "i:m, j:p", each, sample("left"), sample("right")}, "product");
  check_eval({"-l", "(m,n),(n,p)->(m,p)", "--axes", "1,2;0,1;2,0", kMatmul, sample("left"), sample("right")}, "product_axes");
  const std::string convolve =
      "void convolve(float64[:] x, float64[:] w, float64[:] y) { for (index l = 0; l < p; ++l) { float64 s = 0;"
      " for (index i = 0; i < m; ++i) if (l >= i && l - i < n) s += x(i) * w(l - i); y(l) = s; } }";
  check_eval({"-l", "(m),(n)->(p)", "--sizes", "p = m + n - 1", convolve, sample("matrix"), sample("weights")}, "convolved");
  const std::string largest = "void largest(float64[:] x, float64 r) { r = x(0); for (auto& v : x) r = max(r, v); }";
  check_eval({"-l", "(n)->()", largest, sample("matrix")}, "row_largest");
  check_eval({"-l", "(n)->()", largest, sample("matrix"), "--where", sample("row_mask")}, "row_where");

  const std::string squares =
      "void length(float64[:] x, float64 r) { float64 s = 0; for (index i = lane; i < n; i += lanes) s += x(i) * x(i);"
      " r = team_sum(s); }";
  check_eval({"-l", "(n)->()", "--group", "block", squares, sample("matrix"), "--keepdims"}, "row_lengths");
  const std::string together =
      "void length(float64[:] x, float64 r) { auto* all = shared<float64>(lanes); float64 s = 0;"
      " for (index i = lane; i < n; i += lanes) s += x(i) * x(i); all[lane] = s; sync();"
      " if (lane == 0) for (index k = 1; k < lanes; ++k) s += all[k]; r = s; }";
  check_eval({"-l", "(n)->()", "--group", "32", "--shared", "float64[lanes]", together, sample("matrix"), "--keepdims"},
             "row_lengths");
  CHECK(contains(run({"eval", "-l", "(n)->()", "--shared", "float64[n]", largest, sample("matrix")}).err,
                 "largest: --shared is the memory of a team; give --group, or leave --shared out"));

  const Scratch scratch;
  cli::write_file(scratch.file("kernel.txt"), largest);
  const auto timed = run({"eval", "-l", "(n)->()", "--file", scratch.file("kernel.txt"), sample("matrix"), "--time"});
  CHECK(timed.status == 0);
  CHECK(contains(timed.err, "float64 (3,)"));
}

TEST_CASE("--layout: what is wrong is said") {
  const std::string x = sample("matrix");
  CHECK(eval_usage_error({"add", x, x, "--each", "i:n"}) ==
        "kiln: error: --each is for a generalized ufunc: give --layout, too");
  CHECK(eval_usage_error({"add", x, x, "--sizes", "p = n"}) ==
        "kiln: error: --sizes is for a generalized ufunc: give --layout, too");
  CHECK(eval_usage_error({"add", x, x, "--group", "32"}) ==
        "kiln: error: --group is for a generalized ufunc: give --layout, too");
  CHECK(eval_usage_error({"add", x, x, "--axes", "0;0"}) ==
        "kiln: error: --axes is for a generalized ufunc: give --layout, too");
  CHECK(eval_usage_error({"-l", "(n)->()", kLength, x, "-m", "reduce"}) ==
        "kiln: error: --method is for ufuncs: a kernel with a --layout has none");
  CHECK(eval_usage_error({"-l", "(n)->()", kLength, x, "--initial", "1"}) == "kiln: error: --initial is for --method reduce");
  CHECK(eval_usage_error({"-l", "(n)->()", kLength, x, "--axis", "0,1"}) ==
        "kiln: error: --axis of a kernel with a --layout is one axis; give --axes \"0,1;1,2;0,1\"");
  CHECK(eval_usage_error({"-l", "(n)->()", kLength, x, "--axis", "all"}) ==
        "kiln: error: --axis \"all\" is for --method; of a kernel with a --layout it is one axis");
  CHECK(eval_usage_error({"-l", "(n)->()", kLength, x, "--axes", "0;x"}) ==
        "kiln: error: --axes \"x\" is not a number; give axes as in \"0,1;1,2;0,1\"");
  CHECK(eval_usage_error({"-l", "(n)->()", kLength, x, x}) == "kiln: error: \"length\" takes 1 operand, 2 given");

  CHECK(eval_error({"-l", "(n->()", kLength, x}, 1) ==
        "kiln: error: expected ')' or ',' after a core dimension, found '-'\n(n->()\n  ^\n");
  CHECK(contains(eval_error({"-l", "(n)->()", "float64 f(float64 x) = x", x}, 1), "a gufunc's signature begins with \"void\""));
  CHECK(contains(eval_error({"-l", "(n)->()", "--each", "i:k", kLength, x}, 1), "k"));
  CHECK(eval_error({"-l", "(m,n)->()", "void f(float64[:,:] x, float64 r) { r = 0; }", sample("flags")}, 1) ==
        "kiln: error: f: input 0 (x) of shape (3,) has 1 dimension, its core (m,n) needs 2\n");
}
