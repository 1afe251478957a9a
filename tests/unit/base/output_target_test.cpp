#include "base/output_target.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "temporary_directory.hpp"

using kiln::base::output_target;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;
namespace fs = std::filesystem;

TEST_CASE("an output goes to what symbolic links lead to, there or not") {
  const TemporaryDirectory folder;
  fs::create_directory(folder / "sub");
  write_text(folder / "file", "x");
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("../link", folder / "sub/link");
  fs::create_symlink("sub/none", folder / "dangling");
  fs::create_symlink(folder / "dangling", folder / "absolute");
  const auto same = [](const std::string& a, const std::string& b) {
    return fs::weakly_canonical(a) == fs::weakly_canonical(b);
  };
  CHECK(output_target(folder / "file").path == folder / "file");
  CHECK(output_target(folder / "new").path == folder / "new");
  CHECK(output_target("new").path == "new");
  CHECK(same(output_target(folder / "link").path, folder / "file"));
  CHECK(same(output_target(folder / "sub/link").path, folder / "file"));
  CHECK(output_target(folder / "absolute").path == folder / "sub/none");
  for (const char* name : {"file", "new", "link", "sub/link", "absolute"}) {
    CAPTURE(name);
    CHECK(output_target(folder / name).refusal == "");
  }
}

TEST_CASE("an output does not take the place of a device, a pipe, a folder or a circle of links") {
  const TemporaryDirectory folder;
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  fs::create_symlink("fifo", folder / "to-fifo");
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  CHECK(output_target(folder / "fifo").refusal == "it is not a regular file");
  CHECK(output_target(folder / "to-fifo").refusal == "it is not a regular file");
  CHECK(output_target(folder.path()).refusal == "it is not a regular file");
  CHECK(output_target(folder / "a").refusal == "its symbolic links lead in a circle");
  CHECK(output_target("").refusal == "the path is empty");
}

TEST_CASE("the permissions of a file that is replaced are known; one that may not be written to is refused") {
  const TemporaryDirectory folder;
  CHECK_FALSE(output_target(folder / "file").permissions);
  write_text(folder / "file", "x");
  fs::permissions(folder / "file", fs::perms(0620));
  const auto target = output_target(folder / "file");
  REQUIRE(target.permissions);
  CHECK(target.permissions->mode == 0620);
  CHECK(target.permissions->owner == ::geteuid());
  fs::permissions(folder / "file", fs::perms(0444));
  const bool root = ::geteuid() == 0;  // who may write anywhere
  CHECK(output_target(folder / "file").refusal == (root ? "" : "the file that is there may not be written to"));
}
