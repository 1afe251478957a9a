#include "types/option_words.hpp"

#include <doctest/doctest.h>

#include <string>

using kiln::option_words;

namespace {

/// "out@4-8 casting=unsafe@12-40": the words of a message with their places.
std::string words(std::string_view message) {
  std::string text;
  for (const kiln::OptionWord& each : option_words(message)) {
    text += (text.empty() ? "" : " ") + each.name + (each.value.empty() ? "" : "=" + each.value) + "@" +
            std::string(message.substr(each.begin, each.end - each.begin));
  }
  return text;
}

}  // namespace

TEST_CASE("option words: options of calls and definitions") {
  CHECK(words("add: output 0 is read-only; give a writable array as .out") == "out@.out");
  CHECK(words(".dtype and .signature both force a loop") == "dtype@.dtype signature@.signature");
  CHECK(words("force a loop with .dtype or .signature and .casting = Casting::unsafe") ==
        "dtype@.dtype signature@.signature casting=unsafe@.casting = Casting::unsafe");
  CHECK(words("give .out, or a size rule: .sizes = \"m = …\"") == "out@.out sizes@.sizes = ");
  CHECK(words("give its text in .compile.headers or its folder in .compile.include_dirs") ==
        "compile.headers@.compile.headers compile.include_dirs@.compile.include_dirs");
  CHECK(words("expected \"items\" (.size), \"blocks\" (.grid and .block), .s is 0") ==
        "size@.size grid@.grid block@.block s@.s");
}

TEST_CASE("option words: values, and lines of diagnostics") {
  CHECK(words("prints, with .compile = {.debug = {.on = true}}, or KILN_DEBUG=1") ==
        "compile.debug.on=true@.compile = {.debug = {.on = true}}");
  CHECK(words("f:1:1: error: no\n  .out = 1;\nf:2:1: error: .where is none\n  { .size = 1 }") == "where@.where");
  CHECK(words("give Casting::unsafe to convert all the same") == "Casting=unsafe@Casting::unsafe");
  CHECK(words("give astype(DType::float32)") == "DType=float32@DType::float32");
}

TEST_CASE("option words: functions") {
  CHECK(words("give 0, -1 or kiln::all_axes") == "kiln::all_axes@kiln::all_axes");
  CHECK(words("is one of kiln::kernel() or kiln::cupy::raw_kernel()") ==
        "kiln::kernel@kiln::kernel kiln::cupy::raw_kernel@kiln::cupy::raw_kernel");
  CHECK(words("f:1:1: error: argument types are: (kiln::float64, int)").empty());
}

TEST_CASE("option words: other text stays") {
  CHECK(words("add.reduce: the file is not a .npy file, ./a.out and x.dtype are none").empty());
  CHECK(words("\"where .out is\" is the user's").empty());
  CHECK(words("the first line\n  S s = { .size = 1 };").empty());
  CHECK(words("a sentence ends. .").empty());
}
