#include "cache/directory.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "../base/temporary_directory.hpp"

using namespace kiln::cache;
using kiln::test::TemporaryDirectory;

namespace {

Settings settings_of(const std::map<std::string, std::string>& environment) {
  return read_settings([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

}  // namespace

TEST_CASE("the directory is KILN_CACHE_DIR, else XDG_CACHE_HOME's, else HOME's") {
  CHECK(settings_of({{"KILN_CACHE_DIR", "/k/"}, {"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}).directory == "/k");
  CHECK(settings_of({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}).directory == "/x/kiln");
  CHECK(settings_of({{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}}).directory == "/h/.cache/kiln");
  CHECK(settings_of({{"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}}).directory == "/h/.cache/kiln");
  const std::string here = std::filesystem::current_path().string();
  CHECK(settings_of({{"KILN_CACHE_DIR", "sub"}}).directory == here + "/sub");
}

TEST_CASE("an empty KILN_CACHE_DIR is no directory, without a complaint; read-only directories are kept") {
  const Settings settings = settings_of({{"KILN_CACHE_DIR", ""}, {"HOME", "/h"}, {"KILN_CACHE_READONLY_DIRS", "/r"}});
  CHECK(settings.directory.empty());
  CHECK_FALSE(settings.named);
  CHECK(settings.read_only_directories == std::vector<std::string>{"/r"});
  CHECK(settings.complaints.empty());
  CHECK(settings.note.empty());
}

TEST_CASE("no home is said with a way out") {
  const Settings settings = settings_of({});
  CHECK(settings.directory.empty());
  CHECK(settings.complaints.empty());
  CHECK(settings.note ==
        "no directory for the kernel cache: none of KILN_CACHE_DIR, XDG_CACHE_HOME and HOME is set; kernels are kept in memory "
        "only; set KILN_CACHE_DIR to a directory of your own");
  // A service has none, and kernels that were shipped with it.
  CHECK(settings_of({{"KILN_CACHE_READONLY_DIRS", "/r"}}).read_only_directories == std::vector<std::string>{"/r"});
}

TEST_CASE("read-only directories are separated by colons") {
  CHECK(settings_of({{"HOME", "/h"}, {"KILN_CACHE_READONLY_DIRS", ":/a::/b/:"}}).read_only_directories ==
        std::vector<std::string>{"/a", "/b"});
}

TEST_CASE("the bound is a number of bytes with an optional unit") {
  CHECK(settings_of({{"HOME", "/h"}}).max_bytes == 1073741824);
  CHECK(settings_of({{"HOME", "/h"}, {"KILN_CACHE_MAX_BYTES", "5M"}}).max_bytes == 5 * 1024 * 1024);
  const Settings bad = settings_of({{"HOME", "/h"}, {"KILN_CACHE_MAX_BYTES", "much"}});
  CHECK(bad.max_bytes == 1073741824);
  REQUIRE(bad.complaints.size() == 1);
  CHECK(bad.complaints[0] ==
        "KILN_CACHE_MAX_BYTES is \"much\", which is no number of bytes; the bound is 1G; write it as 1000000, 500M or 2G");
}

TEST_CASE("a directory of one's own is trusted, one that is not there is missing") {
  const TemporaryDirectory folder;
  CHECK(open_own_directory(folder.path()).trust == Trust::trusted);
  CHECK(open_own_directory(folder / "absent").trust == Trust::missing);
  REQUIRE(symlink(folder.path().c_str(), (folder / "link").c_str()) == 0);
  CHECK(open_own_directory(folder / "link").trust == Trust::trusted);
}

TEST_CASE("a directory that others can write in is refused with the command that mends it") {
  const TemporaryDirectory folder;
  const std::string shared = folder / "shared";
  mkdir(shared.c_str(), 0700);
  for (const auto& [mode, shown] :
       std::map<mode_t, std::string>{{0777, "0777"}, {0770, "0770"}, {0702, "0702"}, {01777, "1777"}}) {
    chmod(shared.c_str(), mode);
    const Verdict verdict = open_own_directory(shared);
    CHECK(verdict.trust == Trust::refused);
    CHECK(verdict.reason == "it can be written by others (mode " + shown + "); to mend it: chmod 700 " + shared);
    CHECK(check_read_only_tier(shared).reason ==
          "it can be written by others (mode " + shown + "); to mend it: chmod -R go-w " + shared);
  }
  chmod(shared.c_str(), 0755);
  CHECK(open_own_directory(shared).trust == Trust::trusted);
}

TEST_CASE("what is no directory is refused") {
  const TemporaryDirectory folder;
  kiln::test::write_text(folder / "file", "");
  CHECK(open_own_directory(folder / "file").reason ==
        "it is not a directory; remove it or set KILN_CACHE_DIR to a directory of your own");
  CHECK(check_read_only_tier("/dev/null").reason ==
        "it is neither a directory nor a bundle; take it out of KILN_CACHE_READONLY_DIRS");
  CHECK(open_own_directory(folder / "file/below").reason == "Not a directory; set KILN_CACHE_DIR to a directory of your own");
  REQUIRE(symlink("nowhere", (folder / "dangling").c_str()) == 0);
  CHECK(open_own_directory(folder / "dangling").reason ==
        "it is a symbolic link that leads nowhere (No such file or directory); to mend it: rm " + folder / "dangling");
}

TEST_CASE("a directory or link of someone else is refused") {
  if (geteuid() != 0) return;  // only root can give a file away
  const TemporaryDirectory folder;
  const std::string foreign = folder / "foreign";
  mkdir(foreign.c_str(), 0700);
  REQUIRE(chown(foreign.c_str(), 12345, 12345) == 0);
  CHECK(open_own_directory(foreign).reason ==
        "it belongs to user 12345, not to user 0, who runs this process; set KILN_CACHE_DIR to a directory of your own");
  // The user named a read-only tier, and may name a colleague's.
  CHECK(check_read_only_tier(foreign).trust == Trust::trusted);

  const std::string link = folder / "link";
  REQUIRE(symlink(foreign.c_str(), link.c_str()) == 0);
  CHECK(open_own_directory(link).reason.starts_with("it belongs to user 12345"));
  mkdir((folder / "own").c_str(), 0700);
  const std::string trap = folder / "trap";
  REQUIRE(symlink((folder / "own").c_str(), trap.c_str()) == 0);
  REQUIRE(lchown(trap.c_str(), 12345, 12345) == 0);
  CHECK(open_own_directory(trap).reason ==
        "it is a symbolic link that belongs to user 12345, not to user 0, who runs this process; set KILN_CACHE_DIR to a "
        "directory of your own");
}

TEST_CASE("directories are made with mode 0700, parents too") {
  const TemporaryDirectory folder;
  CHECK(make_directories(folder / "a/b/c") == 0);
  CHECK(make_directories(folder / "a/b/c") == 0);
  struct stat status{};
  stat((folder / "a/b").c_str(), &status);
  CHECK((status.st_mode & 0777) == 0700);
  kiln::test::write_text(folder / "file", "");
  CHECK(make_directories(folder / "file/x") == ENOTDIR);
}
