#include "cache/bundle_exchange.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>

#include "../base/temporary_directory.hpp"
#include "cache/bundle.hpp"
#include "kiln/error.hpp"
#include "sample.hpp"
#include "support/message.hpp"

using kiln::cache::BundleReport;
using kiln::cache::BundleWriter;
using kiln::cache::DiskStore;
using kiln::cache::export_bundle;
using kiln::cache::import_bundle;
using kiln::test::entry_file;
using kiln::test::key_of;
using kiln::test::list_files;
using kiln::test::read_text;
using kiln::test::sample_entry;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

using kiln::test::message_of;

kiln::cache::Record entry_of(int i, double compile_ms = 12.5, std::int64_t created = 1'700'000'000) {
  kiln::cache::Record entry = sample_entry("code " + std::to_string(i));
  entry.info.compile_ms = compile_ms;
  entry.info.created_unix = created;
  return entry;
}

struct BundledStore {
  explicit BundledStore(const std::string& directory, std::vector<std::string> read_only = {},
                        std::uint64_t max_bytes = 1 << 30)
      : disk(directory, std::move(read_only), max_bytes, [this](const std::string& line) { lines.push_back(line); }) {}
  std::vector<std::string> lines;
  DiskStore disk;
  BundleReport write(const std::string& path, const std::vector<std::string>& digests = {}) {
    return export_bundle(disk.tiers(), path, digests, [this](const std::string& line) { lines.push_back(line); });
  }
};

// Entry files, without what a store keeps beside them.
std::vector<std::string> entries_in(const std::string& directory) {
  std::vector<std::string> files = std::filesystem::exists(directory) ? list_files(directory) : std::vector<std::string>();
  std::erase_if(files, [](const std::string& file) { return !file.ends_with(".kiln") || file.starts_with("damaged/"); });
  return files;
}

}  // namespace

TEST_CASE("a bundle carries kernels from one directory to another, and says what was there") {
  const TemporaryDirectory folder;
  BundledStore from(folder / "from");
  for (int i = 0; i < 20; ++i) from.disk.put(key_of(i), entry_of(i));
  const BundleReport written = from.write(folder / "b");
  CHECK(written.entries == 20);
  CHECK(written.bytes == std::filesystem::file_size(folder / "b"));

  BundledStore to(folder / "to");
  to.disk.put(key_of(3), entry_of(3));
  const std::string kept = read_text(folder / "to/" + entry_file(key_of(3)));
  const BundleReport read = import_bundle(to.disk, folder / "b");
  CHECK(read.entries == 20);
  CHECK(read.already == 1);
  CHECK(read.bytes == written.bytes);
  CHECK(entries_in(folder / "to").size() == 20);
  CHECK(read_text(folder / "to/" + entry_file(key_of(3))) == kept);  // a sound entry is never overwritten
  for (int i = 0; i < 20; ++i) {
    const auto found = to.disk.find(key_of(i));
    REQUIRE(found);
    CHECK(found->payload == "code " + std::to_string(i));
    CHECK(found->info.body == "return a;");
    CHECK(found->info.compile_ms == (i == 3 ? 12.5 : 0));
    CHECK(found->info.created_unix == (i == 3 ? 1'700'000'000 : 0));
  }
  CHECK(import_bundle(to.disk, folder / "b").already == 20);
  CHECK(to.lines.empty());
}

TEST_CASE("the same kernels give the same bytes, whatever the order, the time, and the tier they come from") {
  const TemporaryDirectory folder;
  BundledStore one(folder / "one");
  BundledStore other(folder / "other");
  for (int i = 0; i < 30; ++i) one.disk.put(key_of(i), entry_of(i, 10 + i, 1'700'000'000 + i));
  for (int i = 29; i >= 0; --i) other.disk.put(key_of(i), entry_of(i, 99.25, 1'800'000'000));
  one.write(folder / "one.b");
  other.write(folder / "other.b");
  CHECK(read_text(folder / "one.b") == read_text(folder / "other.b"));

  // Imported and exported again, from a directory and from the bundle itself.
  BundledStore third(folder / "third");
  import_bundle(third.disk, folder / "one.b");
  third.write(folder / "third.b");
  CHECK(read_text(folder / "third.b") == read_text(folder / "one.b"));
  BundledStore tier("", {folder / "one.b"});
  tier.write(folder / "fourth.b");
  CHECK(read_text(folder / "fourth.b") == read_text(folder / "one.b"));
  BundledStore both(folder / "one", {folder / "one.b"});
  CHECK(both.write(folder / "fifth.b").entries == 30);
  CHECK(read_text(folder / "fifth.b") == read_text(folder / "one.b"));
}

TEST_CASE("export takes the entries that are asked for, and only sound ones") {
  const TemporaryDirectory folder;
  BundledStore store(folder / "cache");
  for (int i = 0; i < 5; ++i) store.disk.put(key_of(i), entry_of(i));
  const std::string id = kiln::cache::digest(key_of(2));
  CHECK(store.write(folder / "b", {id, id}).entries == 1);
  BundledStore reader("", {folder / "b"});
  CHECK(reader.disk.find(key_of(2)));
  CHECK_FALSE(reader.disk.find(key_of(1)));

  const std::string absent(32, '0');
  CHECK(message_of<kiln::CacheError>([&] { store.write(folder / "c", {id, absent}); }) ==
        "cannot export \"" + absent + "\": no entry has that id");
  CHECK_FALSE(std::filesystem::exists(folder / "c"));
  CHECK(message_of<kiln::IoError>([&] { store.write(folder / "none/c"); }) ==
        "cannot create " + folder / "none/c" + ": No such file or directory");

  const std::string file = folder / "cache/" + entry_file(key_of(2));
  std::string bytes = read_text(file);
  bytes[bytes.size() / 2] ^= 1;
  write_text(file, bytes);
  CHECK(message_of<kiln::IoError>([&] { store.write(folder / "c", {id}); }) == "cannot export \"" + id + "\": wrong checksum");
  CHECK(store.write(folder / "c").entries == 4);
  CHECK(store.lines == std::vector<std::string>{"cache entry " + id + " is not exported: wrong checksum"});
  // A sound one of a later tier stands in.
  BundledStore both(folder / "cache", {folder / "b"});
  CHECK(both.write(folder / "d").entries == 5);
}

TEST_CASE("export writes through symbolic links, and takes the place of no pipe") {
  const TemporaryDirectory folder;
  BundledStore store(folder / "cache");
  std::filesystem::create_symlink("later.bundle", folder / "link");
  store.write(folder / "link");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(std::filesystem::is_regular_file(folder / "later.bundle"));
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(message_of<kiln::IoError>([&] { store.write(folder / "fifo"); }) ==
        "cannot write " + folder / "fifo" + ": it is not a regular file");
  CHECK(std::filesystem::is_fifo(folder / "fifo"));
}

TEST_CASE("import mends an entry that is damaged") {
  const TemporaryDirectory folder;
  BundledStore store(folder / "cache");
  store.disk.put(key_of(0), entry_of(0));
  store.write(folder / "b");
  write_text(folder / "cache/" + entry_file(key_of(0)), "not an entry");
  CHECK(import_bundle(store.disk, folder / "b").already == 0);
  CHECK(store.disk.find(key_of(0))->payload == "code 0");
}

TEST_CASE("import makes an entry that says when it was compiled as export writes it") {
  const TemporaryDirectory folder;
  kiln::base::FileError error;
  auto writer = BundleWriter::create(folder / "b", &error);
  REQUIRE(writer);
  REQUIRE_FALSE(
      writer->add(*kiln::base::from_hex(kiln::cache::digest(key_of(0))), kiln::cache::encode(key_of(0), entry_of(0))));
  REQUIRE_FALSE(writer->finish());
  BundledStore store(folder / "cache");
  import_bundle(store.disk, folder / "b");
  const auto found = store.disk.find(key_of(0));
  REQUIRE(found);
  CHECK(found->payload == "code 0");
  CHECK(found->info.compile_ms == 0);
  CHECK(found->info.created_unix == 0);
  CHECK(import_bundle(store.disk, folder / "b").already == 1);
}

TEST_CASE("import counts what it writes, folder by folder") {
  const TemporaryDirectory folder;
  BundledStore from(folder / "from");
  for (int i = 0; i < 2000; ++i) from.disk.put(key_of(i), entry_of(i));
  from.write(folder / "b");
  BundledStore to(folder / "to");
  to.disk.put(key_of(5000), entry_of(5000));
  const auto usage = [&] {
    std::uint64_t bytes = 0, puts = 0;
    std::istringstream(read_text(folder / "to/usage")) >> bytes >> puts;
    return std::pair(bytes, puts);
  };
  import_bundle(to.disk, folder / "b");
  std::uint64_t bytes = 0;
  for (const std::string& file : entries_in(folder / "to")) bytes += std::filesystem::file_size(folder / "to/" + file);
  CHECK(entries_in(folder / "to").size() == 2001);
  CHECK(usage().first == bytes);
  CHECK(usage().second <= 256);
  // Of what is there already nothing is counted.
  import_bundle(to.disk, folder / "b");
  CHECK(usage().first == bytes);
}

TEST_CASE("import evicts what is beyond the bound, the oldest first") {
  const TemporaryDirectory folder;
  BundledStore from(folder / "from");
  for (int i = 0; i < 500; ++i) from.disk.put(key_of(i), entry_of(i));
  const std::uint64_t bytes = from.write(folder / "b").bytes;
  const std::uint64_t bound = bytes + bytes / 4;
  BundledStore to(folder / "to", {}, bound);
  for (int i = 500; i < 1000; ++i) to.disk.put(key_of(i), entry_of(i));
  CHECK(import_bundle(to.disk, folder / "b").already == 0);
  std::uint64_t left = 0;
  for (const std::string& file : entries_in(folder / "to")) left += std::filesystem::file_size(folder / "to/" + file);
  CHECK(left <= bound);
  int imported = 0;
  for (int i = 0; i < 500; ++i) imported += to.disk.find(key_of(i)) ? 1 : 0;
  CHECK(imported == 500);
}

TEST_CASE("nothing is imported of a bundle that is not sound to the last byte") {
  const TemporaryDirectory folder;
  BundledStore from(folder / "from");
  for (int i = 0; i < 3; ++i) from.disk.put(key_of(i), entry_of(i));
  from.write(folder / "b");
  const std::string bytes = read_text(folder / "b");
  BundledStore to(folder / "to");
  const auto refused = [&](const std::string& bad) {
    write_text(folder / "bad", bad);
    const std::string text = message_of<kiln::IoError>([&] { import_bundle(to.disk, folder / "bad"); });
    CHECK(text.starts_with("cannot read bundle " + folder / "bad" + ": "));
    CHECK(entries_in(folder / "to").empty());
  };
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    CAPTURE(i);
    refused(bytes.substr(0, i));
    std::string flipped = bytes;
    flipped[i] ^= 0x20;
    refused(flipped);
  }
  refused(bytes + "x");
  std::string last = bytes;
  last.back() ^= 1;
  refused(last);
  CHECK(message_of<kiln::IoError>([&] { import_bundle(to.disk, folder / "none"); }) ==
        "cannot open bundle " + folder / "none" + ": No such file or directory");
}

TEST_CASE("nothing is imported of a well-formed bundle whose entries are not what they say") {
  const TemporaryDirectory folder;
  const std::string path = "../../../../tmp/evil";
  const std::string reordered = "{\"target\":\"sm_90\"}";
  std::map<kiln::base::Hash128, std::string> entries;
  const auto put = [&](const std::string& key, const std::string& bytes) {
    entries[*kiln::base::from_hex(kiln::cache::digest(key))] = bytes;
  };
  put(key_of(0), kiln::cache::encode(key_of(0), entry_of(0)));
  std::string expected;
  SUBCASE("a digest that is not its key's") {
    put("other", kiln::cache::encode(key_of(1), entry_of(1)));
    expected = "entry " + kiln::cache::digest("other") + " is not sound: its digest is not that of its key";
  }
  SUBCASE("a key that is a path") {
    put(path, kiln::cache::encode(path, entry_of(1)));
    expected = "entry " + kiln::cache::digest(path) + " is not sound: its key is none of this kiln's";
  }
  SUBCASE("a key that lacks members") {
    put(reordered, kiln::cache::encode(reordered, entry_of(1)));
    expected = "entry " + kiln::cache::digest(reordered) + " is not sound: its key is none of this kiln's";
  }
  SUBCASE("no entry") {
    put("other", "text");
    expected = "entry " + kiln::cache::digest("other") + " is not sound: not a kiln cache entry";
  }
  kiln::base::FileError error;
  auto writer = BundleWriter::create(folder / "b", &error);
  REQUIRE(writer);
  for (const auto& [digest, bytes] : entries) REQUIRE_FALSE(writer->add(digest, bytes));
  REQUIRE_FALSE(writer->finish());
  BundledStore to(folder / "to");
  CHECK(message_of<kiln::IoError>([&] { import_bundle(to.disk, folder / "b"); }) ==
        "cannot read bundle " + folder / "b" + ": " + expected);
  CHECK(entries_in(folder / "to").empty());
}

TEST_CASE("import says why a directory cannot take the kernels") {
  const TemporaryDirectory folder;
  BundledStore from(folder / "from");
  for (int i = 0; i < 3; ++i) from.disk.put(key_of(i), entry_of(i));
  const std::string bytes = std::to_string(from.write(folder / "b").bytes);

  BundledStore small(folder / "small", {}, 1000);
  CHECK(message_of<kiln::CacheError>([&] { import_bundle(small.disk, folder / "b"); }) ==
        "cannot import " + folder / "b" + ": its " + bytes +
            " bytes are more than the directory's bound of 1000; raise KILN_CACHE_MAX_BYTES, or name the bundle in "
            "KILN_CACHE_READONLY_DIRS");
  CHECK(entries_in(folder / "small").empty());

  std::filesystem::create_directory(folder / "shared");
  chmod((folder / "shared").c_str(), 0777);
  BundledStore shared(folder / "shared");
  CHECK(message_of<kiln::CacheError>([&] { import_bundle(shared.disk, folder / "b"); }) ==
        "cannot use the cache directory " + folder / "shared" +
            ": it can be written by others (mode 0777); to mend it: chmod 700 " + folder / "shared");
  BundledStore none("");
  CHECK(message_of<kiln::CacheError>([&] { import_bundle(none.disk, folder / "b"); }) ==
        "cannot import " + folder / "b" + ": this cache has no directory");

  write_text(folder / "file", "");
  BundledStore blocked(folder / "file/cache");
  CHECK(message_of<kiln::Error>([&] { import_bundle(blocked.disk, folder / "b"); }) != "no error");
}
