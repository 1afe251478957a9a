// A share of the cases of a test that compile a kernel each: all of them take too long for every run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace kiln::test {

/// Takes one case in `every`: other ones each time that the test has its turn. Takes all with KILN_TEST_BIG=1.
class Sample {
 public:
  explicit Sample(std::uint64_t every) : every_(std::getenv("KILN_TEST_BIG") != nullptr ? 1 : every), next_(turn() % every_) {}
  bool takes_next() { return next_++ % every_ == 0; }
  /// KILN_TEST_FIRST of this run; where it is not set, the day.
  static std::uint64_t first() { return number("KILN_TEST_FIRST", static_cast<std::uint64_t>(std::time(nullptr)) / 86400); }
  /// KILN_TEST_TURNS, at least 1.
  static std::uint64_t turns() { return std::max<std::uint64_t>(number("KILN_TEST_TURNS", 1), 1); }
  /// How many turns a test had before this one.
  static std::uint64_t turn() { return first() / turns(); }

 private:
  static std::uint64_t number(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
  }

  std::uint64_t every_;
  std::uint64_t next_;
};

}  // namespace kiln::test
