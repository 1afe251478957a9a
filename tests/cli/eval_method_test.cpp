// kiln eval --method and --where: NumPy's results, and what is said of wrong options.
#include <doctest/doctest.h>

#include "evaluation.hpp"

using cli::check_eval;
using cli::eval_usage_error;
using cli::run;
using cli::sample;

TEST_CASE("--method reduce, accumulate, reduceat and outer give NumPy's results") {
  check_eval({"add", sample("counts"), "--method", "reduce", "--axis", "-1", "--keepdims"}, "counts_sum");
  check_eval({"maximum", sample("counts"), "-m", "reduce", "--axis", "0,2", "--initial", "8"}, "counts_largest");
  check_eval({"add", sample("counts"), "-m", "reduce", "--axis", "all", "--where", sample("mask")}, "counts_masked");
  check_eval({"add", sample("counts"), "-m", "accumulate", "--axis=1"}, "counts_running");
  check_eval({"multiply", sample("counts"), sample("indices"), "-m", "reduceat", "--axis", "1"}, "counts_segments");
  check_eval({"subtract", sample("dividend"), sample("quotient"), "-m", "outer"}, "outer");
}

TEST_CASE("--method works on kernels of one's own, with --dtype and --time") {
  check_eval({"T plus(T a, T b) = a + b", sample("counts"), "-m", "accumulate", "--axis", "1", "--dtype", "int64"},
             "counts_running");
  const auto timed = run({"eval", "T plus(T a, T b) = a + b", sample("dividend"), "-m", "reduce", "--time"});
  CHECK(timed.out == "-2147483643\n");  // wraps
  CHECK(cli::contains(timed.err, "int32 (5,)"));
}

TEST_CASE("--where leaves zeros where the mask is false") {
  check_eval({"float64 sq(float64 x) = x * x", sample("matrix"), "--where", sample("mask")}, "masked_square");
}

TEST_CASE("--method: what is wrong is said") {
  const std::string x = sample("counts");
  CHECK(eval_usage_error({"add", x, "-m", "sum"}) ==
        "kiln: error: unknown --method \"sum\": reduce, accumulate, reduceat or outer; without it the function is called");
  CHECK(eval_usage_error({"add", x, x, "-m", "reduce"}) == "kiln: error: \"add.reduce\" takes 1 operand, 2 given");
  CHECK(eval_usage_error({"add", x, x, "--axis", "1"}) == "kiln: error: --axis is for a method: give --method, too");
  CHECK(eval_usage_error({"add", x, "-m", "accumulate", "--keepdims"}) == "kiln: error: --method accumulate has no --keepdims");
  CHECK(eval_usage_error({"add", x, "-m", "accumulate", "--axis", "0,1"}) ==
        "kiln: error: --method accumulate works along one axis");
  CHECK(eval_usage_error({"add", x, "-m", "reduce", "--axis", "x"}) ==
        "kiln: error: --axis \"x\" is not a number; give one axis, several with commas, all or none");
  CHECK(cli::contains(cli::eval_error({"add", x, "-m", "reduce", "--initial", "1j"}, 1),
                      "the complex number given as --initial cannot become "));
  CHECK(eval_usage_error({"add", x, "-m", "reduce", "--initial", "x"}) == "kiln: error: --initial \"x\" is not a number");
  CHECK(eval_usage_error({"add", "3", "-m", "reduce"}) ==
        "kiln: error: --method reduce wants a .npy file where a number is given");
  CHECK(eval_usage_error({"add", x, x, "--where", "1"}) == "kiln: error: --where 1 is a number; give a .npy file of bools");
  const auto refused = run({"eval", "add", x, "-m", "reduce", "--axis", "3"});
  CHECK(refused.status == 1);
  CHECK(cli::contains(refused.err, "axis 3"));
}
