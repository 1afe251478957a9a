#include "base/fault_point.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fcntl.h>

#include <mutex>
#include <set>
#include <string>

#include "../base/temporary_directory.hpp"
#include "base/file.hpp"
#include "cache/disk_store.hpp"
#include "sample.hpp"

using kiln::cache::DiskStore;
using kiln::test::entry_file;
using kiln::test::sample_entry;
using kiln::test::sample_key;
using kiln::test::TemporaryDirectory;

namespace {

std::set<std::string>& passed() {
  static std::set<std::string> steps;
  return steps;
}

struct Listening {
  Listening() {
    kiln::base::fault_hook = [](const char* step) { passed().insert(step); };
  }
  ~Listening() { kiln::base::fault_hook = nullptr; }
};

}  // namespace

TEST_CASE("every step of storing a kernel is passed, and is in the list") {
  const TemporaryDirectory folder;
  const std::string key = sample_key().canonical();
  passed().clear();
  {
    const Listening listening;
    DiskStore store(folder / "cache", {}, 6000, nullptr);
    {
      const auto flight = store.lock(key);
    }
    for (const char* name : {"a", "b"}) store.put(sample_key(name).canonical(), sample_entry(std::string(4000, 'x')));
    store.put(key, sample_entry());
    const timespec old{1'700'000'000, 0};
    const timespec times[2] = {old, old};
    utimensat(AT_FDCWD, (folder / "cache/" + entry_file(key)).c_str(), times, 0);
    CHECK(store.find(key));
    kiln::test::write_text(folder / "cache/" + entry_file(key), "damage");
    CHECK_FALSE(store.find(key));
    CHECK_FALSE(kiln::base::publish_file(folder / "synced", "bytes", {.sync = true, .sync_directory = true}));
  }
  std::set<std::string> listed;
  for (const char* step : kiln::base::kFaultPoints) listed.insert(step);
  CHECK(listed.size() == kiln::base::kFaultPoints.size());
  for (const std::string& step : listed) {
    CAPTURE(step);
    CHECK(passed().contains(step));
  }
  for (const std::string& step : passed()) {
    CAPTURE(step);
    CHECK(listed.contains(step));
  }
}
