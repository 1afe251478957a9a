#include "base/own_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

TEST_CASE("own folder: a library is looked for beside this program, then where kiln is installed") {
  const std::vector<std::string> found = kiln::base::candidates_beside("libx.so", "/opt/modules");
  REQUIRE(found.size() == 3);
  CHECK(kiln::base::own_file() == kiln::base::own_folder() + "/kiln-test-base");
  CHECK(found[0] == kiln::base::own_folder() + "/libx.so");
  CHECK(found[1].ends_with("/lib/libx.so"));
  CHECK(std::filesystem::equivalent(std::filesystem::path(found[1]).parent_path(), kiln::base::own_folder() + "/../lib"));
  CHECK(found[1].find("..") == std::string::npos);
  CHECK(found[2] == "/opt/modules/libx.so");
}

TEST_CASE("own folder: a file that is missing is to be installed, and its package is named where there is one") {
  CHECK(kiln::base::how_to_install("libx.so", "", "KILN_X") == "install libx.so beside libkiln.so, or name it in KILN_X");
  CHECK(kiln::base::how_to_install("libx.so", "libx19", "KILN_X") ==
        "install the package libx19, which has libx.so, or name that file in KILN_X");
}
