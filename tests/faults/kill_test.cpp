// kill -9 after each step of storing a kernel: a child stores one and dies at the step; then the parent looks at what is left.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <set>
#include <vector>

#include "base/fault_point.hpp"
#include "base/file.hpp"
#include "child.hpp"
#include "kiln/cache.hpp"
#include "unit/base/temporary_directory.hpp"
#include "unit/cache/sample.hpp"

using kiln::cache::DiskStore;
using kiln::test::entry_file;
using kiln::test::list_files;
using kiln::test::read_text;
using kiln::test::sample_entry;
using kiln::test::sample_key;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;
using namespace std::chrono_literals;

namespace {

// Of the running child: who is told of each step, and after how many it dies.
const kiln::test::Say* told = nullptr;
int steps_left = -1;

void on_step(const char* step) {
  (*told)(step);
  if (--steps_left == 0) std::raise(SIGKILL);
}

struct Death {
  std::vector<std::string> steps;
  bool killed = false;
};

// Runs `work` in a process that dies after so many steps; 0: that lives to its end.
Death run(const std::function<void()>& work, std::size_t die_after) {
  const kiln::test::Ended ended = kiln::test::in_child([&](const kiln::test::Say& say) {
    told = &say;
    steps_left = static_cast<int>(die_after);
    kiln::base::fault_hook = on_step;
    work();
  });
  Death death{{}, ended.status == 128 + SIGKILL};
  REQUIRE((death.killed || ended.status == 0));
  for (std::size_t start = 0; start < ended.said.size(); start = ended.said.find('\n', start) + 1) {
    death.steps.push_back(ended.said.substr(start, ended.said.find('\n', start) - start));
  }
  return death;
}

// How many cases called kill_everywhere(), and the steps that none of them died after yet.
int cases_run = 0;
std::set<std::string>& untried() {
  static std::set<std::string> names(kiln::base::kFaultPoints.begin(), kiln::base::kFaultPoints.end());
  return names;
}

/// Kills `work` after each of the steps that it does, each time from a state that `prepare` makes; `check` looks at the rest.
void kill_everywhere(const std::function<void()>& prepare, const std::function<void()>& work,
                     const std::function<void()>& check, std::size_t at_least) {
  ++cases_run;
  prepare();
  const Death whole = run(work, 0);
  REQUIRE_FALSE(whole.killed);
  REQUIRE(whole.steps.size() >= at_least);
  check();
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    const std::string died = fmt::format("killed after step {}, {}", i + 1, whole.steps[i]);
    CAPTURE(died);
    prepare();
    const Death death = run(work, i + 1);
    CHECK(death.killed);
    CHECK(death.steps.size() == i + 1);
    CHECK(death.steps.back() == whole.steps[i]);
    check();
    untried().erase(whole.steps[i]);
  }
}

const std::string kNew = sample_key("new").canonical();
const std::string kOld = sample_key("old").canonical();
const std::string kDamaged = sample_key("damaged").canonical();
const std::string kPayload(3000, 'n');

struct Store {
  explicit Store(const std::string& directory, std::uint64_t max_bytes = 1 << 30)
      : disk(directory, {}, max_bytes, [this](const std::string& line) { lines.push_back(line); }, 10s) {}
  std::vector<std::string> lines;
  DiskStore disk;
};

void age(const std::string& file, std::time_t seconds) {
  const timespec stamp{std::time(nullptr) - seconds, 0};
  const timespec times[2] = {stamp, stamp};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
}

std::uint64_t entry_bytes(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const std::string& name : list_files(directory)) {
    if (name.ends_with(".kiln")) bytes += std::filesystem::file_size(directory + "/" + name);
  }
  return bytes;
}

// Where the estimate says less than is there, nothing ever sweeps. One that is not there, or torn, makes the next put sweep.
void check_estimate(const std::string& directory) {
  const std::string text = read_text(directory + "/usage");
  unsigned long long bytes = 0;
  unsigned long long puts = 0;
  char end = 0;
  if (std::sscanf(text.c_str(), "%llu %llu%c", &bytes, &puts, &end) != 3 || end != '\n') return;
  CHECK(bytes >= entry_bytes(directory));
}

/// What holds for whoever comes after a process that died while it stored kNew.
void check_survivors(const std::string& directory, std::uint64_t max_bytes) {
  check_estimate(directory);
  {
    Store reader(directory, max_bytes);
    if (const auto entry = reader.disk.find(kNew)) CHECK(entry->payload == kPayload);
    if (const auto entry = reader.disk.find(kOld)) CHECK(entry->payload == "old");
    CHECK(reader.lines == std::vector<std::string>{});  // nothing that is torn has an entry's name
  }
  Store writer(directory, max_bytes);
  CHECK(writer.disk.lock(kNew) != nullptr);  // the dead hold no lock
  for (const std::string& key : {kNew, sample_key("another").canonical()}) {
    writer.disk.put(key, sample_entry(kPayload));
    const auto entry = writer.disk.find(key);
    REQUIRE(entry);
    CHECK(entry->payload == kPayload);
  }
  CHECK(writer.lines == std::vector<std::string>{});
  check_estimate(directory);
  CHECK(entry_bytes(directory) <= max_bytes);

  const kiln::Cache cache({.directory = directory, .max_bytes = max_bytes});
  cache.verify(true);
  CHECK(cache.verify().faults.empty());
  std::size_t entries = 0;
  for (const std::string& name : list_files(directory)) {
    CAPTURE(name);
    if (name == "usage" || name == "sweep.lock") continue;
    CHECK(name.size() == std::string_view("3f/0123456789abcdef0123456789abcd.kiln").size());
    CHECK(name.ends_with(".kiln"));
    CHECK(name.find("damaged") == std::string::npos);
    ++entries;
  }
  CHECK(entries == cache.list().size());
}

}  // namespace

TEST_CASE("kill -9 while the first kernel is stored") {
  const TemporaryDirectory folder;
  const std::string directory = folder / "home/.cache/kiln";
  kill_everywhere([&] { std::filesystem::remove_all(folder / "home"); },
                  [&] {
                    Store store(directory);
                    const auto flight = store.disk.lock(kNew);
                    store.disk.put(kNew, sample_entry(kPayload));
                  },
                  [&] { check_survivors(directory, 1 << 30); }, 20);
}

TEST_CASE("kill -9 while a kernel is stored, old ones are swept, and a damaged one is set aside") {
  const TemporaryDirectory folder;
  const std::string directory = folder / "cache";
  // Room for five entries; six are there already when the seventh comes.
  const std::uint64_t max_bytes = 5 * kiln::cache::encode(kNew, sample_entry(kPayload)).size();
  const auto prepare = [&] {
    std::filesystem::remove_all(directory);
    Store store(directory);
    store.disk.put(kOld, sample_entry("old"));
    store.disk.put(kDamaged, sample_entry("damaged"));
    for (int i = 0; i < 4; ++i) {
      const std::string key = sample_key(fmt::format("filler {}", i)).canonical();
      store.disk.put(key, sample_entry(kPayload));
      age(directory + "/" + entry_file(key), 86'400);
    }
    age(directory + "/" + entry_file(kOld), 3600);
    const std::string damaged = directory + "/" + entry_file(kDamaged);
    write_text(damaged, read_text(damaged).substr(0, 100));
  };
  kill_everywhere(
      prepare,
      [&] {
        Store store(directory, max_bytes);
        if (!store.disk.find(kOld) || store.disk.find(kDamaged)) std::abort();
        const auto flight = store.disk.lock(kNew);
        store.disk.put(kNew, sample_entry(kPayload));
      },
      [&] { check_survivors(directory, max_bytes); }, 20);
}

TEST_CASE("kill -9 while a kernel takes the place of an older one of its key") {
  const TemporaryDirectory folder;
  const std::string directory = folder / "cache";
  kill_everywhere(
      [&] {
        std::filesystem::remove_all(directory);
        Store(directory).disk.put(kNew, sample_entry("before"));
      },
      [&] { Store(directory).disk.put(kNew, sample_entry("after")); },
      [&] {
        const auto entry = Store(directory).disk.find(kNew);
        REQUIRE(entry);
        CHECK((entry->payload == "before" || entry->payload == "after"));
      },
      10);
}

TEST_CASE("kill -9 while a file is published that must outlive a power cut") {
  const TemporaryDirectory folder;
  const std::string path = folder / "file";
  const std::string before(5000, 'b');
  const std::string after(7000, 'a');
  kill_everywhere(
      [&] {
        for (const std::string& name : list_files(folder.path())) std::filesystem::remove(folder / name);
        write_text(path, before);
      },
      [&] {
        if (kiln::base::publish_file(path, after, {.mode = 0600, .sync = true, .sync_directory = true})) std::abort();
      },
      [&] {
        const std::string text = read_text(path);
        CHECK((text == before || text == after));
        for (const std::string& name : list_files(folder.path())) {
          CHECK((name == "file" || name.find(kiln::base::kTemporaryMark) != std::string::npos));
        }
      },
      7);
}

// After the cases above, in the order of this file: a step that is added has to be met by one of them.
TEST_CASE("kill -9 was tried after every step there is") {
  if (cases_run < 4) return;  // some were filtered out
  for (const std::string& step : untried()) FAIL_CHECK("no case of this file dies after " << step);
}
