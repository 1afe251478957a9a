// doctest itself, compiled once for all suites.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
