// What the tests of `kiln eval` check again and again.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "command.hpp"
#include "npy_file.hpp"

namespace cli {

/// `kiln eval` with these arguments writes a file that equals the sample.
inline void check_eval(std::vector<std::string> arguments, const std::string& expected) {
  const Scratch scratch;
  arguments.insert(arguments.begin(), "eval");
  arguments.insert(arguments.end(), {"-o", scratch.file("result.npy")});
  const Result result = run(arguments);
  CHECK(result.err == "");
  REQUIRE(result.status == 0);
  CHECK(read_npy(scratch.file("result.npy")) == read_npy(sample(expected)));
}

/// What `kiln eval` says where it ends with that status and writes nothing.
inline std::string eval_error(std::vector<std::string> arguments, int status) {
  arguments.insert(arguments.begin(), "eval");
  const Result result = run(arguments);
  CHECK(result.status == status);
  CHECK(result.out == "");
  CHECK_FALSE(speaks_cpp(result.err));
  return result.err;
}

/// The first line of that where the arguments are wrong.
inline std::string eval_usage_error(const std::vector<std::string>& arguments) {
  const std::string text = eval_error(arguments, 2);
  return text.substr(0, text.find('\n'));
}

}  // namespace cli
