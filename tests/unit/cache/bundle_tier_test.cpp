#include "cache/bundle_tier.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "../base/temporary_directory.hpp"
#include "cache/bundle_exchange.hpp"
#include "cache/disk_store.hpp"
#include "sample.hpp"

using kiln::base::from_hex;
using kiln::cache::Bundle;
using kiln::cache::BundleTier;
using kiln::cache::BundleWriter;
using kiln::cache::DiskStore;
using kiln::cache::Flaw;
using kiln::cache::Miss;
using kiln::cache::Trust;
using kiln::test::key_of;
using kiln::test::sample_entry;
using kiln::test::TemporaryDirectory;

namespace {

/// A bundle of these kernels, whatever their bytes.
void bundle_kernels(const std::string& path, const std::map<std::string, std::string>& entries) {
  kiln::base::FileError error;
  auto writer = BundleWriter::create(path, &error);
  REQUIRE(writer);
  for (const auto& [digest, bytes] : entries) REQUIRE_FALSE(writer->add(*from_hex(digest), bytes));
  REQUIRE_FALSE(writer->finish());
}

std::map<std::string, std::string> some_kernels(int count) {
  std::map<std::string, std::string> entries;
  for (int i = 0; i < count; ++i) {
    entries[kiln::cache::digest(key_of(i))] = kiln::cache::encode(key_of(i), sample_entry("code " + std::to_string(i)));
  }
  return entries;
}

BundleTier open(const std::string& path) {
  kiln::base::FileError error;
  auto bundle = Bundle::open(path, &error);
  REQUIRE_MESSAGE(bundle, error.text);
  return BundleTier(*std::move(bundle));
}

}  // namespace

TEST_CASE("a bundle tier finds, lists and reads what a directory tier would") {
  const TemporaryDirectory folder;
  bundle_kernels(folder / "b", some_kernels(40));
  const BundleTier tier = open(folder / "b");
  CHECK(tier.path() == folder / "b");
  std::set<std::string> all;
  tier.visit_digests("", [&](const std::string& digest) { all.insert(digest); });
  CHECK(all.size() == 40);
  for (int i = 0; i < 40; ++i) {
    const std::string digest = kiln::cache::digest(key_of(i));
    CHECK(all.contains(digest));
    const auto found = tier.find(key_of(i), digest);
    REQUIRE(found);
    CHECK(found->payload == "code " + std::to_string(i));
    CHECK(tier.key(digest) == key_of(i));
    const auto head = tier.head(digest);
    REQUIRE(head);
    CHECK(head->info.kernel == "saxpy");
    CHECK(head->info.body.empty());
    CHECK(head->code_bytes == found->payload.size());
    CHECK(head->bytes == found.bytes);
    CHECK(head->used == 0);
    CHECK(tier.read(digest, nullptr)->record.info.body == "return a;");
    std::set<std::string> some;
    for (const std::size_t digits : {1U, 2U, 3U, 31U, 32U}) {
      tier.visit_digests(digest.substr(0, digits), [&](const std::string& other) {
        CHECK(other.starts_with(digest.substr(0, digits)));
        some.insert(other);
      });
      CHECK(some.contains(digest));
    }
  }
  const auto nothing = [](const std::string& digest) { FAIL(digest); };
  for (const char* prefix : {"g", "../", "A", "000000000000000000000000000000000000"}) tier.visit_digests(prefix, nothing);
  const std::string absent = kiln::cache::digest("none");
  CHECK(tier.find("none", absent).flaw.reason == Miss::absent);
  CHECK_FALSE(tier.head(absent));
  CHECK_FALSE(tier.key(absent));
  Flaw flaw{.reason = Miss::damaged};
  CHECK_FALSE(tier.read(absent, &flaw));
  CHECK(flaw.reason == Miss::absent);
}

TEST_CASE("each entry of a bundle is verified when it is read, by its own checksum and key") {
  const TemporaryDirectory folder;
  auto entries = some_kernels(2);
  const std::string key = key_of(0);
  const std::string digest = kiln::cache::digest(key);
  SUBCASE("damaged") {
    entries[digest].back() ^= 1;
    bundle_kernels(folder / "b", entries);
    const BundleTier tier = open(folder / "b");
    CHECK(tier.find(key, digest).flaw.reason == Miss::damaged);
    CHECK(tier.find(key, digest).flaw.text == "wrong checksum");
    std::vector<std::string> lines;
    DiskStore store("", {folder / "b"}, 1 << 20, [&](const std::string& line) { lines.push_back(line); });
    CHECK_FALSE(store.find(key));
    CHECK(lines == std::vector<std::string>{"cache entry " + digest + " of bundle " + folder / "b" +
                                            " is not used: wrong checksum; export that bundle again"});
    CHECK_FALSE(tier.read(digest, nullptr));
  }
  SUBCASE("another kernel's") {
    entries[digest] = entries[kiln::cache::digest(key_of(1))];
    bundle_kernels(folder / "b", entries);
    const BundleTier tier = open(folder / "b");
    CHECK(tier.find(key, digest).flaw.reason == Miss::other_key);
    Flaw flaw;
    CHECK_FALSE(tier.read(digest, &flaw));
    CHECK(flaw.text == "its name is not that of its key");
  }
  SUBCASE("no entry at all") {
    entries[digest] = "/etc/passwd";
    bundle_kernels(folder / "b", entries);
    const BundleTier tier = open(folder / "b");
    CHECK(tier.find(key, digest).flaw.text == "not a kiln cache entry");
    CHECK_FALSE(tier.head(digest));
    CHECK_FALSE(tier.key(digest));
  }
  SUBCASE("written to while it is open") {
    bundle_kernels(folder / "b", entries);
    const BundleTier tier = open(folder / "b");
    REQUIRE(tier.find(key, digest));
    std::filesystem::resize_file(folder / "b", 16);
    CHECK_FALSE(tier.find(key, digest));
    CHECK(tier.find(key, digest).flaw.text == "cannot read bundle " + folder / "b" + ": it became shorter while it was read");
  }
}

TEST_CASE("a store finds kernels in a bundle, also in one that is replaced while it is open") {
  const TemporaryDirectory folder;
  bundle_kernels(folder / "b", some_kernels(3));
  std::vector<std::string> lines;
  DiskStore store("", {folder / "b"}, 1 << 20, [&](const std::string& line) { lines.push_back(line); });
  const auto found = store.find(key_of(1));
  REQUIRE(found);
  CHECK(found->payload == "code 1");
  CHECK(found.read_only);
  bundle_kernels(folder / "b", {});
  CHECK(store.find(key_of(2))->payload == "code 2");
  CHECK_FALSE(store.find(key_of(3)));
  CHECK(lines.empty());
  DiskStore later("", {folder / "b"}, 1 << 20, nullptr);
  CHECK_FALSE(later.find(key_of(1)));
}

TEST_CASE("a bundle that others could write, or that is damaged, is refused with one line") {
  const TemporaryDirectory folder;
  const std::string path = folder / "sub/b";
  std::filesystem::create_directory(folder / "sub");
  bundle_kernels(path, some_kernels(1));
  std::string expected;
  SUBCASE("by its mode") {
    chmod(path.c_str(), 0664);
    expected = "it can be written by others (mode 0664); to mend it: chmod go-w " + path;
  }
  SUBCASE("by its folder's") {
    chmod((folder / "sub").c_str(), 0777);
    expected =
        "others can replace it, since its folder can be written by them (mode 0777); to mend it: chmod go-w " + folder / "sub/";
  }
  SUBCASE("by the folder of what it is a symbolic link to") {
    std::filesystem::create_directory(folder / "open");
    std::filesystem::create_directory(folder / "target");
    std::filesystem::rename(path, folder / "target/b");
    REQUIRE(symlink("../open/link", path.c_str()) == 0);
    REQUIRE(symlink((folder / "target/b").c_str(), (folder / "open/link").c_str()) == 0);
    std::string refused = folder / "sub/../open/";
    SUBCASE("or to a link there") {
      chmod((folder / "open").c_str(), 0777);
    }
    SUBCASE("itself") {
      chmod((refused = folder / "target/").c_str(), 0777);
    }
    expected = "others can replace it, since its folder can be written by them (mode 0777); to mend it: chmod go-w " + refused;
  }
  SUBCASE("by its bytes") {
    std::filesystem::resize_file(path, 70);
    expected = "cannot read bundle " + path + ": truncated, or other bytes follow its end";
  }
  SUBCASE("by being something else") {
    kiln::test::write_text(path, "#!/bin/sh\n");
    expected = "cannot read bundle " + path + ": not a kiln bundle";
  }
  std::vector<std::string> lines;
  DiskStore store("", {path}, 1 << 20, [&](const std::string& line) { lines.push_back(line); });
  CHECK_FALSE(store.find(key_of(0)));
  CHECK_FALSE(store.find(key_of(0)));
  CHECK(lines == std::vector<std::string>{"read-only cache bundle " + path + " is not used: " + expected});
}

TEST_CASE("a bundle in a sticky folder, and one that comes later, are used") {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder / "sub");
  chmod((folder / "sub").c_str(), 01777);
  DiskStore store("", {folder / "sub/b"}, 1 << 20, nullptr);
  CHECK_FALSE(store.find(key_of(0)));
  bundle_kernels(folder / "sub/b", some_kernels(1));
  CHECK(store.find(key_of(0)));
}
