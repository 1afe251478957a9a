// The share of a test's cases that a run takes, where the test has its turn in one run of several.
#include "support/sample.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

TEST_CASE("sample: each case comes in so many of a test's turns") {
  const char* const big = std::getenv("KILN_TEST_BIG");
  unsetenv("KILN_TEST_BIG");
  const auto taken = [](std::uint64_t every, std::uint64_t own, std::uint64_t turns) {
    setenv("KILN_TEST_TURNS", std::to_string(turns).c_str(), 1);
    std::multiset<std::uint64_t> found;
    for (std::uint64_t run = own; run < turns * every; run += turns) {
      setenv("KILN_TEST_FIRST", std::to_string(run).c_str(), 1);
      kiln::test::Sample sample(every);
      for (std::uint64_t each = 0; each < every; ++each) {
        if (sample.takes_next()) found.insert(each);
      }
    }
    return found;
  };
  // Also where the share's number divides that of the turns.
  CHECK(taken(3, 4, 5) == std::multiset<std::uint64_t>{0, 1, 2});
  CHECK(taken(5, 2, 5) == std::multiset<std::uint64_t>{0, 1, 2, 3, 4});
  unsetenv("KILN_TEST_TURNS");
  if (big != nullptr) setenv("KILN_TEST_BIG", big, 1);
}
