// Runs the cases, and says what could not run here: see docs/testing.md.
#include <doctest/doctest.h>

#include <cstdio>

#include "not_run.hpp"
#include "seed.hpp"

int main(int argc, char** argv) {
  std::printf("KILN_TEST_SEED=%llu\n", static_cast<unsigned long long>(kiln::test::seed()));
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit()) return result;
  for (const auto& [what, cases] : kiln::test::cases_not_run()) std::printf("KILN-NOT-RUN %s %d\n", what.c_str(), cases);
  return result;
}
