// A share of the cases of a test that compile a kernel each: all of them take too long for every run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace kiln::test {

/// Takes one case in `every`: other ones each day, or those from KILN_TEST_FIRST on. Takes all with KILN_TEST_BIG=1.
class Sample {
 public:
  explicit Sample(std::uint64_t every) : every_(std::getenv("KILN_TEST_BIG") != nullptr ? 1 : every), next_(first() % every_) {}
  bool takes_next() { return next_++ % every_ == 0; }
  /// KILN_TEST_FIRST of this run.
  static std::uint64_t first() {
    const char* const text = std::getenv("KILN_TEST_FIRST");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : static_cast<std::uint64_t>(std::time(nullptr)) / 86400;
  }

 private:
  std::uint64_t every_;
  std::uint64_t next_;
};

}  // namespace kiln::test
