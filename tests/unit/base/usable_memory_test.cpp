#include "base/usable_memory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_directory.hpp"

using kiln::base::usable_memory;
using kiln::test::TemporaryDirectory;

namespace {

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("the memory that a process may use is what its control groups leave of the machine's") {
  const TemporaryDirectory folder;
  const std::string groups = folder / "groups";
  const std::string mounted = folder / "mounted";
  const std::size_t machine = usable_memory(folder / "absent", mounted);
  CHECK(machine > 1000000);
  const auto usable = [&](const char* list) {
    write(groups, list);
    return usable_memory(groups, mounted);
  };

  SUBCASE("version 2: the least of a group and those around it") {
    write(mounted + "/a/b/memory.max", "max\n");
    write(mounted + "/a/memory.max", "300000\n");
    CHECK(usable("0::/a/b\n") == 300000);
    CHECK(usable("0::/a/b/c\n") == 300000);
    CHECK(usable("0::/a\n") == 300000);
    CHECK(usable("0::/\n") == machine);
    write(mounted + "/memory.max", "200000\n");
    CHECK(usable("0::/a/b\n") == 200000);
    CHECK(usable("0::/\n") == 200000);
  }
  SUBCASE("version 1: the group of the controller of memory") {
    write(mounted + "/memory/jobs/7/memory.limit_in_bytes", "400000\n");
    write(mounted + "/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(usable("5:cpu,cpuacct:/jobs/7\n4:hugetlb,memory:/jobs/7\n0::/\n") == 400000);
    CHECK(usable("5:memory:/jobs\n") == machine);
    CHECK(usable("5:memory_of_others:/jobs/7\n") == machine);
  }
  SUBCASE("what is no list of groups says nothing") {
    CHECK(usable("") == machine);
    CHECK(usable("nonsense\n:\n::\n\n") == machine);
  }
}
