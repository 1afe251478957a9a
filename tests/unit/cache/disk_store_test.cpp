#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "sample.hpp"

using kiln::cache::DiskStore;
using kiln::cache::Miss;
using kiln::test::ChildProcess;
using kiln::test::entry_file;
using kiln::test::list_files;
using kiln::test::read_text;
using kiln::test::sample_entry;
using kiln::test::sample_key;
using kiln::test::TemporaryDirectory;
using kiln::test::with_checksum;
using kiln::test::write_text;
using namespace std::chrono_literals;

namespace {

struct Store {
  explicit Store(const std::string& directory, std::vector<std::string> read_only = {}, std::uint64_t max_bytes = 1 << 30,
                 std::chrono::milliseconds timeout = 10s)
      : disk(directory, std::move(read_only), max_bytes, [this](const std::string& line) { lines.push_back(line); }, timeout) {}
  std::vector<std::string> lines;
  DiskStore disk;
};

mode_t mode_of(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

std::time_t age_of(const std::string& path) {
  struct stat status{};
  stat(path.c_str(), &status);
  return std::time(nullptr) - status.st_mtime;
}

void set_age(const std::string& path, std::time_t seconds) {
  const timespec stamp{std::time(nullptr) - seconds, 0};
  const timespec times[2] = {stamp, stamp};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

const std::string kKey = sample_key().canonical();

}  // namespace

TEST_CASE("an entry is found by the store that put it, by another, and not under another key") {
  const TemporaryDirectory folder;
  Store store(folder / "cache/kiln");
  CHECK_FALSE(store.disk.find(kKey));
  CHECK_FALSE(std::filesystem::exists(folder / "cache"));  // looking makes nothing
  store.disk.put(kKey, sample_entry("code"));
  REQUIRE(store.disk.find(kKey));
  CHECK(store.disk.find(kKey)->payload == "code");
  Store other(folder / "cache/kiln");
  CHECK(other.disk.find(kKey)->payload == "code");
  CHECK(other.disk.find(kKey)->info.kernel == "saxpy");
  CHECK_FALSE(other.disk.find(sample_key("other").canonical()));
  CHECK(store.lines.empty());
  CHECK(other.lines.empty());
  CHECK(store.disk.directory() == folder / "cache/kiln");
}

TEST_CASE("the directory is private, an entry has its digest as its name, and no other file stays") {
  const TemporaryDirectory folder;
  Store store(folder / "cache");
  store.disk.put(kKey, sample_entry());
  (void)store.disk.lock(kKey);
  CHECK(mode_of(folder / "cache") == 0700);
  CHECK(mode_of(folder / "cache/" + entry_file(kKey)) == 0600);
  auto expected = std::vector<std::string>{entry_file(kKey), "sweep.lock", "usage"};
  std::sort(expected.begin(), expected.end());
  CHECK(list_files(folder / "cache") == expected);
}

TEST_CASE("a cache that is emptied while the process runs is filled again") {
  const TemporaryDirectory folder;
  Store store(folder / "cache");
  store.disk.put(kKey, sample_entry("1"));
  std::filesystem::remove_all(folder / "cache");
  CHECK_FALSE(store.disk.find(kKey));
  CHECK_FALSE(store.disk.lock(kKey) == nullptr);
  store.disk.put(kKey, sample_entry("2"));
  CHECK(store.disk.find(kKey)->payload == "2");
  CHECK(mode_of(folder / "cache") == 0700);
  CHECK(store.lines.empty());
}

TEST_CASE("a damaged entry is a miss, is set aside and said, and can be stored again") {
  const TemporaryDirectory folder;
  Store store(folder.path());
  store.disk.put(kKey, sample_entry("code"));
  const std::string file = folder / entry_file(kKey);
  std::string bytes = read_text(file);
  bytes[bytes.size() / 2] ^= 1;
  write_text(file, bytes);
  CHECK_FALSE(store.disk.find(kKey));
  REQUIRE(store.lines.size() == 1);
  CHECK(store.lines[0] == "cache entry " + file + " is not used: wrong checksum; moved to " + folder / "damaged");
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(read_text(folder / "damaged/" + kiln::cache::digest(kKey) + ".kiln") == bytes);
  CHECK_FALSE(store.disk.find(kKey));
  CHECK(store.lines.size() == 1);
  store.disk.put(kKey, sample_entry("again"));
  CHECK(store.disk.find(kKey)->payload == "again");
}

TEST_CASE("what is in an entry's place and cannot be set aside is said once") {
  const TemporaryDirectory folder;
  Store store(folder.path());
  const std::string file = folder / entry_file(kKey);
  const std::string aside = folder / "damaged/" + kiln::cache::digest(kKey) + ".kiln";
  std::filesystem::create_directories(file);
  std::filesystem::create_directories(aside + "/full");
  for (int i = 0; i < 3; ++i) CHECK_FALSE(store.disk.find(kKey));
  REQUIRE(store.lines.size() == 1);
  CHECK(store.lines[0] == "cache entry " + file + " is not used: cannot read " + file +
                              ": not a regular file; it cannot be moved away: Directory not empty");
}

TEST_CASE("another key's entry, another format's, and what is no entry are misses under any name") {
  const TemporaryDirectory folder;
  Store store(folder.path());
  store.disk.put(kKey, sample_entry("code"));
  const std::string good = read_text(folder / entry_file(kKey));
  const std::string other = sample_key("other").canonical();
  const std::string file = folder / entry_file(other);
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  const auto last_reason = [&] {
    CHECK_FALSE(store.disk.find(other));
    const std::string line = store.lines.empty() ? "" : store.lines.back();
    CHECK(line.starts_with("cache entry " + file + " is not used: "));
    CHECK(line.ends_with("; moved to " + folder / "damaged"));
    CHECK_FALSE(std::filesystem::exists(file));
    return line.substr(file.size() + 26, line.rfind(';') - file.size() - 26);
  };
  const auto place = [&](const std::string& bytes) {
    std::filesystem::remove_all(file);
    write_text(file, bytes);
    chmod(file.c_str(), 0600);
  };
  place(good);
  CHECK(last_reason() == "made for another key");
  std::string damaged = good;
  damaged[8] = 9;
  place(damaged);
  CHECK(last_reason() == "wrong checksum");
  place("");
  CHECK(last_reason() == "not a kiln cache entry");
  place(good);
  chmod(file.c_str(), 0620);
  CHECK(last_reason() == "others could have written it");
  REQUIRE(symlink((folder / entry_file(kKey)).c_str(), file.c_str()) == 0);
  CHECK(last_reason() == "a symbolic link");
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  CHECK(last_reason() == "cannot read " + file + ": not a regular file");
  place("");
  REQUIRE(truncate(file.c_str(), 300 << 20) == 0);
  CHECK(last_reason() == "cannot read " + file + ": it has 314572800 bytes, more than the limit of 268435456");
  if (geteuid() == 0) {
    place(good);
    REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
    CHECK(last_reason() == "others could have written it");
  }
  CHECK(store.disk.find(kKey)->payload == "code");
}

TEST_CASE("an entry of another format is a miss that is left to the kiln that wrote it, until it is replaced") {
  const TemporaryDirectory folder;
  Store store(folder / "own", {folder / "other"});
  for (const char* where : {"own", "other"}) {
    Store(folder / where).disk.put(kKey, sample_entry("code"));
    const std::string file = folder / where + ("/" + entry_file(kKey));
    std::string newer = read_text(file);
    newer[8] = 2;
    newer = with_checksum(newer);
    write_text(file, newer);
    chmod(file.c_str(), 0600);
    const auto found = store.disk.find(kKey);
    CHECK_FALSE(found);
    CHECK(found.flaw.reason == Miss::other_format);
    CHECK(found.flaw.text == "format version 2, this kiln reads 1");
    CHECK(read_text(file) == newer);
  }
  CHECK(store.lines.empty());
  store.disk.put(kKey, sample_entry("ours"));
  CHECK(store.disk.find(kKey)->payload == "ours");
}

TEST_CASE("a miss says why, and of several tiers the first that had a file") {
  const TemporaryDirectory folder;
  Store store(folder / "own", {folder / "r1", folder / "r2"});
  CHECK(store.disk.find(kKey).flaw.reason == Miss::absent);
  Store(folder / "r1").disk.put(kKey, sample_entry("one"));
  Store(folder / "r2").disk.put(kKey, sample_entry("two"));
  write_text(folder / "r1/" + entry_file(kKey), "damaged");
  const auto found = store.disk.find(kKey);
  CHECK(found->payload == "two");
  CHECK(found.read_only);
  CHECK(found.bytes == std::filesystem::file_size(folder / "r2/" + entry_file(kKey)));
  chmod((folder / "r2/" + entry_file(kKey)).c_str(), 0666);
  CHECK(store.disk.find(kKey).flaw.reason == Miss::damaged);
  std::filesystem::remove(folder / "r1/" + entry_file(kKey));
  CHECK(store.disk.find(kKey).flaw.reason == Miss::not_trusted);
  store.disk.put(kKey, sample_entry("own"));
  CHECK_FALSE(store.disk.find(kKey).read_only);
}

TEST_CASE("read-only tiers are used without a directory, and may be made later") {
  const TemporaryDirectory folder;
  Store store("", {folder / "later"});
  CHECK_FALSE(store.disk.find(kKey));
  CHECK(store.disk.put(kKey, sample_entry()) == 0);
  CHECK(store.disk.lock(kKey) == nullptr);
  Store(folder / "later").disk.put(kKey, sample_entry("code"));
  CHECK(store.disk.find(kKey)->payload == "code");
  CHECK(store.disk.directory().empty());
  CHECK(store.lines.empty());
}

TEST_CASE("a refused directory is not used, and said once") {
  const TemporaryDirectory folder;
  const std::string shared = folder / "shared";
  mkdir(shared.c_str(), 0700);
  chmod(shared.c_str(), 0777);
  Store store(shared);
  CHECK_FALSE(store.disk.find(kKey));
  store.disk.put(kKey, sample_entry());
  CHECK(store.disk.lock(kKey) == nullptr);
  CHECK(store.disk.directory().empty());
  CHECK(list_files(shared).empty());
  REQUIRE(store.lines.size() == 1);
  CHECK(store.lines[0] == "cache directory " + shared +
                              " is not used: it can be written by others (mode 0777); to mend it: chmod "
                              "700 " +
                              shared + "; until then kernels are kept in memory only");
}

TEST_CASE("a directory that cannot be made is said once") {
  Store store("/proc/kiln/cache");
  CHECK_FALSE(store.disk.find(kKey));
  CHECK(store.disk.lock(kKey) == nullptr);
  store.disk.put(kKey, sample_entry());
  store.disk.put(kKey, sample_entry());
  REQUIRE(store.lines.size() == 1);
  CHECK(store.lines[0] ==
        "kernels are not stored in the cache: cannot create /proc/kiln/cache: No such file or directory; free or unlock that "
        "disk, or set KILN_CACHE_DIR to a directory of your own");
}

TEST_CASE("helper process: puts into a full disk" * doctest::skip()) {
  // In a mount namespace of its own where it may have one: a disk of 64 KB, and then a read-only one.
  const std::string disk = kiln::test::from_parent("KILN_TEST_PATH");
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("none", disk.c_str(), "tmpfs", 0, "size=64k,mode=700") != 0) {
    MESSAGE("no mount namespaces here");
    return;
  }
  Store store(disk);
  store.disk.put(kKey, sample_entry("small"));
  CHECK(store.lines.empty());
  const std::string large = sample_key("large").canonical();
  for (int i = 0; i < 2; ++i) store.disk.put(large, sample_entry(std::string(100'000, 'x')));
  REQUIRE(store.lines.size() == 1);
  CHECK(store.lines[0].starts_with("kernels are not stored in the cache: cannot write " + disk + "/" + entry_file(large)));
  CHECK(
      store.lines[0].ends_with(": No space left on device; free or unlock that disk, or set KILN_CACHE_DIR to a directory of "
                               "your own"));
  CHECK_FALSE(store.disk.find(large));
  CHECK(store.disk.find(kKey)->payload == "small");

  REQUIRE(mount("none", disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0);
  Store locked(disk);
  CHECK(locked.disk.find(kKey)->payload == "small");
  CHECK(locked.disk.lock(large) == nullptr);
  for (int i = 0; i < 2; ++i) locked.disk.put(large, sample_entry("l"));
  REQUIRE(locked.lines.size() == 1);
  CHECK(
      locked.lines[0].ends_with(": Read-only file system; free or unlock that disk, or set KILN_CACHE_DIR to a directory of "
                                "your own"));
}

TEST_CASE("a full or read-only disk costs one line") {
  const TemporaryDirectory folder;
  ChildProcess child("helper process: puts into a full disk", {{"KILN_TEST_PATH", folder.path()}});
  CHECK(child.wait() == 0);
}

TEST_CASE("an entry larger than the bound is not stored, and said once") {
  const TemporaryDirectory folder;
  Store store(folder.path(), {}, 1000);
  for (int i = 0; i < 2; ++i) store.disk.put(kKey, sample_entry(std::string(5000, 'x')));
  CHECK(list_files(folder.path()).empty());
  REQUIRE(store.lines.size() == 1);
  CHECK(store.lines[0].starts_with("kernel \"saxpy\" is not stored in the cache: its "));
  CHECK(store.lines[0].ends_with(" bytes are more than the bound of 1000; raise KILN_CACHE_MAX_BYTES"));
}

TEST_CASE("puts keep the directory within its bound, with the entries last used") {
  const TemporaryDirectory folder;
  Store store(folder.path(), {}, 100'000);
  const auto key = [](int i) { return sample_key(fmt::format("source {}", i)).canonical(); };
  store.disk.put(key(0), sample_entry(std::string(9'000, 'x')));
  for (int i = 1; i < 60; ++i) {
    store.disk.put(key(i), sample_entry(std::string(9'000, 'x')));
    // Ages as if a day lay between the puts; the first one is used every day.
    for (int j = 0; j <= i; ++j) {
      const std::string file = folder / entry_file(key(j));
      if (std::filesystem::exists(file)) set_age(file, j == 0 ? 700 : 86'400 * (i - j));
    }
    CHECK(store.disk.find(key(0)));
  }
  std::uintmax_t total = 0;
  for (const std::string& name : list_files(folder.path())) total += std::filesystem::file_size(folder / name);
  CHECK(total <= 100'000);
  CHECK(total >= 70'000);
  CHECK(store.disk.find(key(0)));
  CHECK(store.disk.find(key(59)));
  CHECK(store.disk.find(key(54)));
  CHECK_FALSE(store.disk.find(key(1)));
  CHECK_FALSE(store.disk.find(key(40)));
  CHECK(store.lines.empty());
}

TEST_CASE("a hit renews an old stamp and leaves a young one") {
  const TemporaryDirectory folder;
  Store store(folder.path());
  store.disk.put(kKey, sample_entry());
  const std::string file = folder / entry_file(kKey);
  set_age(file, 5000);
  CHECK(store.disk.find(kKey));
  CHECK(age_of(file) < 200);
  set_age(file, 300);
  CHECK(store.disk.find(kKey));
  CHECK(age_of(file) >= 300);
  set_age(file, -5000);  // a clock that was wrong
  CHECK(store.disk.find(kKey));
  CHECK(age_of(file) > -200);
}

TEST_CASE("read-only directories are asked in order, and never written") {
  const TemporaryDirectory folder;
  const std::string second_key = sample_key("second").canonical();
  Store(folder / "r1").disk.put(kKey, sample_entry("first"));
  Store(folder / "r2").disk.put(kKey, sample_entry("not asked"));
  Store(folder / "r2").disk.put(second_key, sample_entry("second"));
  set_age(folder / "r2/" + entry_file(second_key), 5000);
  const auto before = list_files(folder / "r2");

  Store store(folder / "own", {folder / "absent", folder / "r1", folder / "r2"});
  CHECK(store.disk.find(kKey)->payload == "first");
  CHECK(store.disk.find(second_key)->payload == "second");
  CHECK(age_of(folder / "r2/" + entry_file(second_key)) >= 5000);
  store.disk.put(kKey, sample_entry("own"));
  CHECK(store.disk.find(kKey)->payload == "own");
  CHECK(list_files(folder / "r2") == before);
  CHECK(store.lines.empty());

  const std::string file = folder / "r2/" + entry_file(second_key);
  write_text(file, "damaged");
  CHECK_FALSE(store.disk.find(second_key));
  CHECK(store.lines == std::vector<std::string>{"cache entry " + file + " is not used: not a kiln cache entry; remove it"});
  CHECK(list_files(folder / "r2") == before);

  chmod((folder / "r1").c_str(), 0777);
  Store refusing(folder / "empty", {folder / "r1"});
  CHECK_FALSE(refusing.disk.find(kKey));
  CHECK_FALSE(refusing.disk.find(kKey));
  CHECK(refusing.lines ==
        std::vector<std::string>{"read-only cache directory " + folder / "r1" +
                                 " is not used: it can be written by others (mode 0777); to mend it: chmod -R go-w " +
                                 folder / "r1"});
}

TEST_CASE("of a read-only directory nothing is used that others could have put there") {
  const TemporaryDirectory folder;
  const std::string tier = folder / "r";
  Store(tier).disk.put(kKey, sample_entry("code"));
  const std::string file = tier + "/" + entry_file(kKey);
  const std::string shard = file.substr(0, tier.size() + 3);
  chmod(tier.c_str(), 0755);
  chmod(shard.c_str(), 0755);
  chmod(file.c_str(), 0644);
  std::string line = "cache entry " + file + " is not used: ";
  SUBCASE("a folder that they can write in") {
    chmod(shard.c_str(), 0777);
    line += "its folder can be written by others (mode 0777); to mend it: chmod go-w " + shard;
  }
  if (geteuid() == 0) {  // only root can give a file away
    SUBCASE("a folder of theirs") {
      REQUIRE(chown(shard.c_str(), 12345, 12345) == 0);
      line += "its folder belongs to user 12345, not to user 0, as the directory does; to mend it: rm -r " + shard;
    }
    SUBCASE("an entry of theirs") {
      REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
      line += "it belongs to user 12345, not to user 0, as the directory does; remove it";
    }
    SUBCASE("and what is the directory's owner's, or root's, is") {
      REQUIRE(chown(tier.c_str(), 12345, 12345) == 0);
      REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
      line.clear();
    }
  }
  if (line.ends_with(": ")) line.clear();  // no subcase
  Store store("", {tier});
  CHECK(bool(store.disk.find(kKey)) == line.empty());
  CHECK(store.lines == (line.empty() ? std::vector<std::string>{} : std::vector<std::string>{line}));
  const auto tiers = store.disk.tiers();
  REQUIRE(tiers.size() == 1);
  CHECK(tiers[0]->heads().empty() != line.empty());
  CHECK(tiers[0]->key(kiln::cache::digest(kKey)).has_value() == line.empty());
}

TEST_CASE("folders that are symbolic links are not followed in the cache's own directory") {
  const TemporaryDirectory folder;
  const std::string own = folder / "own";
  const std::string elsewhere = folder / "elsewhere";
  Store(elsewhere).disk.put(kKey, sample_entry("code"));
  const std::string shard = entry_file(kKey).substr(0, 2);
  const auto link = [&](const std::string& name) {
    std::filesystem::create_directories(elsewhere + "/" + name);
    REQUIRE(symlink((elsewhere + "/" + name).c_str(), (own + "/" + name).c_str()) == 0);
  };
  mkdir(own.c_str(), 0700);
  Store store(own);
  SUBCASE("of entries") {
    link(shard);
    write_text(elsewhere + "/" + entry_file(kKey), "damaged");
    const auto before = list_files(elsewhere);
    CHECK(store.disk.find(kKey).flaw.reason == Miss::not_trusted);
    CHECK(store.disk.put(kKey, sample_entry()) == 0);
    CHECK(store.disk.tiers()[0]->heads().empty());
    CHECK_FALSE(store.disk.tiers()[0]->key(kiln::cache::digest(kKey)));
    CHECK(list_files(elsewhere) == before);
    CHECK(read_text(elsewhere + "/" + entry_file(kKey)) == "damaged");
    CHECK(store.lines ==
          std::vector<std::string>{"cache entry " + own + "/" + entry_file(kKey) +
                                   " is not used: its folder is not a folder; to mend it: rm -r " + own + "/" + shard});
  }
  SUBCASE("of what is damaged") {
    REQUIRE(store.disk.put(kKey, sample_entry()) > 0);
    write_text(own + "/" + entry_file(kKey), "damaged");
    link("damaged");
    const auto before = list_files(elsewhere);
    CHECK_FALSE(store.disk.find(kKey));
    CHECK(list_files(elsewhere) == before);
    CHECK(store.lines == std::vector<std::string>{"cache entry " + own + "/" + entry_file(kKey) +
                                                  " is not used: not a kiln cache entry; it cannot be moved away: " + own +
                                                  "/damaged is not a folder"});
  }
  SUBCASE("of locks") {
    link("locks");
    CHECK(store.disk.lock(kKey) == nullptr);
    CHECK(list_files(elsewhere + "/locks").empty());
    CHECK(store.lines == std::vector<std::string>{own +
                                                  "/locks in the cache is not a folder: several processes may compile the "
                                                  "same kernel; to mend it: rm -r " +
                                                  own + "/locks"});
  }
}

TEST_CASE("the bound holds whatever has a name of the cache's own files, which is left alone and said once") {
  const auto check = [](const char* name, const char* occupant, const std::function<void(const std::string&)>& occupy) {
    CAPTURE(name);
    CAPTURE(occupant);
    const TemporaryDirectory folder;
    const std::string own = folder / "cache";
    mkdir(own.c_str(), 0700);
    write_text(folder / "elsewhere", "mine");
    occupy(own + "/" + name);
    struct stat before{};
    REQUIRE(lstat((own + "/" + name).c_str(), &before) == 0);
    Store store(own, {}, 50'000);
    for (int i = 0; i < 20; ++i) {
      const std::string key = kiln::test::key_of(i);
      const auto flight = store.disk.lock(key);
      CHECK(store.disk.put(key, sample_entry(std::string(9'000, 'x'))) > 0);
      CHECK(store.disk.find(key));
    }
    std::uintmax_t total = 0;
    for (const std::string& file : list_files(own)) {
      if (file.ends_with(".kiln")) total += std::filesystem::file_size(own + "/" + file);
    }
    CHECK(total <= 50'000);
    CHECK(total >= 30'000);
    struct stat after{};
    REQUIRE(lstat((own + "/" + name).c_str(), &after) == 0);
    CHECK(after.st_ino == before.st_ino);
    CHECK(read_text(folder / "elsewhere") == "mine");
    const std::string wanted = name == std::string("locks") ? "a folder" : "a regular file";
    if (name != std::string("sweep.lock")) {
      REQUIRE(store.lines.size() == 1);
      CHECK(store.lines[0].starts_with(own + "/" + name + " in the cache "));
      CHECK(store.lines[0].find(occupant == std::string("another user's file") ? "belongs to user 12345"
                                                                               : "is not " + wanted) != std::string::npos);
    } else {
      CHECK(store.lines.empty());
    }
  };
  for (const char* name : {"usage", "sweep.lock", "locks"}) {
    if (name != std::string("locks")) {
      check(name, "a folder", [](const std::string& path) { std::filesystem::create_directories(path + "/full"); });
    } else {
      check(name, "a file", [](const std::string& path) { write_text(path, "mine"); });
    }
    check(name, "a link", [](const std::string& path) { REQUIRE(symlink("../elsewhere", path.c_str()) == 0); });
    check(name, "a link that leads nowhere", [](const std::string& path) { REQUIRE(symlink("none", path.c_str()) == 0); });
    check(name, "a FIFO", [](const std::string& path) { REQUIRE(mkfifo(path.c_str(), 0600) == 0); });
    if (geteuid() != 0 || name == std::string("locks")) continue;  // only root can give a file away
    check(name, "another user's file", [](const std::string& path) {
      write_text(path, "0 0\n");
      REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    });
  }
}

TEST_CASE("of the cache's own directory no folder is used that others could have put there") {
  const TemporaryDirectory folder;
  Store store(folder.path());
  store.disk.put(kKey, sample_entry("code"));
  const std::string shard = folder / entry_file(kKey).substr(0, 2);
  chmod(shard.c_str(), 0770);
  CHECK_FALSE(store.disk.find(kKey));
  CHECK(store.lines == std::vector<std::string>{"cache entry " + folder / entry_file(kKey) +
                                                " is not used: its folder can be written by others (mode 0770); to mend it: "
                                                "chmod go-w " +
                                                shard});
  chmod(shard.c_str(), 0700);
  CHECK(store.disk.find(kKey));
  if (geteuid() != 0) return;  // only root can give a folder away
  REQUIRE(chown(shard.c_str(), 12345, 12345) == 0);
  CHECK_FALSE(store.disk.find(kKey));
  CHECK(store.disk.put(kKey, sample_entry("again")) == 0);
  CHECK(store.disk.tiers()[0]->heads().empty());
}

TEST_CASE("a directory that is mended is used, and one that is opened to others is not") {
  const TemporaryDirectory folder;
  Store store(folder.path());
  store.disk.put(kKey, sample_entry("code"));
  chmod(folder.path().c_str(), 0777);
  CHECK_FALSE(store.disk.find(kKey));
  chmod(folder.path().c_str(), 0700);
  CHECK(store.disk.find(kKey));
  CHECK(store.lines.size() == 1);
}

TEST_CASE("what has a lock's name and is no lock is not waited for") {
  const TemporaryDirectory folder;
  Store store(folder.path());
  const std::string file = folder / "locks/" + kiln::cache::digest(kKey) + ".lock";
  for (const auto& occupy : std::vector<std::function<void()>>{
           [&] { std::filesystem::create_directory(file); },
           [&] { REQUIRE(mkfifo(file.c_str(), 0600) == 0); },
           [&] { REQUIRE(symlink("nowhere", file.c_str()) == 0); },
       }) {
    std::filesystem::create_directories(folder / "locks");
    std::filesystem::permissions(folder / "locks", std::filesystem::perms::owner_all);
    occupy();
    CHECK(store.disk.lock(kKey) == nullptr);
    CHECK(store.disk.lock(sample_key("other").canonical()) != nullptr);
    std::filesystem::remove(file);
  }
  CHECK(store.lines.empty());
}

TEST_CASE("a flight that takes too long is said once and not waited for") {
  const TemporaryDirectory folder;
  Store holder(folder.path());
  Store waiter(folder.path(), {}, 1 << 30, 30ms);
  const auto flight = holder.disk.lock(kKey);
  REQUIRE(flight != nullptr);
  CHECK(waiter.disk.lock(kKey) == nullptr);
  CHECK(waiter.disk.lock(kKey) == nullptr);
  CHECK(waiter.disk.lock(sample_key("other").canonical()) != nullptr);
  CHECK(waiter.lines == std::vector<std::string>{"another process holds " + folder / "locks" +
                                                 " for more than 30 ms; this one compiles without waiting for it"});
}

TEST_CASE("threads that put, find and damage the same entries see whole ones or none") {
  const TemporaryDirectory folder;
  DiskStore store(folder.path(), {}, 60'000, [](const std::string&) {});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const int which = (i + t) % 7;
        const std::string key = sample_key(fmt::format("{}", which)).canonical();
        const std::string payload(4000, static_cast<char>('a' + which));
        if (const auto entry = store.find(key); entry && entry->payload != payload) ++wrong;
        if (i % 3 == 0) store.put(key, sample_entry(payload));
        if (i % 20 == 19) write_text(folder / entry_file(key), "damage");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}
