#include "base/variables.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <string_view>

using kiln::base::near_variable;

TEST_CASE("variables: each is one row of a subject") {
  std::set<std::string_view> names;
  for (const auto& group : kiln::base::variable_groups()) {
    CHECK_FALSE(group.variables.empty());
    for (const auto& each : group.variables) CHECK(names.insert(each.name).second);
  }
  CHECK(names.contains("KILN_DEVICE"));
  CHECK(names.contains("NO_COLOR"));
}

TEST_CASE("variables: the one that a misspelled name means") {
  CHECK(near_variable("KILN_DEVCE") == "KILN_DEVICE");
  CHECK(near_variable("KILN_device") == "KILN_DEVICE");
  CHECK(near_variable("cache_dirs") == "KILN_CACHE_DIR");
  CHECK(near_variable("KILN_CACHE_READ_ONLY_DIRS") == "KILN_CACHE_READONLY_DIRS");
  // The prefix's letters do not count.
  CHECK(near_variable("KILN_FUZZ").empty());
  CHECK(near_variable("KILN_HOME").empty());
  CHECK(near_variable("KILN_").empty());
  CHECK(near_variable("").empty());
  CHECK(near_variable("NO_COLOUR").empty());
}

TEST_CASE("variables: those of the process that are near to a row, and of nobody else") {
  const auto meant = [](const char* name) {
    setenv(name, "1", 1);
    std::string_view found;
    for (const auto& each : kiln::base::misspelled_variables()) {
      if (each.name == name) found = each.meant;
    }
    unsetenv(name);
    return found;
  };
  CHECK(meant("KILN_TUNES") == "KILN_TUNE");
  CHECK(meant("KILN_TUNE").empty());
  CHECK(meant("KILN_GPU_TARGETS").empty());
  CHECK(meant("KILN_TEST_DEVICE").empty());
  CHECK(meant("KILN_BAKERY").empty());
  CHECK(meant("KILLN_TUNE").empty());
}
