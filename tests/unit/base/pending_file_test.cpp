#include "base/pending_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "temporary_directory.hpp"

using kiln::base::FileError;
using kiln::base::PendingFile;
using kiln::test::list_files;
using kiln::test::read_text;
using kiln::test::TemporaryDirectory;

TEST_CASE("a pending file appears when it is published, with its mode, in place of an old one") {
  const TemporaryDirectory folder;
  const std::string path = folder / "file";
  kiln::test::write_text(path, "old");
  FileError error;
  auto file = PendingFile::create(path, 0644, &error);
  REQUIRE(file);
  CHECK_FALSE(file->append("one "));
  CHECK_FALSE(file->append("two"));
  CHECK(file->size() == 7);
  CHECK(read_text(path) == "old");
  CHECK_FALSE(file->publish());
  CHECK(read_text(path) == "one two");
  struct stat status{};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0644);
  file.reset();
  CHECK(list_files(folder.path()) == std::vector<std::string>{"file"});
}

TEST_CASE("the umask applies to the mode of a pending file") {
  const TemporaryDirectory folder;
  FileError error;
  const mode_t before = umask(077);
  auto file = PendingFile::create(folder / "file", 0644, &error);
  umask(before);
  REQUIRE(file);
  CHECK_FALSE(file->publish());
  struct stat status{};
  REQUIRE(stat((folder / "file").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0600);
}

TEST_CASE("a pending file that is not published leaves nothing") {
  const TemporaryDirectory folder;
  FileError error;
  {
    auto file = PendingFile::create(folder / "file", 0644, &error);
    REQUIRE(file);
    CHECK_FALSE(file->append("bytes"));
    CHECK(list_files(folder.path()).size() == 1);
  }
  CHECK(list_files(folder.path()).empty());
  CHECK_FALSE(PendingFile::create(folder / "none/file", 0644, &error));
  CHECK(error.text == "cannot create " + folder / "none/file" + ": No such file or directory");
  {
    std::filesystem::create_directory(folder / "taken");
    auto file = PendingFile::create(folder / "taken", 0644, &error);
    REQUIRE(file);
    const auto fault = file->publish();
    REQUIRE(fault);
    CHECK(fault->text == "cannot rename onto " + folder / "taken" + ": Is a directory");
  }
  CHECK(list_files(folder.path()).empty());
}
