// Command lines that cannot be understood: status 2, the reason and where to find help; and the help itself.
#include <doctest/doctest.h>

#include <map>

#include "command.hpp"

using cli::contains;
using cli::kTwice;
using cli::run;
using cli::sample;
using cli::Scratch;

namespace {

const std::string kCommands = "eval, functions, devices, cache, compile, tune, inspect, explain and environment";

void check_usage_of(const std::vector<std::string>& words, const std::string& reason,
                    const std::string& command = "kiln eval") {
  const auto result = run(words);
  CHECK(result.status == 2);
  CHECK(result.out == "");
  CHECK(result.err == "kiln: error: " + reason + "\nTry '" + command + " --help'.\n");
}

}  // namespace

TEST_CASE("no command, and unknown ones") {
  check_usage_of({"evil"}, "unknown command \"evil\": the commands of kiln are " + kCommands + "; did you mean \"eval\"?",
                 "kiln");
  check_usage_of({"dev"}, "unknown command \"dev\": the commands of kiln are " + kCommands + "; did you mean \"devices\"?",
                 "kiln");
  check_usage_of({"frobnicate"}, "unknown command \"frobnicate\": the commands of kiln are " + kCommands, "kiln");
  check_usage_of({"--frob"}, "unknown option \"--frob\" of kiln", "kiln");
  const std::string unknown = "unknown command \"evil\": the commands of kiln are " + kCommands + "; did you mean \"eval\"?";
  check_usage_of({"help", "evil"}, unknown, "kiln");
  check_usage_of({"evil", "--help"}, unknown, "kiln");
}

TEST_CASE("kiln alone prints its help") {
  const auto alone = run({});
  CHECK(alone.status == 0);
  CHECK(alone.err == "");
  CHECK(alone.out == run({"--help"}).out);
  CHECK(alone.out.starts_with("kiln: NumPy-style universal functions from C++ strings, compiled at run time\n"));
}

TEST_CASE("exit statuses of every command") {
  const Scratch scratch;
  const std::string cache = scratch.file("cache");
  const std::string manifest = R"json({"kiln_manifest": 2, "kernels": [{"kind": "ufunc", "name": "f",
    "signatures": ["float32(float32 a)"], "body": "return )json";
  cli::write_file(scratch.file("good.json"), manifest + "a;\"}]}");
  cli::write_file(scratch.file("wrong.json"), manifest + "b;\"}]}");
  cli::write_file(scratch.file("no.json"), "{");
  cli::write_file(scratch.file("none.npy"), "");
  const struct {
    std::vector<std::string> words;
    int status;
  } cases[] = {
      {{}, 0},
      {{"help", "eval"}, 0},
      {{"--version"}, 0},
      {{"nosuch"}, 2},
      {{"eval", "negative", "1"}, 0},
      {{"eval", "negative", "no.npy"}, 1},
      {{"eval", "negative", "none.npy"}, 1},
      {{"eval", "float32 f(float32 x) = y", "1"}, 1},
      {{"eval", "float32 f(float23 x) = x", "1"}, 1},
      {{"eval", "--layout", "(n", "void f(T[:] x, T y) { }", "1"}, 1},
      {{"eval", "negative", sample("a"), "--where", sample("a")}, 1},
      {{"eval", "add", sample("a"), "-m", "reduce", "--axis", "7"}, 1},
      {{"eval", "negative", "1", "--device", "cuda:99"}, 1},
      {{"eval", "negative", "1", "-o", "no/out.npy"}, 1},
      {{"eval"}, 2},
      {{"eval", "nosuch", "1"}, 2},
      {{"eval", "negative"}, 2},
      {{"eval", "negative", "1", "--frob"}, 2},
      {{"eval", "negative", "1", "--device", "gpu"}, 2},
      {{"eval", "negative", "1", "--dtype", "float23"}, 2},
      {{"eval", "negative", "1", "-o", "a.npy", "-o", "b.npy"}, 2},
      {{"functions"}, 0},
      {{"functions", "nosuch"}, 2},
      {{"devices"}, 0},
      {{"devices", "cpu"}, 2},
      {{"cache"}, 0},
      {{"cache", "nosuch"}, 2},
      {{"cache", "list"}, 0},
      {{"cache", "list", "--dir", "nowhere"}, 1},
      {{"cache", "list", "--sort", "colour"}, 2},
      {{"cache", "path"}, 0},
      {{"cache", "stats"}, 0},
      {{"cache", "show", "0123456789abcdef"}, 1},
      {{"cache", "show"}, 2},
      {{"cache", "show", "good"}, 2},
      {{"cache", "explain", "good.json"}, 1},
      {{"compile", "good.json", "-t", "native"}, 0},
      {{"cache", "explain", "good.json"}, 0},
      {{"cache", "explain", "good.json", "-t", "z80"}, 2},
      {{"cache", "explain"}, 2},
      {{"compile", "wrong.json", "-t", "native"}, 1},
      {{"compile", "no.json", "-t", "native"}, 1},
      {{"compile", "good.json"}, 2},
      {{"compile", "good.json", "-t", "z80"}, 2},
      {{"inspect", "good.json"}, 0},
      {{"inspect", "wrong.json"}, 1},
      {{"inspect", "0123456789abcdef"}, 1},
      {{"inspect", "good.json", "--as", "ptx"}, 1},
      {{"inspect", "good.json", "--as", "poem"}, 2},
      {{"inspect"}, 2},
      {{"cache", "verify"}, 0},
      {{"cache", "export", "all.bundle"}, 0},
      {{"cache", "export", "none.bundle", "--kernel", "nosuch"}, 1},
      {{"cache", "export"}, 2},
      {{"cache", "import", "all.bundle"}, 0},
      {{"cache", "import", "good.json"}, 1},
      {{"cache", "prune", "--older-than", "30d"}, 0},
      {{"cache", "prune"}, 2},
      {{"cache", "prune", "--older-than", "30d", "--dir", "all.bundle"}, 2},
      {{"cache", "clear"}, 2},
      {{"cache", "clear", "--yes"}, 0},
  };
  for (const auto& each : cases) {
    std::string line = "kiln";
    for (const std::string& word : each.words) line += " " + word;
    CAPTURE(line);
    const auto result = run(each.words, {.environment = {{"KILN_CACHE_DIR", cache}}, .folder = scratch.path()});
    CAPTURE(result.err);
    CHECK(result.status == each.status);
    CHECK(contains(result.err, "--help'.\n") == (each.status == 2));
  }
  const std::map<std::string, std::string> none{{"KILN_CACHE_DIR", ""}};
  CHECK(run({"cache", "path"}, {.environment = none}).status == 1);
  CHECK(run({"devices"}, {.environment = {{"KILN_DEVICE", "gpu"}}}).status == 0);
}

TEST_CASE("unknown options, and options without their value") {
  check_usage_of({"eval", "--frob", kTwice, sample("a")}, "unknown option \"--frob\" of kiln eval");
  CHECK(run({"eval", kTwice, sample("a"), "-o"}).status == 2);
  CHECK(run({"devices", "--frob"}).status == 2);
  check_usage_of({"devices", "--jsn"}, "unknown option \"--jsn\" of kiln devices; did you mean \"--json\"?", "kiln devices");
  check_usage_of({"devices", "cpu"}, "kiln devices does not know what to do with \"cpu\"", "kiln devices");
  check_usage_of({"eval", kTwice, sample("a"), "--casting", "loose"},
                 "unknown --casting \"loose\": no, equiv, safe, same_kind or unsafe");
}

TEST_CASE("an option with an empty value, which a script's unset variable gives") {
  for (const char* option :
       {"--where", "--method", "--axis", "--initial", "--casting", "--dtype", "--layout", "--each", "--group", "--shared",
        "--sizes", "--axes", "--file", "--output", "--device", "--define", "--include-dir"}) {
    CAPTURE(option);
    const std::string reason = std::string(option) + " has an empty value";
    check_usage_of({"eval", "add", sample("a"), "1", option, ""}, reason);
    check_usage_of({"eval", option, "", "add", sample("a"), "1"}, reason);
    check_usage_of({"eval", "add", sample("a"), std::string(option) + "=", "1"}, reason);
  }
  check_usage_of({"eval", "add", sample("a"), "1", "-m", ""}, "--method has an empty value");
  check_usage_of({"cache", "path", "--dir", ""}, "--dir has an empty value", "kiln cache path");
  check_usage_of({"cache", "list", "--sort", ""}, "--sort has an empty value", "kiln cache list");
  check_usage_of({"cache", "list", "--kernel", "", "--kernel", "add"}, "--kernel has an empty value", "kiln cache list");
  check_usage_of({"cache", "prune", "--max-bytes", ""}, "--max-bytes has an empty value", "kiln cache prune");
  check_usage_of({"cache", "prune", "--older-than", ""}, "--older-than has an empty value", "kiln cache prune");
  check_usage_of({"compile", "m.json", "-t", ""}, "--target has an empty value", "kiln compile");
  check_usage_of({"compile", "m.json", "--jobs", ""}, "--jobs has an empty value", "kiln compile");
  check_usage_of({"inspect", "m.json", "--as="}, "--as has an empty value", "kiln inspect");
  check_usage_of({"eval", "add", "1", "2", "--whre="}, "unknown option \"--whre\" of kiln eval; did you mean \"--where\"?");
}

TEST_CASE("a flag takes no value, and nothing takes its place") {
  const auto result = run({"eval", "--fast-math=", "float64 twice(float64 x) = 2 * x", "1.5"});
  CHECK(result.err == "");
  CHECK(result.out == "3.0\n");
  CHECK(result.status == 0);
}

TEST_CASE("texts of C++ may be empty, and so may a macro's value") {
  for (const std::vector<std::string>& empty :
       {std::vector<std::string>{"--functions", ""}, {"--preamble", ""}, {"--preamble="}, {"-D", "UNUSED="}}) {
    std::vector<std::string> words{"eval", "float64 twice(float64 x) = 2 * x", "1.5"};
    words.insert(words.end() - 1, empty.begin(), empty.end());
    const auto result = run(words);
    CHECK(result.err == "");
    CHECK(result.out == "3.0\n");
  }
}

TEST_CASE("an include folder that is none") {
  check_usage_of({"eval", kTwice, sample("a"), "-I", "no/such"}, "there is no folder \"no/such\" for --include-dir");
  check_usage_of({"eval", kTwice, sample("a"), "-I", "/", "-I", sample("a")},
                 "--include-dir \"" + sample("a") + "\" is no folder");
}

TEST_CASE("an axis beyond all ranges") {
  const std::string sum = "T sum(T a, T b) = a + b";
  check_usage_of({"eval", sum, sample("a"), "-m", "reduce", "--axis", "99999999999"}, "--axis \"99999999999\" is out of range");
  check_usage_of({"eval", sum, sample("a"), "-m", "reduce", "--axis", "0,-99999999999"},
                 "--axis \"-99999999999\" is out of range");
  check_usage_of({"eval", sum, sample("a"), "-m", "reduce", "--axis", "99999999999x"},
                 "--axis \"99999999999x\" is not a number; give one axis, several with commas, all or none");
  check_usage_of({"eval", "--layout", "(n)->()", "--axes", "99999999999;", "void f(T[:] x, T y) { y = x(0); }", sample("a")},
                 "--axes \"99999999999\" is out of range");
}

TEST_CASE("a wrong number of operands or outputs") {
  check_usage_of({"eval"}, "no kernel: give its text, or --file FILE");
  check_usage_of({"eval", kTwice}, "\"twice\" takes 1 operand, 0 given");
  check_usage_of({"eval", kTwice, sample("a"), "-1"}, "\"twice\" takes 1 operand, 2 given");
  check_usage_of({"eval", "float32 add(float32 a, float32 b) = a + b", sample("a")}, "\"add\" takes 2 operands, 1 given");
  const std::string pair = "(int32 q, int32 r) pair(int32 a) { q = a; r = a; }";
  const Scratch scratch;
  check_usage_of({"eval", pair, sample("dividend"), "-o", scratch.file("q.npy")},
                 "\"pair\" has 2 outputs, but -o is given 1 time: once for each output, or not at all to print");
  check_usage_of({"eval", kTwice, sample("a"), "-o", scratch.file("q.npy"), "-o", scratch.file("r.npy")},
                 "\"twice\" has 1 output, but -o is given 2 times: once for each output, or not at all to print");
  check_usage_of({"eval", pair, sample("dividend"), "-o", scratch.file("q.npy"), "-o", scratch.file("q.npy")},
                 "two outputs would go to \"" + scratch.file("q.npy") + "\": give each its own -o");
  CHECK(scratch.count() == 0);
}

TEST_CASE("an integer beyond 64 bits, and standard input named twice") {
  check_usage_of({"eval", kTwice, "18446744073709551616"},
                 "operand \"18446744073709551616\" does not fit in 64 bits: write it as a float, \"18446744073709551616.0\"");
  check_usage_of({"eval", kTwice, "-9223372036854775809"},
                 "operand \"-9223372036854775809\" does not fit in 64 bits: write it as a float, \"-9223372036854775809.0\"");
  check_usage_of({"eval", kTwice, "0x1ffffffffffffffff"},
                 "operand \"0x1ffffffffffffffff\" does not fit in 64 bits: write it as a float, in decimal digits");
  check_usage_of({"eval", "float32 add(float32 a, float32 b) = a + b", "-", "-"}, "standard input ('-') can be read only once");
  check_usage_of({"eval", "--file", "-", "-"}, "standard input ('-') can be read only once");
}

TEST_CASE("--help and --version go to standard output") {
  const auto version = run({"--version"});
  CHECK(version.status == 0);
  CHECK(version.out == "kiln 0.2.0\n");
  const auto help = run({"--help"});
  CHECK(help.status == 0);
  CHECK(contains(help.out, "Usage: kiln COMMAND [OPTIONS]\n"));
  CHECK(run({"help"}).out == help.out);
  CHECK(run({"help", "devices"}).out == run({"devices", "--help"}).out);
  CHECK(run({"cache", "help", "list"}).out == run({"cache", "list", "--help"}).out);
  CHECK(run({"help", "cache", "list"}).out == run({"cache", "list", "--help"}).out);
  CHECK(run({"devices", "--frob", "--help"}).status == 0);
  CHECK(contains(help.out, "eval"));
  CHECK(contains(help.out, "devices"));
  const auto eval = run({"eval", "--help"});
  CHECK(eval.status == 0);
  CHECK(eval.err == "");
  for (const char* part : {"Usage: kiln eval [OPTIONS] KERNEL OPERAND...", "-o,--output", "--device", "--time", "--functions",
                           "--preamble", "-D,--define", "-I,--include-dir", "--contract", "--fast-math", "--casting", "--dtype",
                           "Examples:", "Exit status: 0"}) {
    CAPTURE(part);
    CHECK(contains(eval.out, part));
  }
}
