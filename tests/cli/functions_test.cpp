// kiln functions, and functions of the standard library in place of a kernel's text.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"

using cli::contains;
using cli::run;
using cli::sample;

TEST_CASE("functions lists the standard library, as a table and as JSON") {
  const auto table = run({"functions"});
  CHECK(table.status == 0);
  CHECK(table.err == "");
  CHECK(table.out.starts_with("arithmetic:\n  add            2 -> 1  x1 + x2; integers wrap, bools are or-ed\n"));
  CHECK(contains(table.out, "\n\ntrigonometry:\n"));
  const auto json_run = run({"functions", "--json"});
  REQUIRE(json_run.status == 0);
  const auto json = nlohmann::json::parse(json_run.out);
  REQUIRE(json.at("functions").size() == 89);
  for (const auto& function : json.at("functions")) {
    CHECK(contains(table.out, "\n  " + function.at("name").get<std::string>() + " "));
    CHECK_FALSE(function.at("loops").empty());
  }
}

TEST_CASE("functions NAME prints the loops in order") {
  const auto result = run({"functions", "ldexp", "mod"});
  CHECK(result.status == 0);
  CHECK(
      result.out.starts_with("ldexp (floating point), 2 -> 1: x1 * 2**x2, rounded once\n"
                             "  float16, int32 -> float16\n  float16, int64 -> float16\n"));
  CHECK(contains(result.out, "\n\nremainder (division), 2 -> 1: "));
  const auto json = nlohmann::json::parse(run({"functions", "--json", "add"}).out);
  CHECK(json.at("functions").at(0).at("identity") == "0");
  CHECK(json.at("functions").at(0).at("loops").at(0) == "bool, bool -> bool");
}

TEST_CASE("eval takes a function by its name") {
  CHECK(run({"eval", "hypot", "3", "4"}).out == "5.0\n");
  CHECK(run({"eval", "floor_divide", "-7", "2"}).out == "-4\n");
  CHECK(run({"eval", "divmod", "-7", "2"}).out == "-4\n1\n");
  CHECK(run({"eval", "hypot", "3"}).err == "kiln: error: \"hypot\" takes 2 operands, 1 given\nTry 'kiln eval --help'.\n");
  CHECK(run({"eval", "--fast-math", "exp", "1"}).err ==
        "kiln: error: --fast-math is for a kernel's text: the library's \"exp\" is as it is\nTry 'kiln eval --help'.\n");
}

TEST_CASE("a name that no function has is an error with those that are near") {
  const auto result = run({"eval", "hypott", "3", "4"});
  CHECK(result.status == 2);
  CHECK(result.err ==
        "kiln: error: there is no function \"hypott\": did you mean hypot?; 'kiln functions' lists them\n"
        "Try 'kiln eval --help'.\n");
  CHECK(run({"functions", "nosuch"}).err ==
        "kiln: error: there is no function \"nosuch\": did you mean cosh?; 'kiln functions' lists them\n"
        "Try 'kiln functions --help'.\n");
  CHECK(run({"functions", "zzzzzz"}).err ==
        "kiln: error: there is no function \"zzzzzz\"; 'kiln functions' lists them\nTry 'kiln functions --help'.\n");
  CHECK(contains(run({"functions", "sine"}).err, "did you mean sin"));
}

TEST_CASE("kiln explain says what codes mean") {
  const auto all = run({"explain"});
  CHECK(all.status == 0);
  CHECK(contains(all.out, "\n  broadcast   Shapes that do not broadcast\n"));
  const auto two = run({"explain", "truth", "loop"});
  CHECK(two.out.starts_with("truth: The truth of an array of several elements (ShapeError)\n"));
  CHECK(contains(two.out, "\n\nloop: Dtypes that no loop takes (TypeError)\n"));
  const auto json = nlohmann::json::parse(run({"explain", "axis", "--json"}).out);
  CHECK(json.at("errors").size() == 1);
  CHECK(json.at("errors")[0].at("exception") == "ShapeError");
  const auto unknown = run({"explain", "brodcast"});
  CHECK(unknown.status == 1);
  CHECK(unknown.err == "kiln: error: unknown code \"brodcast\": did you mean \"broadcast\"?\n");
}

TEST_CASE("on a terminal an error names its code") {
  if (!cli::have_terminals()) return;
  const std::vector<std::string> terminal = {"python3", "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"};
  const auto said = [&](const std::vector<std::string>& arguments) {
    const auto result = run(arguments, {.under = terminal});
    CHECK(result.status == 1);
    return result.out;
  };
  CHECK(contains(said({"eval", "add", "1", "2", "-o", "/nowhere/x.npy"}), "kiln: help: kiln explain file"));
  CHECK(contains(said({"eval", "float64 f(float64 a) = sqroot(a)", "1"}), "kiln: help: kiln explain compile"));
  CHECK(contains(said({"eval", "float32 f(float32 a) = a", sample("matrix")}), "kiln: help: kiln explain loop"));
  CHECK_FALSE(contains(run({"explain", "nothing"}).err, "help"));
}
