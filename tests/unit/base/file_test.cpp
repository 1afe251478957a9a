#include "base/file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "temporary_directory.hpp"

using kiln::base::FileError;
using kiln::base::publish_file;
using kiln::base::read_file;
using kiln::test::list_files;
using kiln::test::read_text;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

TEST_CASE("read_file gives the bytes, owner, mode and time") {
  const TemporaryDirectory folder;
  const std::string bytes("a\0b\n", 4);
  write_text(folder / "f", bytes);
  chmod((folder / "f").c_str(), 0640);
  const timespec times[2] = {{1'000'000, 0}, {2'000'000, 5}};
  utimensat(AT_FDCWD, (folder / "f").c_str(), times, 0);
  const auto contents = read_file(folder / "f", {}, nullptr);
  REQUIRE(contents);
  CHECK(contents->bytes == bytes);
  CHECK(contents->owner == geteuid());
  CHECK((contents->mode & 0777) == 0640);
  CHECK(contents->modified_seconds == 2'000'000);
}

TEST_CASE("read_file says why it gives nothing") {
  const TemporaryDirectory folder;
  FileError error;
  CHECK_FALSE(read_file(folder / "absent", {}, &error));
  CHECK(error.code == ENOENT);
  CHECK(error.text == "cannot open " + folder / "absent" + ": No such file or directory");

  CHECK_FALSE(read_file(folder.path(), {}, &error));
  CHECK(error.text == "cannot read " + folder.path() + ": not a regular file");

  mkfifo((folder / "fifo").c_str(), 0600);
  CHECK_FALSE(read_file(folder / "fifo", {}, &error));
  CHECK(error.text == "cannot read " + folder / "fifo" + ": not a regular file");

  write_text(folder / "f", "12345");
  CHECK_FALSE(read_file(folder / "f", {.limit = 4}, &error));
  CHECK(error.text == "cannot read " + folder / "f" + ": it has 5 bytes, more than the limit of 4");
  CHECK(read_file(folder / "f", {.limit = 5}, &error)->bytes == "12345");

  REQUIRE(symlink("f", (folder / "link").c_str()) == 0);
  CHECK(read_file(folder / "link", {}, &error)->bytes == "12345");
  CHECK_FALSE(read_file(folder / "link", {.follow_links = false}, &error));
  CHECK(error.code == ELOOP);
}

TEST_CASE("publish_file replaces a file and leaves no other behind") {
  const TemporaryDirectory folder;
  CHECK_FALSE(publish_file(folder / "f", "old", {.mode = 0600, .sync_directory = true}));
  struct stat status{};
  stat((folder / "f").c_str(), &status);
  CHECK((status.st_mode & 0777) == 0600);
  const std::string large(3'000'000, 'z');
  CHECK_FALSE(publish_file(folder / "f", large, {}));
  CHECK(read_text(folder / "f") == large);
  CHECK(list_files(folder.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("publish_file that fails leaves the old file and no temporary one") {
  const TemporaryDirectory folder;
  auto error = publish_file(folder / "absent/f", "x", {});
  REQUIRE(error);
  CHECK(error->code == ENOENT);
  CHECK(error->text == "cannot create " + folder / "absent/f" + ": No such file or directory");

  mkdir((folder / "taken").c_str(), 0700);
  error = publish_file(folder / "taken", "x", {});
  REQUIRE(error);
  CHECK(error->text == "cannot rename onto " + folder / "taken" + ": Is a directory");

  // A limit on the size of files stands for a full disk: write(2) fails half way.
  REQUIRE_FALSE(publish_file(folder / "f", "old", {}));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  error = publish_file(folder / "f", std::string(5000, 'n'), {});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  REQUIRE(error);
  CHECK(error->code == EFBIG);
  CHECK(error->text == "cannot write " + folder / "f" + ": File too large");
  CHECK(read_text(folder / "f") == "old");
  CHECK(list_files(folder.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("readers of a file that is published again and again see one of its texts, whole") {
  const TemporaryDirectory folder;
  const std::string a(100'000, 'a');
  const std::string b(50'000, 'b');
  REQUIRE_FALSE(publish_file(folder / "f", a, {}));
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) (void)publish_file(folder / "f", i % 2 == 0 ? b : a, {.sync = false});
  });
  int torn = 0;
  for (int i = 0; i < 500; ++i) {
    const auto contents = read_file(folder / "f", {}, nullptr);
    if (!contents || (contents->bytes != a && contents->bytes != b)) ++torn;
  }
  writer.join();
  CHECK(torn == 0);
}
