#include "cache/usage_record.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../base/temporary_directory.hpp"
#include "cache/disk_store.hpp"
#include "sample.hpp"

using kiln::cache::DirectoryTier;
using kiln::cache::hits_of;
using kiln::test::TemporaryDirectory;

namespace {

timespec stamp_of(const std::string& path) {
  struct stat status{};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mtim;
}

void set_stamp(const std::string& path, timespec stamp) {
  const timespec times[2] = {stamp, stamp};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("a stamp counts its renewals in its fraction, and is the time of the last one") {
  const TemporaryDirectory folder;
  const std::string file = folder / "file";
  kiln::test::write_text(file, "x");
  set_stamp(file, {.tv_sec = 1'700'000'000, .tv_nsec = 123'456'789});  // as a file is written: no count
  CHECK(hits_of(stamp_of(file)) == 0);
  for (long hits = 1; hits <= 3; ++hits) {
    kiln::cache::renew_stamp(AT_FDCWD, file.c_str());
    CHECK(hits_of(stamp_of(file)) == hits);
    CHECK(stamp_of(file).tv_nsec == hits * 100'000);
    CHECK(std::abs(stamp_of(file).tv_sec - std::time(nullptr)) < 100);
    set_stamp(file, {.tv_sec = 1'700'000'000, .tv_nsec = stamp_of(file).tv_nsec});
  }
  set_stamp(file, {.tv_sec = 1'700'000'000, .tv_nsec = 999'900'000});
  kiln::cache::renew_stamp(AT_FDCWD, file.c_str());
  CHECK(hits_of(stamp_of(file)) == kiln::cache::kMostHits);
  CHECK(hits_of({.tv_sec = 0, .tv_nsec = 999'999'999}) == 0);
  kiln::cache::renew_stamp(AT_FDCWD, (folder / "none").c_str());
  CHECK(kiln::test::list_files(folder.path()) == std::vector<std::string>{"file"});
}

TEST_CASE("hits are counted once in ten minutes, and listed") {
  const TemporaryDirectory folder;
  kiln::cache::DiskStore store(folder / "cache", {}, 1 << 20, nullptr);
  const std::string key = kiln::test::sample_key().canonical();
  const std::string file = folder / "cache/" + kiln::test::entry_file(key);
  const DirectoryTier tier(folder / "cache", {.self = true});
  const auto listed = [&] { return tier.head(kiln::cache::digest(key)).value().hits; };
  const auto grow_old = [&] { set_stamp(file, {.tv_sec = stamp_of(file).tv_sec - 1000, .tv_nsec = stamp_of(file).tv_nsec}); };
  store.put(key, kiln::test::sample_entry("code"));
  set_stamp(file, {.tv_sec = stamp_of(file).tv_sec, .tv_nsec = 1});
  CHECK(listed() == 0);
  for (std::uint64_t hits = 1; hits <= 2; ++hits) {
    grow_old();
    for (int i = 0; i < 3; ++i) REQUIRE(store.find(key));
    CHECK(listed() == hits);
  }
}
