// Of the suites that have no main of their own.
#include <doctest/doctest.h>

#include "locale.hpp"

int main(int argc, char** argv) {
  kiln::test::use_locale_of_environment(false);  // tests of units write numbers by streams
  return doctest::Context(argc, argv).run();
}
