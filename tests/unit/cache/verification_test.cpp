#include "cache/verification.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../base/temporary_directory.hpp"
#include "base/fault_point.hpp"
#include "cache/disk_store.hpp"
#include "sample.hpp"

using kiln::cache::DiskStore;
using kiln::cache::verify_directory;
using kiln::test::entry_file;
using kiln::test::list_files;
using kiln::test::own_folder;
using kiln::test::read_text;
using kiln::test::sample_entry;
using kiln::test::sample_key;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

std::string key(int i) {
  return sample_key("source " + std::to_string(i)).canonical();
}

std::map<std::string, std::string> reasons(const kiln::cache::Verification& result) {
  std::map<std::string, std::string> all;
  for (const auto& fault : result.faults) all[fault.path] = fault.reason;
  return all;
}

}  // namespace

TEST_CASE("verify names every fault, and with fix leaves only what is sound and what is not kiln's") {
  const TemporaryDirectory folder;
  const TemporaryDirectory elsewhere;
  DiskStore store(folder.path(), {}, 1 << 30, nullptr);
  for (int i = 0; i < 8; ++i) store.put(key(i), sample_entry(std::string(100, 'x')));
  const auto file = [&](int i) { return folder / entry_file(key(i)); };
  const std::string good = read_text(file(0));

  std::string bytes = read_text(file(1));
  bytes[bytes.size() - 20] ^= 1;
  write_text(file(1), bytes);
  write_text(file(2), good);  // under another one's name
  chmod(file(3).c_str(), 0666);
  std::filesystem::remove(file(4));
  write_text(elsewhere / "target", good);
  REQUIRE(symlink((elsewhere / "target").c_str(), file(4).c_str()) == 0);
  bytes = read_text(file(5));
  bytes[8] = 7;
  write_text(file(5), kiln::test::with_checksum(bytes));
  write_text(file(6), "");
  CHECK_FALSE(store.find(key(6)));  // set aside
  const std::string dead = entry_file(key(0)) + ".tmp-1-2-3";
  const std::string alive = entry_file(key(0)) + ".tmp-4-5-6";
  const std::string lock = "locks/" + kiln::cache::digest(key(0)) + ".lock";
  const std::string held = "locks/" + kiln::cache::digest(key(1)) + ".lock";
  std::filesystem::create_directories(folder / "locks");
  for (const std::string& name : {dead, alive, lock, held}) write_text(folder / name, "half");
  const int writer = open((folder / alive).c_str(), O_RDWR);
  const int holder = open((folder / held).c_str(), O_RDWR);
  REQUIRE(flock(writer, LOCK_EX) == 0);
  REQUIRE(flock(holder, LOCK_EX) == 0);
  write_text(folder / "notes.txt", "mine");
  write_text(folder / (entry_file(key(0)).substr(0, 3) + "notes.kiln"), "mine");
  const auto before = list_files(folder.path());

  const std::map<std::string, std::string> expected{
      {entry_file(key(1)), "wrong checksum"},
      {entry_file(key(2)), "its name is not that of its key"},
      {entry_file(key(3)), "others could have written it"},
      {entry_file(key(4)), "a symbolic link"},
      {"damaged/" + kiln::cache::digest(key(6)) + ".kiln", "set aside as damaged"},
      {dead, "left by a process that died"},
      {lock, "left by a process that died"},
  };
  const auto found = verify_directory(own_folder(folder.path()), false);
  CHECK(found.entries == 2);
  CHECK(found.bytes == good.size() + std::filesystem::file_size(file(7)));
  CHECK(found.other_format == 1);
  CHECK(reasons(found) == expected);
  CHECK(std::none_of(found.faults.begin(), found.faults.end(), [](const auto& fault) { return fault.mended; }));
  CHECK(list_files(folder.path()) == before);

  const auto mended = verify_directory(own_folder(folder.path()), true);
  CHECK(reasons(mended) == expected);
  CHECK(std::all_of(mended.faults.begin(), mended.faults.end(), [](const auto& fault) { return fault.mended; }));
  for (const auto& [path, reason] : expected)
    CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(folder / path)));
  CHECK(read_text(elsewhere / "target") == good);
  CHECK(read_text(folder / "notes.txt") == "mine");
  CHECK(std::filesystem::exists(folder / alive));
  CHECK(std::filesystem::exists(folder / held));
  CHECK(read_text(folder / "usage") ==
        std::to_string(good.size() + std::filesystem::file_size(file(7)) + std::filesystem::file_size(file(5))) + " 0\n");
  CHECK(verify_directory(own_folder(folder.path()), true).faults.empty());
  close(writer);
  close(holder);
  CHECK(verify_directory(own_folder(folder.path()), false).faults.size() == 2);
}

namespace {

// Somebody who mends the directory gets in between two steps of a process that stores a kernel.
struct Interruption {
  explicit Interruption(std::string folder, std::string at) {
    directory = std::move(folder);
    step = std::move(at);
    seen = 0;
    kiln::base::fault_hook = [](const char* now) {
      if (now != step || ++seen > 3) return;
      for (const auto& fault : verify_directory(own_folder(directory), true).faults) mended.push_back(fault.path);
    };
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption() {
    kiln::base::fault_hook = nullptr;
    mended.clear();
  }

  static inline std::string directory;
  static inline std::string step;
  static inline int seen = 0;
  static inline std::vector<std::string> mended;
};

}  // namespace

TEST_CASE("who mends a cache directory while another process stores a kernel in it takes nothing from that one") {
  for (const char* step :
       {"publish:created", "publish:opened", "publish:half-written", "publish:written", "publish:closed", "publish:renamed"}) {
    CAPTURE(step);
    const TemporaryDirectory folder;
    std::vector<std::string> complaints;
    DiskStore store(folder.path(), {}, 1 << 30, [&](std::string_view line) { complaints.emplace_back(line); });
    {
      const Interruption interruption(folder.path(), step);
      store.put(key(0), sample_entry());
      // What is removed before its lock could be taken is written once more under another name.
      CHECK(Interruption::mended.size() == (step == std::string_view("publish:created") ? 3 : 0));
      CHECK(Interruption::seen == (step == std::string_view("publish:created") ? 4 : 1));
    }
    CHECK(complaints.empty());
    CHECK(store.find(key(0)));
    CHECK(verify_directory(own_folder(folder.path()), false).faults.empty());
  }
}
