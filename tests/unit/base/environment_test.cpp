#include "base/environment.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"

TEST_CASE("env tells an unset variable from an empty one") {
  setenv("KILN_TEST_VARIABLE", "a b", 1);
  CHECK(kiln::base::env("KILN_TEST_VARIABLE") == "a b");
  setenv("KILN_TEST_VARIABLE", "", 1);
  CHECK(kiln::base::env("KILN_TEST_VARIABLE") == "");
  unsetenv("KILN_TEST_VARIABLE");
  CHECK(kiln::base::env("KILN_TEST_VARIABLE") == std::nullopt);
}

TEST_CASE("a word that a variable does not have is told once, with those it has") {
  std::vector<std::string> lines;
  kiln::base::set_log([&](std::string_view line) { lines.emplace_back(line); });
  constexpr std::array<std::string_view, 3> words{"0", "1", "nan"};
  const auto word = [&](const char* value) {
    setenv("KILN_TEST_VARIABLE", value, 1);
    return kiln::base::env_word("KILN_TEST_VARIABLE", words, "nothing is done");
  };
  CHECK(word("nan").value == "nan");
  CHECK_FALSE(word("nan").unknown);
  CHECK(word("").value.empty());
  CHECK_FALSE(word("").unknown);
  CHECK(lines.empty());
  for (int i = 0; i < 3; ++i) {
    CHECK(word("nans").unknown);
    CHECK(word("nans").value.empty());
  }
  unsetenv("KILN_TEST_VARIABLE");
  CHECK_FALSE(kiln::base::env_word("KILN_TEST_VARIABLE", words, "").unknown);
  kiln::base::set_log(nullptr);
  CHECK(lines == std::vector<std::string>{
                     "KILN_TEST_VARIABLE is \"nans\", which kiln does not know: it may be 0, 1 or nan; nothing is done"});
}
