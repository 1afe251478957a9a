#include "cache/debug_folders.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>

#include "../base/temporary_directory.hpp"
#include "cache/eviction.hpp"

using kiln::cache::remove_debug_folder;
using kiln::cache::remove_entries;
using kiln::cache::remove_stale_debug_folders;
using kiln::cache::write_debug_folder;
using kiln::test::list_files;
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
  const std::string directory = parent / "cache";
  const std::string folder = write_debug_folder(directory, kDigest,
                                                {{"k", "return a;"},
                                                 {"include/own/a.hpp", "int a;"},
                                                 {"../out", "x"},
                                                 {"include/../../out", "x"},
                                                 {"/tmp/kiln-out-of-cache", "x"},
                                                 {"include/", "x"}});
  CHECK(folder == directory + "/debug/" + kDigest);
  CHECK(read_text(folder + "/k") == "return a;");
  CHECK(read_text(folder + "/include/own/a.hpp") == "int a;");
  CHECK(list_files(parent.path()).size() == 2);
  CHECK_FALSE(fs::exists("/tmp/kiln-out-of-cache"));
  struct stat status{};
  REQUIRE(stat((folder + "/k").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  // Again, with another text: a file that another process reads is not written to.
  const ino_t first = status.st_ino;
  CHECK(write_debug_folder(directory, kDigest, {{"k", "return a;"}}) == folder);
  REQUIRE(stat((folder + "/k").c_str(), &status) == 0);
  CHECK(status.st_ino == first);
  CHECK(write_debug_folder(directory, kDigest, {{"k", "return b;"}}) == folder);
  CHECK(read_text(folder + "/k") == "return b;");
}

TEST_CASE("debug folders: where there can be none the kernel goes without") {
  const TemporaryDirectory parent;
  write_text(parent / "file", "no directory");
  CHECK(write_debug_folder(parent / "file", kDigest, {{"k", "x"}}).empty());
  // A link in the folder's place leads elsewhere.
  fs::create_directories(parent / "cache/debug");
  fs::create_directories(parent / "elsewhere");
  fs::permissions(parent / "elsewhere", fs::perms::all);
  fs::create_directory_symlink(parent / "elsewhere", parent / ("cache/debug/" + kDigest));
  CHECK(write_debug_folder(parent / "cache", kDigest, {{"k", "x"}}).empty());
  CHECK(list_files(parent / "elsewhere").empty());
}

TEST_CASE("debug folders: they go with their entries") {
  const TemporaryDirectory directory;
  for (const std::string& digest : {kDigest, kOther}) {
    REQUIRE_FALSE(write_debug_folder(directory.path(), digest, {{"k", "x"}, {"include/a.hpp", "x"}}).empty());
    fs::create_directories(directory / digest.substr(0, 2));
    write_text(directory / (digest.substr(0, 2) + "/" + digest.substr(2) + ".kiln"), "entry");
  }
  const timespec old[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, (directory / ("00/" + kDigest.substr(2) + ".kiln")).c_str(), old, 0);
  CHECK(remove_entries(directory.path(), {.older_than = std::chrono::hours(1)}).removed == 1);
  CHECK_FALSE(fs::exists(directory / ("debug/" + kDigest)));
  CHECK(fs::exists(directory / ("debug/" + kOther + "/include/a.hpp")));
  CHECK(remove_entries(directory.path(), {.everything = true}).removed == 1);
  CHECK_FALSE(fs::exists(directory / ("debug/" + kOther)));
}

TEST_CASE("debug folders: those without an entry go after an hour, and nothing else") {
  const TemporaryDirectory directory;
  const std::time_t now = std::time(nullptr);
  for (const std::string& digest : {kDigest, kOther}) {
    REQUIRE_FALSE(write_debug_folder(directory.path(), digest, {{"k", "x"}}).empty());
  }
  fs::create_directories(directory / "debug/notes of a user's");
  remove_stale_debug_folders(directory.path(), now);
  CHECK(fs::exists(directory / ("debug/" + kDigest)));
  fs::create_directories(directory / "ff");
  write_text(directory / ("ff/" + kOther.substr(2) + ".kiln"), "entry");
  remove_stale_debug_folders(directory.path(), now + 7200);
  CHECK_FALSE(fs::exists(directory / ("debug/" + kDigest)));
  CHECK(fs::exists(directory / ("debug/" + kOther)));
  CHECK(fs::exists(directory / "debug/notes of a user's"));
  // A link in the place of "debug" is not followed.
  fs::rename(directory / "debug", directory / "moved");
  fs::create_directory_symlink("moved", directory / "debug");
  remove_debug_folder(directory.path(), kOther);
  CHECK(fs::exists(directory / ("moved/" + kOther)));
}
