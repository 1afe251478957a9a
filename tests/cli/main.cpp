#include <doctest/doctest.h>
#include <stdlib.h>  // setenv

#include "../support/turns.hpp"
#include "command.hpp"

int main(int argc, char** argv) {
  // The user's own cache is left alone, but a test run that names one (a warm second run) uses it.
  const cli::Scratch cache;
  setenv("KILN_CACHE_DIR", cache.path().c_str(), 0);
  doctest::Context context(argc, argv);
  kiln::test::take_turn(context, argc, argv);
  return context.run();
}
