#include "cache/bundle.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "../base/temporary_directory.hpp"
#include "cache/entry.hpp"

using kiln::base::FileError;
using kiln::base::Hash128;
using kiln::base::hash128;
using kiln::cache::Bundle;
using kiln::cache::BundleItem;
using kiln::cache::BundleWriter;
using kiln::test::read_text;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

// The layout, stated a second time: what is forged here must not come from the code that is tested.
constexpr std::size_t kHeader = 16;
constexpr std::size_t kItem = 32;
constexpr std::size_t kFooter = 48;

using Entries = std::map<Hash128, std::string>;

// "Entries" of these tests are sound where their digest is their hash.
Entries some_entries(int count) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    std::string bytes = "entry " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 50), '.');
    entries.emplace(hash128(bytes), std::move(bytes));
  }
  return entries;
}

void write_bundle(const std::string& path, const Entries& entries) {
  FileError error;
  auto writer = BundleWriter::create(path, &error);
  REQUIRE(writer);
  for (const auto& [digest, bytes] : entries) REQUIRE_FALSE(writer->add(digest, bytes));
  REQUIRE_FALSE(writer->finish());
}

std::string check(const BundleItem& item, std::string_view bytes) {
  return hash128(bytes) == item.digest ? "" : "wrong hash";
}

// "" where the bytes are a sound bundle, else the reason without the path.
std::string reason_of_bundle(const std::string& path, std::string_view bytes) {
  write_text(path, std::string(bytes));
  FileError error;
  const auto bundle = Bundle::open(path, &error);
  if (bundle) {
    const auto fault = bundle->verify(check);
    if (!fault) return "";
    error = *fault;
  }
  const std::string prefix = "cannot read bundle " + path + ": ";
  CHECK(error.text.starts_with(prefix));
  return error.text.substr(std::min(prefix.size(), error.text.size()));
}

void put_integer(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

std::uint64_t get_integer(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// A forger can compute checksums too.
std::string with_checksums(std::string bytes, std::size_t index) {
  const auto put = [&](std::size_t at, const Hash128& hash) { std::memcpy(bytes.data() + at, hash.data(), hash.size()); };
  put(bytes.size() - 32, hash128(std::string_view(bytes).substr(index, bytes.size() - 32 - index)));
  put(bytes.size() - 16, hash128(std::string_view(bytes).substr(0, bytes.size() - 16)));
  return bytes;
}

}  // namespace

TEST_CASE("a bundle gives back what was put in, by number and by digest") {
  const TemporaryDirectory folder;
  for (const int count : {0, 1, 2, 3, 100, 5000}) {
    CAPTURE(count);
    const Entries entries = some_entries(count);
    write_bundle(folder / "b", entries);
    FileError error;
    const auto bundle = Bundle::open(folder / "b", &error);
    REQUIRE_MESSAGE(bundle, error.text);
    CHECK(bundle->count() == entries.size());
    CHECK(bundle->size() == std::filesystem::file_size(folder / "b"));
    CHECK((bundle->mode() & 07777U) == 0644);
    CHECK_FALSE(bundle->verify(check));
    std::uint64_t i = 0;
    for (const auto& [digest, bytes] : entries) {
      const auto found = bundle->find(digest, &error);
      REQUIRE(found);
      REQUIRE(bundle->read(*found, &error) == bytes);
      REQUIRE(bundle->item(i++, &error)->offset == found->offset);
    }
    for (const Hash128& absent : {hash128("none"), hash128("neither"), Hash128{}, hash128("x")}) {
      CHECK_FALSE(bundle->find(absent, &error));
      CHECK(error.text.empty());
    }
    Hash128 last;
    last.fill(0xff);
    CHECK_FALSE(bundle->find(last, &error));
  }
}

TEST_CASE("the layout is the one that is written down, and the same entries give the same bytes") {
  const TemporaryDirectory folder;
  const Entries entries = some_entries(3);
  write_bundle(folder / "b", entries);
  std::string expected("kilnb\r\n\x1a\x01\0\0\0\0\0\0\0", 16);
  std::string index;
  for (const auto& [digest, bytes] : entries) {
    std::string item(32, '\0');
    std::memcpy(item.data(), digest.data(), 16);
    put_integer(item, 16, expected.size());
    put_integer(item, 24, bytes.size());
    index += item;
    expected += bytes;
  }
  const std::size_t at = expected.size();
  expected += index + std::string(48, '\0');
  put_integer(expected, expected.size() - 48, at);
  put_integer(expected, expected.size() - 40, 3);
  CHECK(read_text(folder / "b") == with_checksums(expected, at));
}

TEST_CASE("a writer refuses what no reader would take, and leaves nothing without finish") {
  const TemporaryDirectory folder;
  FileError error;
  {
    auto writer = BundleWriter::create(folder / "b", &error);
    REQUIRE(writer);
    const Hash128 low{1};
    const Hash128 high{2};
    CHECK(writer->add(high, "").value().text == "cannot put an entry of 0 bytes into a bundle");
    CHECK_FALSE(writer->add(high, "x"));
    CHECK(writer->add(high, "x").value().text == "the entries of a bundle must be sorted");
    CHECK(writer->add(low, "x").value().text == "the entries of a bundle must be sorted");
  }
  CHECK(kiln::test::list_files(folder.path()).empty());
}

TEST_CASE("a bundle that ends at any earlier byte is refused") {
  const TemporaryDirectory folder;
  write_bundle(folder / "b", some_entries(5));
  const std::string bytes = read_text(folder / "b");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    const std::string why = reason_of_bundle(folder / "cut", std::string_view(bytes).substr(0, length));
    CHECK(why == (length < 8                   ? "not a kiln bundle"
                  : length < kHeader + kFooter ? "truncated"
                                               : "truncated, or other bytes follow its end"));
  }
  for (const std::size_t extra : {1U, 31U, 32U, 48U, 1000U}) {
    CHECK(reason_of_bundle(folder / "long", bytes + std::string(extra, '\0')) == "truncated, or other bytes follow its end");
  }
  CHECK(reason_of_bundle(folder / "twice", bytes + bytes) == "truncated, or other bytes follow its end");
}

TEST_CASE("a bundle with any byte changed is refused") {
  const TemporaryDirectory folder;
  write_bundle(folder / "b", some_entries(5));
  const std::string bytes = read_text(folder / "b");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      CAPTURE(i);
      CHECK_FALSE(reason_of_bundle(folder / "flipped", damaged).empty());
    }
  }
}

TEST_CASE("what is forged with right checksums is refused for what it says") {
  const TemporaryDirectory folder;
  const Entries entries = some_entries(4);
  write_bundle(folder / "b", entries);
  const std::string bytes = read_text(folder / "b");
  const std::size_t index = get_integer(bytes, bytes.size() - kFooter);
  const auto forged = [&](auto change) {
    std::string copy = bytes;
    change(copy);
    return reason_of_bundle(folder / "forged", with_checksums(copy, index));
  };
  REQUIRE(forged([](std::string&) {}) == "");
  const std::size_t offset = index + kItem + 16;
  const std::size_t size = index + kItem + 24;

  SUBCASE("foreign and newer files") {
    CHECK(reason_of_bundle(folder / "b", "") == "not a kiln bundle");
    CHECK(reason_of_bundle(
              folder / "b",
              "\x7f" + std::string("ELF and so on, long enough to be a bundle; it has no index, and no checksums")) ==
          "not a kiln bundle");
    CHECK(forged([](std::string& b) { b[8] = 2; }) == "it is of format version 2, and this kiln reads 1");
    CHECK(forged([](std::string& b) { b[12] = 1; }) == "its header is damaged");
  }
  SUBCASE("an entry twice, and an index that is not sorted") {
    CHECK(forged([&](std::string& b) { b.replace(index + kItem, 16, b, index, 16); }) == "its index has an entry twice");
    CHECK(forged([&](std::string& b) {
            const std::string first = b.substr(index, 16);
            b.replace(index, 16, b, index + kItem, 16);
            b.replace(index + kItem, 16, first);
          }) == "its index is not sorted");
  }
  SUBCASE("ranges that overlap, have gaps, or reach beyond") {
    const std::string order = "its index has entries that do not follow one another";
    CHECK(forged([&](std::string& b) { put_integer(b, offset, get_integer(b, offset) - 1); }) == order);
    CHECK(forged([&](std::string& b) { put_integer(b, offset, get_integer(b, offset) + 1); }) == order);
    CHECK(forged([&](std::string& b) { put_integer(b, offset, kHeader); }) == order);
    CHECK(forged([&](std::string& b) { put_integer(b, offset, ~std::uint64_t{0}); }) == order);
    CHECK(forged([&](std::string& b) { put_integer(b, index + 16, 0); }) == order);
    CHECK(forged([&](std::string& b) { put_integer(b, size, get_integer(b, size) + 1); }) == order);
    const std::size_t last = index + 3 * kItem + 24;
    CHECK(forged([&](std::string& b) { put_integer(b, last, get_integer(b, last) + 1); }) ==
          "its index has an entry that reaches beyond the others' end");
    CHECK(forged([&](std::string& b) { put_integer(b, last, get_integer(b, last) - 1); }) ==
          "bytes between its entries and its index belong to neither");
  }
  SUBCASE("sizes of nothing, and of everything") {
    CHECK(forged([&](std::string& b) { put_integer(b, size, 0); }) == "its index has an entry of 0 bytes");
    for (const std::uint64_t huge : {~std::uint64_t{0}, std::uint64_t{1} << 63, kiln::cache::kMaxEntryBytes + 1}) {
      CHECK(forged([&](std::string& b) { put_integer(b, size, huge); }) ==
            "its index has an entry of " + std::to_string(huge) + " bytes");
    }
    CHECK(forged([&](std::string& b) { put_integer(b, size, kiln::cache::kMaxEntryBytes); }) ==
          "its index has an entry that reaches beyond the others' end");
  }
  SUBCASE("counts and places of the index") {
    const std::string truncated = "truncated, or other bytes follow its end";
    const std::size_t footer = bytes.size() - kFooter;
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{5}, ~std::uint64_t{0},
                                      (std::uint64_t{1} << 59) + 4, std::uint64_t{1} << 63}) {
      CHECK(forged([&](std::string& b) { put_integer(b, footer + 8, value); }) == truncated);
    }
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{bytes.size()}, ~std::uint64_t{0} - 15}) {
      CHECK(forged([&](std::string& b) { put_integer(b, footer, value); }) == truncated);
    }
  }
  SUBCASE("an entry that is not what its digest says, under right checksums") {
    const std::string digest = kiln::base::to_hex(entries.begin()->first);
    CHECK(forged([](std::string& b) { b[kHeader] ^= 1; }) == "entry " + digest + " is not sound: wrong hash");
    CHECK(forged([&](std::string& b) { std::memset(b.data() + index, 0, 16); }) ==
          "entry 00000000000000000000000000000000 is not sound: wrong hash");
  }
}

TEST_CASE("only regular files are opened, and an open one survives being replaced or cut") {
  const TemporaryDirectory folder;
  FileError error;
  CHECK_FALSE(Bundle::open(folder / "none", &error));
  CHECK(error.code == ENOENT);
  CHECK(error.text == "cannot open bundle " + folder / "none" + ": No such file or directory");
  CHECK_FALSE(Bundle::open(folder.path(), &error));
  CHECK(error.text == "cannot read bundle " + folder.path() + ": not a regular file");
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK_FALSE(Bundle::open(folder / "fifo", &error));
  CHECK(error.text == "cannot read bundle " + folder / "fifo" + ": not a regular file");

  const Entries entries = some_entries(10);
  write_bundle(folder / "b", entries);
  const auto bundle = Bundle::open(folder / "b", &error);
  REQUIRE(bundle);
  write_bundle(folder / "b", {});
  CHECK_FALSE(bundle->verify(check));
  CHECK(bundle->count() == 10);

  write_bundle(folder / "c", entries);
  const auto cut = Bundle::open(folder / "c", &error);
  REQUIRE(cut);
  std::filesystem::resize_file(folder / "c", 20);
  CHECK(cut->verify(check).value().text == "cannot read bundle " + folder / "c" + ": it became shorter while it was read");
  CHECK_FALSE(cut->find(entries.begin()->first, &error));
  CHECK(error.text == "cannot read bundle " + folder / "c" + ": it became shorter while it was read");
}
