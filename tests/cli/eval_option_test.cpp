// kiln eval's options.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "command.hpp"
#include "npy_file.hpp"

using cli::contains;
using cli::run;
using cli::sample;
using cli::Scratch;

TEST_CASE("--file reads the kernel from a file or from standard input") {
  const Scratch scratch;
  const std::string kernel =
      "float64 cube(float64 x) {\n  const float64 square = x * x;  // } in a comment\n  return square * x;\n}\n";
  cli::write_file(scratch.file("kernel.txt"), kernel);
  CHECK(run({"eval", "--file", scratch.file("kernel.txt"), sample("zero_d")}).out == "3.375\n");
  CHECK(run({"eval", "-f", "-", sample("zero_d")}, {.input = kernel}).out == "3.375\n");
}

TEST_CASE("a byte order mark in front of a file's text is none of it") {
  const Scratch scratch;
  const std::string mark = "\xEF\xBB\xBF";
  cli::write_file(scratch.file("kernel.txt"), mark + "float64 f(float64 x) { return kOne + twice(x) + three; }\r\n");
  cli::write_file(scratch.file("functions.txt"), mark + "float64 twice(float64 x) { return 2 * x; }");
  cli::write_file(scratch.file("preamble.txt"), mark + "#include \"three.hpp\"\nconstexpr double kOne = 1;");
  cli::write_file(scratch.file("three.hpp"), mark + "#define THREE 3\nconstexpr double three = THREE;\n");
  const auto result = run({"eval", "-f", scratch.file("kernel.txt"), "3.0", "--functions", "@" + scratch.file("functions.txt"),
                           "--preamble", "@" + scratch.file("preamble.txt"), "-I", scratch.path()});
  CHECK(result.err == "");
  CHECK(result.out == "10.0\n");
}

TEST_CASE("--functions, --preamble, -D and -I reach the kernel") {
  const Scratch scratch;
  cli::write_file(scratch.file("functions.txt"), "float64 plus_one(float64 x) { return x + kOne; }");
  cli::write_file(scratch.file("half_of.hpp"), "inline double half_of(double x) { return x / 2; }\n");
  const auto result = run({"eval", "float64 f(float64 x) = SCALE * plus_one(half_of(x))", "3.0", "--functions",
                           "@" + scratch.file("functions.txt"), "--preamble",
                           "#include \"half_of.hpp\"\nconstexpr double kOne = 1;", "-D", "SCALE=100", "-I", scratch.path()});
  CHECK(result.err == "");
  CHECK(result.out == "250.0\n");
}

TEST_CASE("an absolute #include is read in -I's folders alone") {
  const Scratch scratch;
  cli::write_file(scratch.file("inc.hpp"), "inline double half_of(double x) { return x / 2; }\n");
  const auto eval = [&](const std::string& header, const std::vector<std::string>& folders) {
    std::vector<std::string> arguments{"eval", "float64 f(float64 x) = half_of(x)", "3.0", "--preamble",
                                       "#include \"" + header + "\""};
    for (const std::string& folder : folders) arguments.insert(arguments.end(), {"-I", folder});
    return run(arguments);
  };
  CHECK(eval(scratch.file("inc.hpp"), {scratch.path()}).out == "1.5\n");
  const auto refused = eval("/etc/passwd", {scratch.path()});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err,
                 "f.preamble:1:10: error: the header \"/etc/passwd\" is not read: it is outside the include folders \"" +
                     scratch.path() + "\"; give its folder with --include-dir\n"));
  CHECK_FALSE(contains(refused.err, "root:"));
  CHECK(contains(eval(scratch.file("inc.hpp"), {}).err, "is not read: there are no include folders; "));
}

TEST_CASE("--contract rounds a*b+c once; without it, twice") {
  // (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24, which the rounded product loses.
  const std::string kernel = "float32 f(float32 a, float32 b, float32 c) = a * b + c";
  const std::string x = "1.000244140625";
  CHECK(run({"eval", kernel, x, x, "-1.00048828125"}).out == "0.0\n");
  const std::string fused = run({"eval", "--contract", kernel, x, x, "-1.00048828125"}).out;
  // A processor without such an instruction rounds twice all the same.
  CHECK((fused == "5.9604645e-08\n" || fused == "0.0\n"));
  CHECK(run({"eval", "--fast-math", kernel, "2.0", "3.0", "4.0"}).out == "10.0\n");
}

TEST_CASE("--debug: a fault is an error with its place, prints go to standard error") {
  const auto fault = run({"eval", "--debug", "--device", "cpu", "int32 f(int32 a, int32 b) = 1 + a / b", "7", "0"});
  CHECK(fault.out == "");
  CHECK(fault.err ==
        "kiln: error: f failed on cpu at item 0: division of integers by zero, 7 / 0: f:1:7\n  1 + a / b\n        ^\n");
  CHECK(run({"eval", "--device", "cpu", "int32 f(int32 a, int32 b) = 1 + a / b", "7", "0"}).out == "1\n");
  const auto prints =
      run({"eval", "--debug", "--device", "cpu", "int32 f(int32 a) { print(\"a is {}\", a); return 2 * a; }", "7"});
  CHECK(prints.out == "14\n");
  CHECK(prints.err == "a is 7\n");
  CHECK(run({"eval", "--debug", "exp", "1"}).err ==
        "kiln: error: --debug is for a kernel's text: the library's \"exp\" is as it is\nTry 'kiln eval --help'.\n");
}

TEST_CASE("--casting and --dtype choose and check the loop") {
  CHECK(run({"eval", "T twice(T x) = 2 * x", sample("bytes"), "--dtype", "float32"}).out == "[  0.   2. 400. 510.]\n");
  const auto refused = run({"eval", "T twice(T x) = 2 * x", sample("matrix"), "--dtype", "int32"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "same_kind"));
  CHECK(run({"eval", "T twice(T x) = 2 * x", sample("matrix"), "--dtype", "int32", "--casting", "unsafe"}).out ==
        "[[0 0 0 0]\n [0 0 0 0]\n [2 2 2 2]]\n");
}

TEST_CASE("--device names where to run") {
  for (const char* device : {"best", "cpu", "cpu:1"}) {
    CAPTURE(device);
    const auto result = run({"eval", "float64 twice(float64 x) = 2 * x", sample("zero_d"), "--device", device});
    if (result.status == 1 && contains(result.err, "built without")) continue;
    CHECK(result.err == "");
    CHECK(result.out == "3.0\n");
  }
}

TEST_CASE("--time says where the kernel came from: compiled first, then from the disk") {
  const Scratch cache;
  const std::vector<std::string> words{"eval", "--time", "float32 plus(float32 x, float32 k) = x + k", sample("a"), "2.5"};
  const auto cold = run(words, {.environment = {{"KILN_CACHE_DIR", cache.path()}}});
  REQUIRE(cold.status == 0);
  for (const char* part :
       {"device     ", "operands   float32 (203,), 2.5\n", "results    float32 (203,)\n", "kernel     compiled in ",
        "read       ", "to device  ", "first call ", " (best of ", " GB/s\n", "to host    "}) {
    CAPTURE(part);
    CHECK(contains(cold.err, part));
  }
  CHECK(contains(cold.err, "kept in " + cache.path()));
  CHECK(contains(cold.out, "["));
  CHECK_FALSE(contains(cold.out, "device"));
  const auto warm = run(words, {.environment = {{"KILN_CACHE_DIR", cache.path()}}});
  CHECK(contains(warm.err, "kernel     from the disk cache, " + cache.path()));
  CHECK(warm.out == cold.out);
  const auto without = run(words, {.environment = {{"KILN_CACHE_DIR", ""}}});
  CHECK(contains(without.err, ", not kept: there is no disk cache"));
}

TEST_CASE("--time does not say that a kernel was kept where it could not be") {
  const Scratch scratch;
  cli::make_blocked_cache(scratch.file("cache"));
  const auto result = run({"eval", "--time", "float32 plus(float32 x, float32 k) = x + k", sample("a"), "2.5"},
                          {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}}});
  REQUIRE(result.status == 0);
  CHECK(contains(result.err, ", not kept: failed to write to " + scratch.file("cache") + "\n"));
}

TEST_CASE("a bound of the environment that is no number is a warning, and the default holds") {
  const Scratch scratch;
  // Half a million elements: more than the pool leaves to malloc.
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (524288,), }";
  std::string file = "\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(header.size()) + std::string(1, '\0') + header;
  cli::write_file(scratch.file("large.npy"), file + std::string(8 * 524288, '\0'));
  const auto warning_of = [&](const std::string& name) {
    const auto result = run({"eval", "add", scratch.file("large.npy"), "-m", "reduce"},
                            {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}, {name, "much"}}});
    CHECK(result.out == "0.0\n");
    CHECK(result.status == 0);
    return result.err;
  };
  const std::string what = " is \"much\", which is no number of bytes; the bound is ";
  CHECK(warning_of("KILN_CACHE_MAX_BYTES") ==
        "kiln: warning: KILN_CACHE_MAX_BYTES" + what + "1G; write it as 1000000, 500M or 2G\n");
  CHECK(warning_of("KILN_HOST_POOL_MAX_BYTES") ==
        "kiln: warning: KILN_HOST_POOL_MAX_BYTES" + what + "the default; write it as 0, 500M or 2G\n");
}

TEST_CASE("a value that looks like a negative number is what was written, for every option") {
  const Scratch scratch;
  cli::write_file(scratch.file("-1"), "float64 same(float64 x) = x");
  cli::write_file(scratch.file("-2"), "#define TWO 2");
  const auto result = run({"eval", "-f", "-1", "3.0", "-o", "-3", "--preamble", "@-2"}, {.folder = scratch.path()});
  CHECK(result.err == "");
  CHECK(scratch.count() == 3);
  const std::string error = run({"eval", "-f", "-4", "3.0"}, {.folder = scratch.path()}).err;
  CHECK(error == "kiln: error: cannot open \"-4\": No such file or directory\n");
}

TEST_CASE("blanks around a function's name are no part of it") {
  CHECK(run({"eval", "-f", "-", "3.0", "4.0"}, {.input = "hypot\r\n"}).out == "5.0\n");
  CHECK(run({"eval", " add ", "1", "2"}).out == "3\n");
}

TEST_CASE("--timeout ends a call that takes longer") {
  CHECK(run({"eval", "float64 f(float64 x) = x + 1", "1.0", "--timeout", "600"}).out == "2.0\n");
  const auto late = run({"eval", "float64 f(float64 x) = x + 1", "1.0", "--timeout", "0.000000001"});
  CHECK(late.status == 1);
  CHECK(late.err == "kiln: error: f: stopped: it took longer than its --timeout of 1 ns; nothing was written\n");
  for (const std::string text : {"soon", "0", "-1", "1s", "1e30"}) {
    const auto refused = run({"eval", "add", "2", "3", "--timeout", text});
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "kiln: error: \"" + text + "\" is no time in seconds: write it as 10 or 0.5\n"));
  }
}

TEST_CASE("-o FILE.png writes a picture") {
  const Scratch scratch;
  const std::string waves = "float64 f(float64 x, float64 y) = sin(x) * cos(y)";
  const auto eval = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"eval", waves, sample("matrix"), sample("matrix")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const std::string signature = "\x89PNG\r\n\x1a\n";
  const std::string gray = scratch.file("gray.png"), colours = scratch.file("colours.PNG");
  CHECK(eval({"-o", gray}).status == 0);
  CHECK(cli::read_file(gray).starts_with(signature));
  CHECK(cli::read_file(gray)[25] == 0);  // the type of its colours: gray
  CHECK(eval({"-o", colours, "--colormap", "viridis", "--range=-1,1"}).status == 0);
  CHECK(cli::read_file(colours)[25] == 2);

  const auto fault = [&](const std::vector<std::string>& more, int status, const std::string& message) {
    const auto result = eval(more);
    CHECK(result.status == status);
    CHECK_MESSAGE(contains(result.err, message), result.err);
  };
  const std::string other = scratch.file("other.png");
  fault({"-o", other, "--colormap", "virids"}, 1, "unknown colormap \"virids\": did you mean \"viridis\"?");
  fault({"-o", other, "--range", "1"}, 2, "--range \"1\" is no two numbers, such as 0,1");
  fault({"-o", other, "--range", "a,2"}, 2, "--range \"a,2\" is no two numbers, such as 0,1");
  fault({"-o", other, "--range", "2,1"}, 1, "a picture's low limit is below its high one");
  fault({"-o", scratch.file("a.npy"), "--colormap", "viridis"}, 2, "--colormap is for a picture: give -o FILE.png");
  fault({"--range", "0,1"}, 2, "--range is for a picture: give -o FILE.png");
  fault({"-o", scratch.file("a.jpg")}, 2, "would be a .jpg picture, and kiln writes PNG: give -o " + scratch.file("a.png"));
  fault({"-o", other, "--chunk", "1M"}, 2,
        "is a picture, which is not written in chunks: leave out --chunk and --progress, or write .npy");
  fault({"-o", other, "--ranks", "0/2"}, 2, "is a picture: give --ranks none, or write .npy");
  CHECK_FALSE(std::filesystem::exists(other));
  const auto list = run({"eval", "float64 f(float64 x) = x", "3.0", "-o", other});
  CHECK(list.status == 1);
  CHECK_MESSAGE(contains(list.err, "a picture has the shape (rows, columns)"), list.err);
}
