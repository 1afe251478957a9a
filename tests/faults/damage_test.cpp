// Entries that are not what they were: through calls of kernels, as users meet them. What decode() says of them is in
// tests/unit/cache/entry_test.cpp.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include "child.hpp"
#include "kernels.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "not_run.hpp"
#include "seed.hpp"
#include "unit/base/sanitizer.hpp"
#include "unit/base/temporary_directory.hpp"

using kiln::Cache;
using kiln::CacheOptions;
using kiln::cache::Miss;
using kiln::cache::Stats;
using kiln::test::in_child;
using kiln::test::numbered_kernel;
using kiln::test::read_text;
using kiln::test::right;
using kiln::test::Say;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kVersionEnd = 12;
constexpr std::size_t kChecksumBytes = 16;

std::uint64_t missed(const Stats& stats, Miss reason) {
  return stats.misses[static_cast<std::size_t>(reason)];
}

std::uint64_t missed(const Stats& stats) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : stats.misses) sum += count;
  return sum;
}

/// A cache that a child filled with kernels 0 and 1.
struct Filled {
  Filled() {
    kiln::test::open_compiler();
    const auto ended = in_child([&](const Say& say) {
      const Cache cache(CacheOptions{.directory = directory});
      for (const int i : {0, 1}) {
        if (!right(i, cache)) say("wrong");
      }
    });
    REQUIRE(ended.said == "");
    REQUIRE(ended.status == 0);
    for (const kiln::cache::Entry& entry : Cache(CacheOptions{.directory = directory}).list()) {
      REQUIRE(entry.kernel == "kernel_" + std::to_string(id.size()));
      id.push_back(entry.id);
      file.push_back(directory + "/" + entry.id.substr(0, 2) + "/" + entry.id.substr(2) + ".kiln");
      bytes.push_back(read_text(file.back()));
    }
    REQUIRE(file.size() == 2);
  }

  [[nodiscard]] std::string set_aside(std::size_t i) const { return directory + "/damaged/" + id[i] + ".kiln"; }

  TemporaryDirectory folder;
  std::string directory = folder / "cache";
  std::vector<std::string> id;
  std::vector<std::string> file;
  std::vector<std::string> bytes;
};

/// Puts bytes in an entry's place, as kiln would.
void place(const std::string& file, std::string_view bytes) {
  fs::remove_all(file);
  fs::create_directories(fs::path(file).parent_path());
  write_text(file, std::string(bytes));
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
}

/// Kernel 0, as built from the directory or else from a tier that has it whole: "" where exactly this miss was counted, said,
/// and the file set aside.
std::string build_and_look(const Filled& filled, const std::string& tier, std::string_view damaged) {
  place(filled.file[0], damaged);
  std::vector<std::string> lines;
  kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
  const Cache cache(CacheOptions{.directory = filled.directory, .read_only = {tier}});
  (void)numbered_kernel(0, cache).compile("native");
  kiln::cache::set_log(nullptr);
  const Stats stats = cache.stats();
  if (stats.disk_hits + stats.compiles + stats.failures + stats.memory_hits != 0) return "it was used, or compiled";
  if (stats.read_only_hits != 1) return "the whole one was not found";
  if (fs::exists(filled.file[0])) return "it is still there";
  if (read_text(filled.set_aside(0)) != damaged) return "it was not set aside";
  if (lines.size() != 1) return fmt::format("{} lines: {}", lines.size(), fmt::join(lines, "; "));
  if (lines[0].find(filled.file[0]) == std::string::npos) return "the line does not name it: " + lines[0];
  return {};
}

/// Every byte, or what would take minutes under a sanitizer: every so-many-th of them.
std::size_t stride() {
  return kiln::test::kAddressSanitizer || kiln::test::kThreadSanitizer ? 23 : 1;
}

/// Calls kernel 0 in a process of its own, twice: with what `spoil` left, and after that. What the first one must meet is in
/// `check`.
void call_twice(const Filled& filled,
                const std::function<void(const Stats&, const std::vector<std::string>&, const Say&)>& check) {
  const auto call = [&](const auto& look) {
    const auto ended = in_child([&](const Say& say) {
      std::vector<std::string> lines;
      kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
      const Cache cache(CacheOptions{.directory = filled.directory});
      if (!right(0, cache)) say("wrong result");
      look(cache.stats(), lines, say);
    });
    CHECK(ended.said == "");
    CHECK(ended.status == 0);
  };
  call(check);
  call([](const Stats& stats, const std::vector<std::string>& lines, const Say& say) {
    if (stats.disk_hits != 1 || stats.compiles != 0) say("afterwards it is not found");
    if (!lines.empty()) say("afterwards: " + lines[0]);
  });
}

/// The entry in place of kernel 0 is compiled again, is a miss of this reason, and is set aside with these words.
void check_miss(const Filled& filled, Miss reason, const std::string& words) {
  call_twice(filled, [&](const Stats& stats, const std::vector<std::string>& lines, const Say& say) {
    if (stats.compiles != 1 || stats.disk_hits != 0) say("it was used");
    if (missed(stats, reason) != 1 || missed(stats) != 1) say(fmt::format("not counted as {}", name(reason)));
    const std::string expected =
        fmt::format("cache entry {} is not used: {}; moved to {}/damaged", filled.file[0], words, filled.directory);
    if (lines.size() != 1 || lines[0] != expected) say(fmt::format("said: {}", fmt::join(lines, "\n")));
    if (!fs::exists(fs::symlink_status(filled.set_aside(0)))) say("it was not set aside");
  });
  fs::remove_all(filled.directory + "/damaged");
}

std::string with_checksum(std::string bytes) {
  const XXH128_canonical_t checksum = [&] {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size() - kChecksumBytes));
    return canonical;
  }();
  std::memcpy(bytes.data() + bytes.size() - kChecksumBytes, checksum.digest, kChecksumBytes);
  return bytes;
}

}  // namespace

TEST_CASE("an entry with any bit of any byte changed is not used") {
  const Filled filled;
  const std::string tier = filled.folder / "tier";
  fs::copy(filled.directory, tier, fs::copy_options::recursive);
  const auto ended = in_child([&](const Say& say) {
    std::mt19937_64 random(kiln::test::seed());
    for (std::size_t i = 0; i < filled.bytes[0].size(); i += stride()) {
      std::string bytes = filled.bytes[0];
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << (random() % 8)));
      if (const std::string wrong = build_and_look(filled, tier, bytes); !wrong.empty()) {
        return say(fmt::format("byte {} of {}: {}", i, bytes.size(), wrong));
      }
    }
  });
  CHECK(ended.said == "");
  CHECK(ended.status == 0);
}

TEST_CASE("an entry that ends at any earlier byte is not used") {
  const Filled filled;
  const std::string tier = filled.folder / "tier";
  fs::copy(filled.directory, tier, fs::copy_options::recursive);
  const auto ended = in_child([&](const Say& say) {
    for (std::size_t length = 0; length < filled.bytes[0].size(); length += stride()) {
      const std::string_view bytes = std::string_view(filled.bytes[0]).substr(0, length);
      if (const std::string wrong = build_and_look(filled, tier, bytes); !wrong.empty()) {
        return say(fmt::format("{} bytes of {}: {}", length, filled.bytes[0].size(), wrong));
      }
    }
  });
  CHECK(ended.said == "");
  CHECK(ended.status == 0);
}

TEST_CASE("a call whose entry is damaged compiles once, gives the right result, and stores it anew") {
  const Filled filled;
  std::mt19937_64 random(kiln::test::seed());
  for (int i = 0; i < 12; ++i) {
    std::string bytes = filled.bytes[0];
    const std::size_t at = kVersionEnd + random() % (bytes.size() - kVersionEnd);
    CAPTURE(at);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
    place(filled.file[0], bytes);
    call_twice(filled, [&](const Stats& stats, const std::vector<std::string>& lines, const Say& say) {
      if (stats.compiles != 1 || missed(stats, Miss::damaged) != 1 || missed(stats) != 1) say("not counted as damaged");
      if (lines.size() != 1) say(fmt::format("said: {}", fmt::join(lines, "\n")));
      if (read_text(filled.set_aside(0)) != bytes) say("it was not set aside");
    });
  }
  place(filled.file[0], "");
  check_miss(filled, Miss::damaged, "not a kiln cache entry");
  place(filled.file[0], std::string_view(filled.bytes[0]).substr(0, 30));
  check_miss(filled, Miss::damaged, "truncated");
  place(filled.file[0], filled.bytes[0] + "x");
  check_miss(filled, Miss::damaged, "longer than its sizes say");
}

TEST_CASE("entries of an older and a newer format are not used") {
  const Filled filled;
  std::uint32_t current = 0;
  std::memcpy(&current, filled.bytes[0].data() + kVersionAt, sizeof current);
  for (const std::uint32_t version : {current - 1, current + 1, 0xffffffffU}) {
    std::string bytes = filled.bytes[0];
    std::memcpy(bytes.data() + kVersionAt, &version, sizeof version);
    place(filled.file[0], with_checksum(bytes));
    // No damage, and so not said: another kiln may have written it.
    call_twice(filled, [&](const Stats& stats, const std::vector<std::string>& lines, const Say& say) {
      if (stats.compiles != 1 || stats.disk_hits != 0) say("it was used");
      if (missed(stats, Miss::other_format) != 1 || missed(stats) != 1) say("not counted as of another format");
      if (!lines.empty()) say(fmt::format("said: {}", fmt::join(lines, "\n")));
    });
    place(filled.file[0], bytes);
    check_miss(filled, Miss::damaged, "wrong checksum");
  }
}

TEST_CASE("the entry of another key under the name of this one is not used") {
  const Filled filled;
  place(filled.file[0], filled.bytes[1]);
  check_miss(filled, Miss::other_key, "made for another key");
  // Nor is one that was made for a longer or shorter key: the checksum is right.
  for (const int change : {-1, 1}) {
    std::string bytes = filled.bytes[0];
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + kVersionEnd, sizeof size);
    bytes.replace(kVersionEnd + 24 + size - 2, 2, std::string(static_cast<std::size_t>(2 + change), ' '));
    size += static_cast<std::uint64_t>(change);
    std::memcpy(bytes.data() + kVersionEnd, &size, sizeof size);
    place(filled.file[0], with_checksum(bytes));
    check_miss(filled, Miss::other_key, "made for another key");
  }
}

TEST_CASE("an entry that others could have written is not used") {
  const Filled filled;
  for (const mode_t mode : {mode_t{0620}, mode_t{0602}, mode_t{0666}}) {
    place(filled.file[0], filled.bytes[0]);
    REQUIRE(::chmod(filled.file[0].c_str(), mode) == 0);
    check_miss(filled, Miss::not_trusted, "others could have written it");
  }
  place(filled.file[0], filled.bytes[0]);
  fs::rename(filled.file[0], filled.folder / "elsewhere");
  fs::create_symlink(filled.folder / "elsewhere", filled.file[0]);
  check_miss(filled, Miss::not_trusted, "a symbolic link");
  CHECK(read_text(filled.folder / "elsewhere") == filled.bytes[0]);
}

TEST_CASE("an entry of someone else is not used") {
  if (::geteuid() != 0) {  // only root can give a file away
    ++kiln::test::cases_not_run()["root"];
    return;
  }
  const Filled filled;
  place(filled.file[0], filled.bytes[0]);
  REQUIRE(::chown(filled.file[0].c_str(), 12345, 12345) == 0);
  check_miss(filled, Miss::not_trusted, "others could have written it");
}

TEST_CASE("what is no file under the name of an entry is not used") {
  const Filled filled;
  fs::remove(filled.file[0]);
  REQUIRE(::mkfifo(filled.file[0].c_str(), 0600) == 0);
  call_twice(filled, [&](const Stats& stats, const std::vector<std::string>& lines, const Say& say) {
    if (stats.compiles != 1 || missed(stats) != 1) say("it was used");
    if (lines.size() != 1 || lines[0].find("not a regular file") == std::string::npos) {
      say(fmt::format("said: {}", fmt::join(lines, "\n")));
    }
  });
  fs::remove_all(filled.directory + "/damaged");
  fs::remove(filled.file[0]);
  fs::create_directory(filled.file[0]);
  call_twice(filled, [&](const Stats& stats, const std::vector<std::string>& lines, const Say& say) {
    if (stats.compiles != 1 || missed(stats) != 1) say("it was used");
    if (lines.size() != 1 || lines[0].find("not a regular file") == std::string::npos) {
      say(fmt::format("said: {}", fmt::join(lines, "\n")));
    }
  });
}

namespace {

/// A call with a cache in this directory, which is refused with these words: the result is right, nothing is written there.
void check_refused(const std::string& directory, const std::string& words) {
  CAPTURE(directory);
  const auto ended = in_child([&](const Say& say) {
    std::vector<std::string> lines;
    kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
    const Cache cache(CacheOptions{.directory = directory});
    if (!right(0, cache)) say("wrong result");
    const Stats stats = cache.stats();
    if (stats.compiles != 1 || stats.disk_hits != 0) say("something of it was used");
    if (!cache.directory().empty()) say("it counts as the cache's directory");
    const std::string expected = fmt::format("cache directory {} is not used: ", directory);
    if (lines.size() != 1 || !lines[0].starts_with(expected) || lines[0].find(words) == std::string::npos) {
      say(fmt::format("said: {}", fmt::join(lines, "\n")));
    }
    const auto expect_error = [&](const char* what, const auto& action) {
      try {
        action();
        say(fmt::format("{} works", what));
      } catch (const kiln::CacheError& error) {
        if (std::string_view(error.what()).find(words) == std::string_view::npos)
          say(fmt::format("{}: {}", what, error.what()));
      }
    };
    expect_error("verify", [&] { cache.verify(true); });
    expect_error("prune", [&] { cache.prune(0); });
    expect_error("clear", [&] { cache.clear(); });
  });
  CHECK(ended.said == "");
  CHECK(ended.status == 0);
}

}  // namespace

TEST_CASE("a directory that others can write in is refused, with whatever it holds") {
  const Filled filled;
  for (const auto& [mode, shown] :
       {std::pair(mode_t{0770}, "0770"), std::pair(mode_t{0702}, "0702"), std::pair(mode_t{01777}, "1777")}) {
    REQUIRE(::chmod(filled.directory.c_str(), mode) == 0);
    check_refused(filled.directory, fmt::format("it can be written by others (mode {}); to mend it: chmod 700 ", shown));
    CHECK(read_text(filled.file[0]) == filled.bytes[0]);
  }
  REQUIRE(::chmod(filled.directory.c_str(), 0700) == 0);
}

TEST_CASE("a symbolic link is followed to a directory of one's own, and refused elsewhere") {
  const Filled filled;
  const std::string link = filled.folder / "link";
  fs::create_symlink(filled.directory, link);
  const auto ended = in_child([&](const Say& say) {
    const Cache cache(CacheOptions{.directory = link});
    if (!right(0, cache) || cache.stats().disk_hits != 1) say("not found through the link");
  });
  CHECK(ended.said == "");
  fs::remove(link);
  fs::create_symlink(filled.folder / "nowhere", link);
  check_refused(link, "leads nowhere");
  if (::geteuid() != 0) {  // only root can give a file away
    ++kiln::test::cases_not_run()["root"];
    return;
  }
  fs::remove(link);
  fs::create_symlink(filled.directory, link);
  REQUIRE(::lchown(link.c_str(), 12345, 12345) == 0);
  check_refused(link, "it is a symbolic link that belongs to user 12345");
  REQUIRE(::chown(filled.directory.c_str(), 12345, 12345) == 0);
  check_refused(filled.directory, "it belongs to user 12345");
}
