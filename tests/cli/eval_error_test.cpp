// kiln eval on bad input: status 1, one clear message, and nothing written.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/base/sanitizer.hpp"
#include "command.hpp"
#include "evaluation.hpp"

using cli::contains;
using cli::kTwice;
using cli::run;
using cli::sample;
using cli::Scratch;

namespace {

/// Runs eval with an output file, and gives what it said; checks that it failed and wrote nothing.
std::string fail(std::vector<std::string> words) {
  const Scratch scratch;
  words.insert(words.begin(), "eval");
  words.insert(words.end(), {"-o", scratch.file("out.npy")});
  const auto result = run(words);
  CHECK(result.status == 1);
  CHECK(result.out == "");
  CHECK(result.err.starts_with("kiln: error: "));
  CHECK_FALSE(cli::speaks_cpp(result.err));
  CHECK(scratch.count() == 0);
  return result.err;
}

std::string fail_in_one_line(const std::vector<std::string>& words) {
  const std::string text = fail(words);
  CAPTURE(text);
  CHECK(cli::occurrences(text, "\n") == 1);
  return text;
}

void check_says(const std::string& text, std::string_view part) {
  CAPTURE(text);
  CAPTURE(part);
  CHECK(contains(text, part));
}

}  // namespace

TEST_CASE("a device that is not there, and one that there cannot be") {
  check_says(fail_in_one_line({kTwice, sample("a"), "--device", "cuda:99"}), "cuda");
  CHECK(cli::eval_usage_error({kTwice, sample("a"), "--device", "gpu"}) ==
        "kiln: error: unknown device \"gpu\"; devices are \"cpu\", \"cpu:N\" (N threads), \"cuda\", \"cuda:N\", \"hip\", "
        "\"hip:N\" "
        "(GPU number N), \"emulated:sm_NN\", \"best\"");
  check_says(cli::eval_usage_error({kTwice, sample("a"), "--device", "emulated:sm_1"}),
             "there is no device \"emulated:sm_1\": sm_75, sm_80, ");
  check_says(cli::eval_usage_error({kTwice, sample("a"), "--device", "cpu:-1"}), "cpu:-1");
  const auto fails_with = [](const char* name, const char* value, const std::string& message) {
    const auto result = run({"eval", kTwice, sample("a"), "--device", "emulated:sm_90"}, {.environment = {{name, value}}});
    CHECK(result.status == 1);
    CHECK(result.err.ends_with(": " + message + "\n"));
  };
  fails_with("KILN_EMULATOR_SEED", "abc",
             "KILN_EMULATOR_SEED is \"abc\", which is no whole number from 0 on; set it to one, or unset it");
  fails_with("KILN_EMULATOR_TARGET", "sm_1",
             "KILN_EMULATOR_TARGET is \"sm_1\": sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_103, sm_120 and sm_121 can be "
             "emulated");
  const auto variable = run({"eval", kTwice, sample("a")}, {.environment = {{"KILN_DEVICE", "gpu"}}});
  CHECK(variable.status == 1);  // of the environment, not of the command line
}

TEST_CASE("files that are not there, or not what they should be") {
  check_says(fail_in_one_line({kTwice, "no/such.npy"}), "no/such.npy");
  check_says(fail_in_one_line({kTwice, "1.2.3"}), "operand \"1.2.3\" is neither a number (3, 0x10, 2.5,");
  check_says(fail_in_one_line({kTwice, sample("truncated")}), "the file has 802: it is truncated");
  const Scratch scratch;
  cli::write_file(scratch.file("notes.npy"), "no array\n");
  check_says(fail_in_one_line({kTwice, scratch.file("notes.npy")}), "notes.npy\": not a .npy file");
  check_says(fail_in_one_line({kTwice, sample("object")}), "object.npy\": dtype '|O' is not supported: Python objects");
  check_says(fail_in_one_line({kTwice, sample("strings")}), "<U3");
  check_says(fail_in_one_line({kTwice, sample("negative")}), "a negative extent in the shape");
  check_says(fail_in_one_line({kTwice, sample("overflow")}), "has more than 2^63-1 bytes");
  check_says(fail_in_one_line({kTwice, sample("long_header")}), "the header claims 65535 bytes");
  check_says(fail_in_one_line({kTwice, "/"}), "\"/\"");
  check_says(fail_in_one_line({kTwice, "-"}), "failed to read standard input: ");
  check_says(fail_in_one_line({"--file", "no/kernel.txt", sample("a")}),
             "cannot open \"no/kernel.txt\": No such file or directory");
  check_says(fail_in_one_line({"--file", "/", sample("a")}), "\"/\"");
  check_says(fail_in_one_line({kTwice, sample("a"), "--functions", "@no.txt"}), "cannot open \"no.txt\"");
}

TEST_CASE("CSV text is told, with the line that converts it") {
  const Scratch scratch;
  cli::write_file(scratch.file("data.csv"), "1,2\n3,4\n");
  cli::write_file(scratch.file("words.csv"), "x\n1\n");
  const auto said = [&](const std::string& name) { return run({"eval", kTwice, name}, {.folder = scratch.path()}); };
  const std::string save = ", and kiln reads .npy: python3 -c 'import numpy as np; np.save(";
  CHECK(said("data.csv").err ==
        "kiln: error: \"data.csv\" is CSV text" + save + "\"data.npy\", np.loadtxt(\"data.csv\", delimiter=\",\"))'\n");
  CHECK(said("words.csv").err.starts_with("kiln: error: \"words.csv\" is CSV text, and kiln reads .npy: python3 -c "));
  CHECK(said("data.csv").status == 1);
  cli::write_file(scratch.file("program.py"), "import os, sys\nprint(1, 2)\n");
  CHECK_FALSE(contains(said("program.py").err, "CSV"));
  check_says(fail_in_one_line({kTwice, sample("text")}), "text.npy\" is CSV text, and kiln reads .npy: ");
  CHECK(run({"eval", kTwice, "-"}, {.input = "1,2\n"}).err ==
        "kiln: error: standard input is CSV text" + save + "\"FILE.npy\", np.loadtxt(\"FILE\", delimiter=\",\"))'\n");
  CHECK(said("--where=data.csv").status == 2);  // no operand
  CHECK(run({"eval", kTwice, sample("a"), "--where", "data.csv"}, {.folder = scratch.path()})
            .err.starts_with("kiln: error: \"data.csv\" is CSV text"));

  // A .npy file under another name is what it is.
  cli::write_file(scratch.file("really.npz"), cli::read_file(sample("a")));
  CHECK(said("really.npz").status == 0);

  const auto written = [&](const std::string& name) {
    return run({"eval", kTwice, sample("a"), "-o", name}, {.folder = scratch.path()});
  };
  CHECK(written("out.npz").err ==
        "kiln: error: \"out.npz\" would be a .npz archive (zip), and kiln writes .npy: give -o out.npy, then python3 -c "
        "'import numpy as np; np.savez(\"out.npz\", np.load(\"out.npy\"))'\nTry 'kiln eval --help'.\n");
  CHECK(
      written("my out.CSV").err ==
      "kiln: error: \"my out.CSV\" would be a CSV file, and kiln writes .npy: give -o 'my out.npy', then python3 -c "
      "'import numpy as np; np.savetxt(\"my out.CSV\", np.load(\"my out.npy\"), delimiter=\",\")'\nTry 'kiln eval --help'.\n");
  CHECK(written("out.npz").status == 2);
  CHECK_FALSE(contains(written("out.dat").err, "kiln writes"));
}

TEST_CASE("an expression without a declaration shows the command that works") {
  const Scratch scratch;
  for (const char* name : {"a", "b"}) cli::write_file(scratch.file(std::string(name) + ".npy"), cli::read_file(sample(name)));
  cli::write_file(scratch.file("wide.npy"), cli::read_file(sample("matrix")));
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "eval");
    const auto result = run(words, {.folder = scratch.path()});
    CHECK(result.status == 1);
    return result.err;
  };
  const auto example = [](const std::string& text, const std::string& command) {
    return "kiln: error: \"" + text + "\" is an expression without a declaration, which names the types: " + command + "\n";
  };
  CHECK(said({"a + b", "a.npy", "b.npy"}) ==
        example("a + b", "kiln eval 'float32 f(float32 a, float32 b) = a + b' a.npy b.npy"));
  CHECK(run({"eval", "float32 f(float32 a, float32 b) = a + b", "a.npy", "b.npy"}, {.folder = scratch.path()}).status == 0);
  CHECK(said({" c = a*x ", "a.npy", "wide.npy"}) ==
        example("c = a*x", "kiln eval 'float64 c(float32 a, float64 x) = a*x' a.npy wide.npy"));
  CHECK(said({"f(x, k) = sqrt(k) >= x", "a.npy", "2"}) ==
        example("f(x, k) = sqrt(k) >= x", "kiln eval 'float32 f(float32 x, float32 k) = sqrt(k) >= x' a.npy 2"));
  CHECK(said({"x == 1 && std::isnan(x)", "wide.npy"}) ==
        example("x == 1 && std::isnan(x)", "kiln eval 'float64 f(float64 x) = x == 1 && std::isnan(x)' wide.npy"));
  CHECK(said({"a + b", "-", "my file"}) == example("a + b", "kiln eval 'T f(T a, T b) = a + b' - 'my file'"));
  CHECK(said({"a + b", "a.npy"}) == example("a + b", "write 'T f(T a, T b) = a + b' and give 2 operands, not 1"));
  CHECK(said({"x**2", "a.npy"}) ==
        "kiln: error: \"x**2\" is Python: in C++ it is pow(a, b) for a**b, in a declaration that names the types, as in "
        "'T f(T a, T b) = pow(a, b)'\n");
  check_says(said({"np.sqrt(a)", "a.npy"}), "unknown dtype \"np\"");
  check_says(said({"lambda x: x + 1", "a.npy"}), "unknown dtype \"lambda\"");
  // No expressions: what is wrong with the declaration is said.
  check_says(said({"float32 f(x) = x", "a.npy"}), "unknown dtype \"x\"");
  check_says(said({"x +", "a.npy"}), "unknown dtype \"x\"");
  check_says(said({"3 + 4"}), "expected the type of the result");
}

TEST_CASE("a signature that cannot be read shows the place") {
  const std::string text = fail({"float32 twice(flaot32 x) = 2 * x", sample("a")});
  check_says(text, "unknown dtype \"flaot32\": did you mean \"float32\"?\nfloat32 twice(flaot32 x) = 2 * x\n              ^\n");
  check_says(fail({"float32 twice(float32 x, float32 x) = x", sample("a"), sample("a")}), "x");
  check_says(fail({"float32 twice(float32 while) = 1", sample("a")}), "while");
  check_says(fail({"float32 twice(float32 x)", sample("a")}), "^");
  check_says(fail({"", sample("a")}), "kiln: error: ");
}

TEST_CASE("a body that does not compile shows its line and column") {
  const std::string expression = fail({"float32 disc(float32 a, float32 b) = sqrt(b*b - 4*a*d)", sample("a"), sample("b")});
  check_says(expression, "kiln: error: the kernel does not compile\n");
  check_says(expression, "\ndisc:1:");
  check_says(expression, "'d'");
  check_says(expression, "while compiling");
  const std::string body = fail({"float32 f(float32 x) {\n  const float32 y = 2;\n  return y * zz;\n}", sample("a")});
  check_says(body, "\nf:3:14: error: ");
  check_says(fail({"float32 f(float32 x) { x + 1; }", sample("a")}), "f:1:");
  check_says(fail({"float32 f(float32 x) { return (x; }", sample("a")}), "(");
}

TEST_CASE("shapes and dtypes that do not fit") {
  const std::string shapes = fail_in_one_line({"T add(T a, T b) = a + b", sample("a"), sample("dividend")});
  check_says(shapes, "(203,)");
  check_says(shapes, "(5,)");
  check_says(fail_in_one_line({kTwice, sample("matrix")}), "float64");
  check_says(fail_in_one_line({"T add(T a, T b) = a + b", sample("bytes"), "256"}), "does not fit in uint8");
  check_says(fail_in_one_line({"T add(T a, T b) = a + b", sample("bytes"), "-1"}), "does not fit in uint8");
  CHECK(cli::eval_usage_error({kTwice, sample("a"), "--dtype", "float23"}) ==
        "kiln: error: --dtype: unknown dtype \"float23\": did you mean \"float16\"?");
}

TEST_CASE("results that cannot be written leave nothing behind") {
  const Scratch scratch;
  const auto missing = run({"eval", kTwice, sample("a"), "-o", scratch.file("no/out.npy")});
  CHECK(missing.status == 1);
  CHECK(missing.err == "kiln: error: cannot write \"" + scratch.file("no/out.npy") + "\": there is no folder \"" +
                           scratch.file("no") + "\"\n");
  const auto folder = run({"eval", kTwice, sample("a"), "-o", scratch.path()});
  CHECK(folder.status == 1);
  CHECK(folder.err == "kiln: error: cannot write \"" + scratch.path() + "\": it is a folder\n");

  // The first of two is not written where the second cannot be.
  const auto second = run({"eval", "(int32 q, int32 r) f(int32 a) { q = a; r = a; }", sample("dividend"), "-o",
                           scratch.file("q.npy"), "-o", "/dev/full"});
  CHECK(second.status == 1);
  CHECK(second.err == "kiln: error: cannot write to \"/dev/full\": No space left on device\n");
  CHECK(scratch.count() == 0);

  const auto printed = run({"eval", kTwice, sample("a")}, {.out_path = "/dev/full"});
  CHECK(printed.status == 1);
  CHECK(printed.err == "kiln: error: cannot write to standard output: No space left on device\n");

  if (geteuid() != 0) {  // root may write anywhere
    chmod(scratch.path().c_str(), 0500);
    const auto locked = run({"eval", kTwice, sample("a"), "-o", scratch.file("out.npy")});
    chmod(scratch.path().c_str(), 0700);
    CHECK(locked.status == 1);
    CHECK(contains(locked.err, "may not be written to"));
  }
}

TEST_CASE("a failed run keeps an older output file") {
  const Scratch scratch;
  cli::write_file(scratch.file("out.npy"), "older");
  CHECK(run({"eval", "float32 f(float32 x) = nothing", sample("a"), "-o", scratch.file("out.npy")}).status == 1);
  CHECK(cli::read_file(scratch.file("out.npy")) == "older");
  CHECK(scratch.count() == 1);
}

#ifndef KILN_SANITIZED  // whose shadow memory is address space
TEST_CASE("eval: a compiler that finds no memory is an error") {
  for (const int mebibytes : {60, 105, 110, 120, 130, 150}) {
    CAPTURE(mebibytes);
    const Scratch scratch;
    const auto result =
        run({"eval", "float32 f(float32 a) = a + 1", "2"},
            {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}},
             .under = {"bash", "-c", "ulimit -v " + std::to_string(mebibytes * 1024) + "; exec \"$@\"", "bash"}});
    CAPTURE(result.err);
    CHECK((result.status == 0 || result.status == 1));
    if (result.status == 0) {
      CHECK(result.out == "3.0\n");
    } else {
      CHECK(result.err.starts_with("kiln: error: "));
      CHECK((contains(result.err,
                      "clang found no memory: the machine has none left, or its processes may use no more (ulimit -v)") ||
             contains(result.err, "clang's process ended without an answer, as it does where memory runs out") ||
             contains(result.err, "failed to open kiln's Clang, tried ") || contains(result.err, "out of memory")));
    }
  }
}
#endif
