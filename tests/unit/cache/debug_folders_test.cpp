#include "cache/debug_folders.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <string>

#include "../base/temporary_directory.hpp"
#include "cache/eviction.hpp"
#include "sample.hpp"

using kiln::cache::debug_folder_of;
using kiln::cache::remove_debug_folder;
using kiln::cache::remove_entries;
using kiln::cache::remove_stale_debug_folders;
using kiln::cache::write_debug_folder;
using kiln::test::list_files;
using kiln::test::own_folder;
using kiln::test::read_text;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

namespace fs = std::filesystem;

const std::string kDigest = "00112233445566778899aabbccddeeff";
const std::string kOther = "ff112233445566778899aabbccddeeff";

}  // namespace

TEST_CASE("debug folders: texts are written, and only within the folder") {
  const TemporaryDirectory parent;
  fs::create_directory(parent / "cache");
  fs::permissions(parent / "cache", fs::perms::owner_all);
  const kiln::cache::Folder directory = own_folder(parent / "cache");
  const std::string folder = debug_folder_of(directory, kDigest);
  CHECK(folder == parent / ("cache/debug/" + kDigest));
  CHECK(write_debug_folder(directory, kDigest,
                           {{"k", "return a;"},
                            {"include/own/a.hpp", "int a;"},
                            {"../out", "x"},
                            {"include/../../out", "x"},
                            {"/tmp/kiln-out-of-cache", "x"},
                            {"include/", "x"}}));
  CHECK(read_text(folder + "/k") == "return a;");
  CHECK(read_text(folder + "/include/own/a.hpp") == "int a;");
  CHECK(list_files(parent.path()).size() == 2);
  CHECK_FALSE(fs::exists("/tmp/kiln-out-of-cache"));
  struct stat status{};
  REQUIRE(stat((folder + "/k").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  // Again, with another text: a file that another process reads is not written to.
  const ino_t first = status.st_ino;
  CHECK(write_debug_folder(directory, kDigest, {{"k", "return a;"}}));
  REQUIRE(stat((folder + "/k").c_str(), &status) == 0);
  CHECK(status.st_ino == first);
  CHECK(write_debug_folder(directory, kDigest, {{"k", "return b;"}}));
  CHECK(read_text(folder + "/k") == "return b;");
}

TEST_CASE("debug folders: a link, a file and another user's folder on the way are not used") {
  const TemporaryDirectory parent;
  const std::string elsewhere = parent / "elsewhere";
  const std::string debug = parent / "cache/debug";
  fs::create_directories(elsewhere + "/" + kDigest + "/include");
  fs::create_directory(parent / "cache");
  fs::permissions(parent / "cache", fs::perms::owner_all);
  const std::map<std::string, std::string> files{{"include/a.hpp", "x"}, {"k", "x"}};
  SUBCASE("a link in the place of \"debug\"") {
    fs::create_directory_symlink(elsewhere, debug);
  }
  SUBCASE("a link in the place of the entry's") {
    fs::create_directory(debug);
    fs::create_directory_symlink(elsewhere, debug + "/" + kDigest);
  }
  SUBCASE("a link within the entry's") {
    fs::create_directories(debug + "/" + kDigest);
    fs::create_directory_symlink(elsewhere, debug + "/" + kDigest + "/include");
  }
  SUBCASE("a file") {
    write_text(debug, "no folder");
  }
  SUBCASE("a folder that others can write in") {
    fs::create_directory(debug);
    fs::permissions(debug, fs::perms::all);
  }
  SUBCASE("a folder of another user's") {
    fs::create_directory(debug);
    if (geteuid() != 0) return;  // only root can give a folder away
    REQUIRE(chown(debug.c_str(), 12345, 12345) == 0);
  }
  if (!fs::exists(fs::symlink_status(debug))) return;  // no subcase
  CHECK_FALSE(write_debug_folder(own_folder(parent / "cache"), kDigest, files));
  CHECK(list_files(elsewhere).empty());
  remove_debug_folder(own_folder(parent / "cache"), kDigest);
  CHECK(fs::exists(elsewhere + "/" + kDigest + "/include"));
}

TEST_CASE("debug folders: a link in the place of a file is replaced, and what it leads to is not written") {
  const TemporaryDirectory directory;
  write_text(directory / "other", "y");
  fs::create_directories(directory / ("debug/" + kDigest));
  fs::permissions(directory / "debug", fs::perms::owner_all);
  fs::permissions(directory / ("debug/" + kDigest), fs::perms::owner_all);
  fs::create_symlink(directory / "other", directory / ("debug/" + kDigest + "/k"));
  CHECK(write_debug_folder(own_folder(directory.path()), kDigest, {{"k", "x"}}));
  CHECK(read_text(directory / ("debug/" + kDigest + "/k")) == "x");
  CHECK(read_text(directory / "other") == "y");
}

TEST_CASE("debug folders: they go with their entries") {
  const TemporaryDirectory directory;
  for (const std::string& digest : {kDigest, kOther}) {
    REQUIRE(write_debug_folder(own_folder(directory.path()), digest, {{"k", "x"}, {"include/a.hpp", "x"}}));
    fs::create_directories(directory / digest.substr(0, 2));
    write_text(directory / (digest.substr(0, 2) + "/" + digest.substr(2) + ".kiln"), "entry");
  }
  const timespec old[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, (directory / ("00/" + kDigest.substr(2) + ".kiln")).c_str(), old, 0);
  CHECK(remove_entries(own_folder(directory.path()), {.older_than = std::chrono::hours(1)}).removed == 1);
  CHECK_FALSE(fs::exists(directory / ("debug/" + kDigest)));
  CHECK(fs::exists(directory / ("debug/" + kOther + "/include/a.hpp")));
  CHECK(remove_entries(own_folder(directory.path()), {.everything = true}).removed == 1);
  CHECK_FALSE(fs::exists(directory / ("debug/" + kOther)));
}

TEST_CASE("debug folders: those without an entry go after an hour, and nothing else") {
  const TemporaryDirectory directory;
  const std::time_t now = std::time(nullptr);
  for (const std::string& digest : {kDigest, kOther}) {
    REQUIRE(write_debug_folder(own_folder(directory.path()), digest, {{"k", "x"}}));
  }
  fs::create_directories(directory / "debug/notes of a user's");
  remove_stale_debug_folders(own_folder(directory.path()), now);
  CHECK(fs::exists(directory / ("debug/" + kDigest)));
  fs::create_directories(directory / "ff");
  write_text(directory / ("ff/" + kOther.substr(2) + ".kiln"), "entry");
  remove_stale_debug_folders(own_folder(directory.path()), now + 7200);
  CHECK_FALSE(fs::exists(directory / ("debug/" + kDigest)));
  CHECK(fs::exists(directory / ("debug/" + kOther)));
  CHECK(fs::exists(directory / "debug/notes of a user's"));
  // A link in the place of "debug" is not followed.
  fs::rename(directory / "debug", directory / "moved");
  fs::create_directory_symlink("moved", directory / "debug");
  remove_debug_folder(own_folder(directory.path()), kOther);
  CHECK(fs::exists(directory / ("moved/" + kOther)));
}
