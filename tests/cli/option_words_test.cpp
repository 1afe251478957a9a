// What the library says of a call, in the words of kiln eval's options: every message that names an option of the library and
// that the command can meet.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "command.hpp"

using cli::sample;

namespace {

/// The first line of the error, without its prefix; the status is 1.
std::string error_of(std::vector<std::string> words) {
  words.insert(words.begin(), "eval");
  const auto result = cli::run(words);
  CHECK(result.status == 1);
  CHECK(result.out == "");
  const std::string prefix = "kiln: error: ";
  REQUIRE(result.err.starts_with(prefix));
  return result.err.substr(prefix.size(), result.err.find('\n') - prefix.size());
}

const std::string kCopy = "void f(T[:] x, T[:] y) { y(0) = x(0); }";

std::string gufunc_error(const std::string& layout, std::vector<std::string> words, const std::string& kernel = kCopy) {
  words.insert(words.begin(), {"--layout", layout, kernel});
  return error_of(words);
}

}  // namespace

TEST_CASE("what no loop takes: --dtype and --casting, and what they are told works") {
  const std::string kernel = "int32 f(int32 x) = x";
  CHECK(error_of({kernel, sample("matrix")}) ==
        "f: no loop takes (float64) by safe casts; its loops are int32(int32 x); give an operand of another dtype, or force a "
        "loop with --dtype and --casting unsafe");
  CHECK(error_of({kernel, sample("matrix"), "--dtype", "int32"}) ==
        "f: cannot cast input 0 (x) from float64 to int32 under casting \"same_kind\" for the loop int32(int32 x); give an "
        "operand of another dtype, or give --casting unsafe");
  CHECK(cli::run({"eval", kernel, sample("matrix"), "--dtype", "int32", "--casting", "unsafe"}).status == 0);
  const std::string single = "float32 f(float32 x) = x";
  CHECK(error_of({single, sample("matrix")}) ==
        "f: no loop takes (float64) by safe casts; its loops are float32(float32 x); give an operand of another dtype, or "
        "force a loop with --dtype");
  CHECK(cli::run({"eval", single, sample("matrix"), "--dtype", "float32"}).status == 0);
  CHECK(error_of({"subtract", sample("flags"), sample("flags")}) ==
        "subtract: bools are no numbers here, and no loop takes (bool, bool); give an operand of another dtype, force a loop "
        "with --dtype, or use a logical function");
}

TEST_CASE("what a method wants: --dtype, --axis, --initial and --where") {
  const std::string add = "int32 f(int32 a, int32 b) = a + b";
  CHECK(error_of({add, sample("matrix"), "-m", "reduce"}) ==
        "f.reduce: no loop takes (float64, float64) by safe casts; its loops are int32(int32 a, int32 b); give an operand of "
        "another dtype, or force a loop with --dtype");
  CHECK(cli::run({"eval", add, sample("matrix"), "-m", "reduce", "--dtype", "int32"}).out == "[1 1 1 1]\n");
  CHECK(error_of({add, sample("dividend"), "-m", "accumulate", "--dtype", "float64"}) ==
        "f.accumulate: no loop takes two float64 and gives one, as --dtype asks; its loops are int32(int32 a, int32 b)");
  CHECK(error_of({"less", sample("a"), "-m", "accumulate"}) ==
        "less.accumulate: the loop bool(float32, float32) that runs for float32 does not give what it takes, so results cannot "
        "be combined further; force a loop of one dtype with --dtype");
  const std::string minus = "float64 f(float64 a, float64 b) = a - b";
  CHECK(error_of({minus, sample("matrix"), "-m", "reduce", "--axis", "all"}) ==
        "f.reduce: the operation is not marked reorderable, so its order counts and it is reduced along one axis, not 2; name "
        "one with --axis");
  CHECK(error_of({"add", sample("zero_d"), "-m", "reduce", "--axis", "3"}) ==
        "add.reduce: axis 3 does not exist in a 0-d array; give 0, -1 or all");
  CHECK(error_of({"maximum", sample("empty"), "-m", "reduce"}) ==
        "maximum.reduce: nothing to reduce in inputs of shape (0, 3), and the operation has no identity; give --initial");
  CHECK(error_of({"maximum", sample("weights"), "-m", "reduce", "--where", sample("row_mask")}) ==
        "maximum.reduce: the operation has no identity, which --where needs for where no element counts; give --initial");
  const std::string loop = " int32, the dtype of the loop int32(int32 x1, int32 x2)";
  const auto initial = [](const char* number) {
    return error_of({"add", sample("dividend"), "-m", "reduce", "--dtype", "int32", "--initial", number});
  };
  CHECK(initial("1e30") == "add.reduce: the number 1e+30 given as --initial does not fit in" + loop);
  CHECK(initial("3000000000") == "add.reduce: the integer 3000000000 given as --initial does not fit in" + loop);
  CHECK(initial("1j") == "add.reduce: the complex number given as --initial cannot become" + loop);
  CHECK(error_of({"add", sample("matrix"), "-m", "reduce", "--where", sample("matrix")}) ==
        "add.reduce: cannot cast --where from float64 to bool; give a bool array, such as the result of a comparison");
  CHECK(error_of({"add", sample("matrix"), "-m", "reduce", "--where", sample("flags")}) ==
        "add.reduce: --where of shape (3,) does not broadcast to the inputs' shape (3, 4)");
}

TEST_CASE("what --where wants of a call") {
  CHECK(error_of({"negative", sample("a"), "--where", sample("a")}) ==
        "negative: cannot cast --where from float32 to bool; give a bool array, such as the result of a comparison");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--where", sample("a")}) ==
        "f: cannot cast --where from float32 to bool; give a bool array, such as the result of a comparison");
}

TEST_CASE("what --layout wants: --axis, --axes, --keepdims and --sizes") {
  CHECK(gufunc_error("(n)->(p)", {sample("a")}) ==
        "f: nothing decides core dimension p of output 0 (y): give a size rule: --sizes \"p = …\"");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--axis", "0", "--axes", "0;0"}) ==
        "f: --axis and --axes are both given; give --axes alone, it says the same and more");
  const std::string rows = "void f(T[:,:] x, T[:] y) { y(0) = x(0, 0); }";
  CHECK(gufunc_error("(m,n)->(n)", {sample("matrix"), "--axis", "0"}, rows) ==
        "f: --axis wants one core dimension that the operands share; (m,n)->(n) has others: give --axes");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--keepdims"}) ==
        "f: --keepdims wants equally many core dimensions on all inputs and none on the outputs; in (n)->(n) output 0 (y) has "
        "1 instead of 0");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--axes", "0"}) ==
        "f: --axes has 1 entry; give one for each of the 2 inputs and outputs");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--axes", "5;0"}) ==
        "f: --axes: axis 5 does not exist in input 0 (x) of shape (203,); give -1 to 0");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--axis", "5"}) ==
        "f: --axis 5 does not exist in input 0 (x) of shape (203,); give -1 to 0");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--axes", "0,1;0"}) ==
        "f: entry 0 of --axes has 2 axes; give 1 for input 0 (x) of shape (203,), whose core is (n)");
  CHECK(gufunc_error("(n)->()", {sample("a"), "--axes", "0;0,1", "--keepdims"}, "void f(T[:] x, T y) { y = x(0); }") ==
        "f: entry 1 of --axes has 2 axes; give 1 for output 0 (y) with --keepdims");
  CHECK(gufunc_error("(m,n)->(m,n)", {sample("matrix"), "--axes", "0,0;0,1"}, "void f(T[:,:] x, T[:,:] y) { y(0, 0) = 0; }") ==
        "f: entry 0 of --axes names axis 0 of input 0 (x) of shape (3, 4) twice");
  CHECK(gufunc_error("(n)->(n)", {sample("matrix"), "--where", sample("flags"), "--axis", "0"}) ==
        "f: loop dimensions do not broadcast: input 0 (x) (4,) of (3, 4), --where (3,); extents must be equal or 1, counted "
        "from the last loop dimension");
}

TEST_CASE("what --each and --group want") {
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--each", "i:n", "--group", "block"}) ==
        "f: --each gives threads an index, --group gives them an item; leave one out");
  CHECK(gufunc_error("(n)->(n)", {sample("a"), "--each", "i:n;"}) == "expected ',' or the end of --each, found ';'");
  CHECK(gufunc_error("(n)->()", {sample("a"), "--each", "i:n"}, "void f(T[:] x, T y) { y = x(i); }") ==
        "f: output 0 (y) is one value, which every index of --each would assign; leave --each out or give it a dimension");
}

TEST_CASE("a header that is not there: --include-dir") {
  const std::string kernel = "float32 f(float32 x) = x";
  CHECK(error_of({kernel, sample("a"), "--preamble", "#include \"no.hpp\""}) ==
        "failed to find the header \"no.hpp\", which f.preamble:1 includes: there are no include folders; give its folder with "
        "--include-dir");
  CHECK(error_of({kernel, sample("a"), "--preamble", "#include \"no.hpp\"", "-I", "/"}) ==
        "failed to find the header \"no.hpp\", which f.preamble:1 includes: it is not in the include folders \"/\"; give its "
        "folder with --include-dir");
}

TEST_CASE("what a body prints wants --debug") {
  const auto diagnostic_of = [](const std::string& body) {
    const auto result = cli::run({"eval", "-d", "cpu", "float32 f(float32 x) { " + body + " return x; }", "2"});
    CHECK(result.status == 1);
    const std::string first = "kiln: error: the kernel does not compile\n";
    REQUIRE(result.err.starts_with(first));
    return result.err.substr(first.size(), result.err.find('\n', first.size()) - first.size());
  };
  CHECK(diagnostic_of("print(\"{}\", x);") == "f:1:2: error: print() needs --debug, or KILN_DEBUG=1");
  const std::string hint = "print(\"{}\", x) prints, with --debug, or KILN_DEBUG=1";
  CHECK(diagnostic_of("printf(\"%g\", x);") == "f:1:2: error: use of undeclared identifier 'printf'; " + hint);
  CHECK(diagnostic_of("std::cout << x;") == "f:1:7: error: no member named 'cout' in namespace 'kiln'; " + hint);
  CHECK(diagnostic_of("\n#include \"/no.hpp\"\n") ==
        "f:2:10: error: the header \"/no.hpp\" is not read: there are no include folders; give its folder with --include-dir");
}

TEST_CASE("what is the user's stays as it is: names in quotes, and the text below the first line") {
  CHECK(error_of({"negative", "./a .where"}).starts_with("operand \"./a .where\" is neither"));
  const auto result = cli::run({"eval", "--layout", "(n)->(n)", "--each", "i:n .where", kCopy, sample("a")});
  CHECK(result.err == "kiln: error: expected ',' or the end of --each, found '.'\ni:n .where\n    ^\n");
}
