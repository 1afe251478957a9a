#include "cache/eviction.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "../base/temporary_directory.hpp"
#include "sample.hpp"

using kiln::cache::add_to_usage;
using kiln::cache::remove_entries;
using kiln::cache::sweep;
using kiln::test::list_files;
using kiln::test::own_folder;
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

// The name of an entry in a folder of two digits, or in "damaged" and "locks" of what goes by its digest.
std::string name(const std::string& folder, int number, const std::string& suffix = ".kiln") {
  return fmt::format("{}/{:0{}x}{}", folder, number, folder.size() == 2 ? 30 : 32, suffix);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("the estimate adds up, and asks for a sweep where it is missing, past the bound, or old") {
  const TemporaryDirectory folder;
  CHECK(add_to_usage(own_folder(folder.path()), 10, 100));  // none yet
  write_text(folder / "usage", "40 0\n");
  CHECK_FALSE(add_to_usage(own_folder(folder.path()), 60, 100));
  CHECK(read_text(folder / "usage") == "100 1\n");
  CHECK(add_to_usage(own_folder(folder.path()), 1, 100));
  CHECK(read_text(folder / "usage") == "101 2\n");
  write_text(folder / "usage", "51 998\n");
  CHECK_FALSE(add_to_usage(own_folder(folder.path()), 1, 100));
  CHECK(add_to_usage(own_folder(folder.path()), 1, 100));
  write_text(folder / "usage", "0 99998\n");  // far below the bound
  CHECK_FALSE(add_to_usage(own_folder(folder.path()), 1, 100));
  CHECK(add_to_usage(own_folder(folder.path()), 1, 100));
  write_text(folder / "usage", "18446744073709551615 5\n");
  CHECK(add_to_usage(own_folder(folder.path()), 1, 18446744073709551614U));  // does not wrap around
  for (const char* damaged : {"", "x", "12", "12 ", "12 3", "-1 2\n", "99999999999999999999999 1\n"}) {
    CAPTURE(damaged);
    write_text(folder / "usage", damaged);
    CHECK(add_to_usage(own_folder(folder.path()), 1, 100));
  }
}

TEST_CASE("a sweep keeps the newest entries within nine tenths of the bound") {
  const TemporaryDirectory folder;
  for (int i = 0; i < 20; ++i) make_file(folder / name(fmt::format("{:02x}", 13 * i), i), 100, 1000 - 10 * i);
  const auto swept = sweep(own_folder(folder.path()), 1000);
  CHECK(swept.removed == 11);
  CHECK(swept.bytes_left == 900);
  for (int i = 0; i < 20; ++i) {
    CHECK(std::filesystem::exists(folder / name(fmt::format("{:02x}", 13 * i), i)) == (i >= 11));
  }
  CHECK(read_text(folder / "usage") == "900 0\n");
  CHECK(sweep(own_folder(folder.path()), 1000).removed == 0);
}

TEST_CASE("a sweep never removes the newest entry, and damaged ones go first") {
  const TemporaryDirectory folder;
  make_file(folder / name("00", 1), 400, 500);
  make_file(folder / name("ff", 2), 950, 0);
  make_file(folder / name("damaged", 3), 400, 0);
  CHECK(sweep(own_folder(folder.path()), 1600).removed == 1);
  CHECK(list_files(folder.path()) == std::vector<std::string>{name("00", 1), name("ff", 2), "sweep.lock", "usage"});
  sweep(own_folder(folder.path()), 1000);
  CHECK(list_files(folder.path()) == std::vector<std::string>{name("ff", 2), "sweep.lock", "usage"});
}

TEST_CASE("a sweep clears up after killed processes and touches nothing that is not the cache's") {
  const TemporaryDirectory folder;
  make_file(folder / name("00", 1, ".kiln.tmp-1-2-3"), 10, 4000);
  make_file(folder / name("00", 2, ".kiln.tmp-1-2-3"), 10, 100);
  make_file(folder / "00/notes.txt", 10, 9000);
  make_file(folder / "notes.txt", 10, 9000);
  make_file(folder / name("mine", 3), 5000, 9000);
  make_file(folder / name("locks", 4, ".lock"), 0, 4000);
  make_file(folder / name("locks", 5, ".lock"), 0, 100);
  CHECK(sweep(own_folder(folder.path()), 100).bytes_left == 0);
  CHECK(list_files(folder.path()) == sorted({"00/notes.txt", name("00", 2, ".kiln.tmp-1-2-3"), name("locks", 5, ".lock"),
                                             name("mine", 3), "notes.txt", "sweep.lock", "usage"}));
}

TEST_CASE("a lock and a temporary file in use stay, however old") {
  const TemporaryDirectory folder;
  for (const std::string& file : {name("00", 1, ".kiln.tmp-1-2-3"), name("locks", 4, ".lock")}) {
    make_file(folder / file, 10, 4000);
    const int other = open((folder / file).c_str(), O_RDWR);
    REQUIRE(flock(other, LOCK_EX) == 0);
    sweep(own_folder(folder.path()), 100);
    CHECK(std::filesystem::exists(folder / file));
    close(other);
    sweep(own_folder(folder.path()), 100);
    CHECK_FALSE(std::filesystem::exists(folder / file));
  }
}

TEST_CASE("stamps of a clock that was wrong neither keep an entry for ever nor lose the others") {
  const TemporaryDirectory folder;
  make_file(folder / name("00", 1), 100, -86'400 * 365);  // next year
  make_file(folder / name("11", 2), 100, 300);
  make_file(folder / name("22", 3), 100, std::time(nullptr));  // 1970
  make_file(folder / name("33", 4, ".kiln.tmp-1-2-3"), 100, -86'400);
  CHECK(sweep(own_folder(folder.path()), 250).removed == 1);
  CHECK_FALSE(std::filesystem::exists(folder / name("22", 3)));
  CHECK_FALSE(std::filesystem::exists(folder / name("33", 4, ".kiln.tmp-1-2-3")));
  // From now on it ages as the others do.
  struct stat status{};
  REQUIRE(stat((folder / name("00", 1)).c_str(), &status) == 0);
  CHECK(status.st_mtime <= std::time(nullptr) + 60);
  // What has been used since is kept instead.
  make_file(folder / name("11", 2), 100, -300);
  CHECK(sweep(own_folder(folder.path()), 150).removed == 1);
  CHECK(std::filesystem::exists(folder / name("11", 2)));
}

TEST_CASE("entries not used for a while go, whatever the bound, and no link is followed") {
  const TemporaryDirectory folder;
  const TemporaryDirectory elsewhere;
  make_file(elsewhere / name("00", 1).substr(3), 100, 9000);
  make_file(elsewhere / "target", 100, 9000);
  REQUIRE(symlink(elsewhere.path().c_str(), (folder / "00").c_str()) == 0);
  make_file(folder / name("11", 2), 100, 9000);
  make_file(folder / name("11", 3), 100, 4000);
  REQUIRE(symlink((elsewhere / "target").c_str(), (folder / name("11", 4)).c_str()) == 0);
  const auto swept = remove_entries(own_folder(folder.path()), {.older_than = std::chrono::hours(2)});
  CHECK(swept.removed == 1);
  CHECK(swept.removed_bytes == 100);
  CHECK(swept.failure.empty());
  CHECK_FALSE(std::filesystem::exists(folder / name("11", 2)));
  CHECK(remove_entries(own_folder(folder.path()), {.everything = true}).removed == 2);  // the link itself
  CHECK(list_files(elsewhere.path()).size() == 2);
  CHECK(std::filesystem::is_symlink(folder / "00"));
  CHECK(read_text(folder / "usage") == "0 0\n");
}

TEST_CASE("one sweeps at a time") {
  const TemporaryDirectory folder;
  make_file(folder / name("00", 1), 100, 10);
  make_file(folder / name("00", 2), 100, 0);
  const int other = open((folder / "sweep.lock").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK(sweep(own_folder(folder.path()), 100).removed == 0);
  close(other);
  CHECK(sweep(own_folder(folder.path()), 100).removed == 1);
}

TEST_CASE("the estimate does not wait for a process that was stopped while it held the lock") {
  const TemporaryDirectory folder;
  write_text(folder / "usage", "0 0\n");
  const int other = open((folder / "usage").c_str(), O_RDWR);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK_FALSE(add_to_usage(own_folder(folder.path()), 7, 100));
  close(other);
  CHECK(read_text(folder / "usage") == "7 1\n");
}
