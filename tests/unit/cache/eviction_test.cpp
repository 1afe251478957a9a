#include "cache/eviction.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

#include "../base/temporary_directory.hpp"

using kiln::cache::add_to_usage;
using kiln::cache::sweep;
using kiln::test::list_files;
using kiln::test::read_text;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

void make_file(const std::string& path, std::size_t size, std::time_t age_seconds) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  write_text(path, std::string(size, 'p'));
  const timespec stamp{std::time(nullptr) - age_seconds, 0};
  const timespec times[2] = {stamp, stamp};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace

TEST_CASE("the estimate adds up, and asks for a sweep where it is missing, past the bound, or old") {
  const TemporaryDirectory folder;
  CHECK(add_to_usage(folder.path(), 10, 100));  // none yet
  write_text(folder / "usage", "40 0\n");
  CHECK_FALSE(add_to_usage(folder.path(), 60, 100));
  CHECK(read_text(folder / "usage") == "100 1\n");
  CHECK(add_to_usage(folder.path(), 1, 100));
  CHECK(read_text(folder / "usage") == "101 2\n");
  write_text(folder / "usage", "0 998\n");
  CHECK_FALSE(add_to_usage(folder.path(), 1, 100));
  CHECK(add_to_usage(folder.path(), 1, 100));
  write_text(folder / "usage", "18446744073709551615 5\n");
  CHECK(add_to_usage(folder.path(), 1, 18446744073709551614U));  // does not wrap around
  for (const char* damaged : {"", "x", "12", "12 ", "12 3", "-1 2\n", "99999999999999999999999 1\n"}) {
    CAPTURE(damaged);
    write_text(folder / "usage", damaged);
    CHECK(add_to_usage(folder.path(), 1, 100));
  }
}

TEST_CASE("a sweep keeps the newest entries within nine tenths of the bound") {
  const TemporaryDirectory folder;
  for (int i = 0; i < 20; ++i) make_file(folder / fmt::format("{:02x}/{}.kiln", 13 * i, i), 100, 1000 - 10 * i);
  const auto swept = sweep(folder.path(), 1000);
  CHECK(swept.removed == 11);
  CHECK(swept.bytes_left == 900);
  for (int i = 0; i < 20; ++i) {
    CHECK(std::filesystem::exists(folder / fmt::format("{:02x}/{}.kiln", 13 * i, i)) == (i >= 11));
  }
  CHECK(read_text(folder / "usage") == "900 0\n");
  CHECK(sweep(folder.path(), 1000).removed == 0);
}

TEST_CASE("a sweep never removes the newest entry, and damaged ones go first") {
  const TemporaryDirectory folder;
  make_file(folder / "00/old.kiln", 400, 500);
  make_file(folder / "ff/new.kiln", 950, 0);
  make_file(folder / "damaged/newest.kiln", 400, 0);
  CHECK(sweep(folder.path(), 1600).removed == 1);
  CHECK(list_files(folder.path()) == std::vector<std::string>{"00/old.kiln", "ff/new.kiln", "sweep.lock", "usage"});
  sweep(folder.path(), 1000);
  CHECK(list_files(folder.path()) == std::vector<std::string>{"ff/new.kiln", "sweep.lock", "usage"});
}

TEST_CASE("a sweep clears up after killed processes and touches nothing that is not the cache's") {
  const TemporaryDirectory folder;
  make_file(folder / "00/e.kiln.tmp-1-2-3", 10, 4000);
  make_file(folder / "00/young.kiln.tmp-1-2-3", 10, 100);
  make_file(folder / "00/notes.txt", 10, 9000);
  make_file(folder / "notes.txt", 10, 9000);
  make_file(folder / "mine/e.kiln", 5000, 9000);
  make_file(folder / "locks/e.lock", 0, 4000);
  make_file(folder / "locks/young.lock", 0, 100);
  CHECK(sweep(folder.path(), 100).bytes_left == 0);
  CHECK(list_files(folder.path()) == std::vector<std::string>{"00/notes.txt", "00/young.kiln.tmp-1-2-3", "locks/young.lock",
                                                              "mine/e.kiln", "notes.txt", "sweep.lock", "usage"});
}

TEST_CASE("one sweeps at a time") {
  const TemporaryDirectory folder;
  make_file(folder / "00/a.kiln", 100, 10);
  make_file(folder / "00/b.kiln", 100, 0);
  const int other = open((folder / "sweep.lock").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK(sweep(folder.path(), 100).removed == 0);
  close(other);
  CHECK(sweep(folder.path(), 100).removed == 1);
}

TEST_CASE("the estimate does not wait for a process that was stopped while it held the lock") {
  const TemporaryDirectory folder;
  write_text(folder / "usage", "0 0\n");
  const int other = open((folder / "usage").c_str(), O_RDWR);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK_FALSE(add_to_usage(folder.path(), 7, 100));
  close(other);
  CHECK(read_text(folder / "usage") == "7 1\n");
}
