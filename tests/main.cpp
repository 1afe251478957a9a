// Of the suites that have no main of their own.
#include <doctest/doctest.h>

#include "locale.hpp"
#include "support/turns.hpp"

int main(int argc, char** argv) {
  kiln::test::use_locale_of_environment(false);  // tests of units write numbers by streams
  doctest::Context context(argc, argv);
  kiln::test::take_turn(context, argc, argv);
  return context.run();
}
