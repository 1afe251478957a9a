#include "cache/tuning_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../base/temporary_directory.hpp"
#include "base/hash.hpp"
#include "cache/disk_store.hpp"
#include "cache/eviction.hpp"
#include "cache/key.hpp"
#include "cache/names.hpp"
#include "cache/verification.hpp"
#include "sample.hpp"

using namespace kiln::cache;
using kiln::test::key_of;
using kiln::test::list_files;
using kiln::test::own_folder;
using kiln::test::read_text;
using kiln::test::sample_entry;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

const std::string kTunedKernel(32, 'a');

TunedShape shape_of(std::int64_t elements, const std::string& device = "GPU, 4 multiprocessors", std::int64_t measured = 1) {
  return {.device = device,
          .driver = "CUDA 13.0",
          .elements = elements,
          .block = 128,
          .accesses = 4,
          .milliseconds = 0.5,
          .model_milliseconds = 0.75,
          .model = false,
          .measured = measured};
}

/// The bytes of a file with another JSON, and the checksum that belongs to it.
std::string forged(const std::string& json, const std::string& head = "kiln tuning 1") {
  const std::string covered = head + "\n" + json + "\n";
  return covered + kiln::base::to_hex(kiln::base::hash128(covered)) + "\n";
}

std::string json_of(const std::string& bytes) {
  const std::size_t begin = bytes.find('\n') + 1;
  return bytes.substr(begin, bytes.find('\n', begin) - begin);
}

std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), other);
}

std::string reason(const std::string& bytes, const std::string& digest = kTunedKernel) {
  Flaw why;
  CHECK_FALSE(decode_tuning(bytes, digest, &why));
  CHECK(why.reason != Miss::absent);
  return why.text;
}

}  // namespace

TEST_CASE("tuning file: shapes come back as they were") {
  const std::vector<TunedShape> shapes{shape_of(1000), shape_of(1 << 24, "other")};
  const auto back = decode_tuning(encode_tuning(kTunedKernel, shapes), kTunedKernel, nullptr);
  REQUIRE(back);
  REQUIRE(back->size() == 2);
  const TunedShape& second = (*back)[1];
  CHECK(tuned_on(second) == TunedOn{"other", "CUDA 13.0"});
  CHECK(second.elements == 1 << 24);
  CHECK(second.block == 128);
  CHECK(second.accesses == 4);
  CHECK(second.milliseconds == 0.5);
  CHECK(second.model_milliseconds == 0.75);
  CHECK_FALSE(second.model);
  CHECK(second.measured == 1);
}

TEST_CASE("tuning file: a change of any byte, and any truncation, is damage") {
  const std::string good = encode_tuning(kTunedKernel, std::vector{shape_of(1000)});
  REQUIRE(decode_tuning(good, kTunedKernel, nullptr));
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned bit : {0x01U, 0x20U, 0x80U}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ bit);
      Flaw why;
      const bool none = !decode_tuning(bytes, kTunedKernel, &why);
      CAPTURE(i);
      CHECK(none);
      CHECK(why.reason == Miss::damaged);
    }
    CHECK_FALSE(decode_tuning(std::string_view(good).substr(0, i), kTunedKernel, nullptr));
  }
  CHECK(reason("") == "no result of kiln tune");
  CHECK(reason("kiln tuning 1") == "truncated");
  CHECK(reason(good + "\n") == "wrong checksum");
}

TEST_CASE("tuning file: another version is told from damage, another kernel's file is not used") {
  const std::string good = encode_tuning(kTunedKernel, std::vector{shape_of(1000)});
  Flaw why;
  CHECK_FALSE(decode_tuning(forged(json_of(good), "kiln tuning 2"), kTunedKernel, &why));
  CHECK(why.reason == Miss::other_format);
  CHECK(why.text == "format version 2, this kiln reads 1");
  CHECK(reason(good, std::string(32, 'b')) == "made for another kernel");
}

TEST_CASE("tuning file: what has a checksum and is out of range is damage, too") {
  const std::string json = json_of(encode_tuning(kTunedKernel, std::vector{shape_of(1000)}));
  REQUIRE(decode_tuning(forged(json), kTunedKernel, nullptr));
  const std::string unreadable = "unreadable result of kiln tune";
  CHECK(reason(forged("[]")) == unreadable);
  CHECK(reason(forged("{")) == unreadable);
  CHECK(reason(forged("{\"id\":\"" + kTunedKernel + "\"}")) == unreadable);
  CHECK(reason(forged("{\"id\":\"" + kTunedKernel + "\",\"shapes\":[]}")) == unreadable);
  CHECK(reason(forged("{\"id\":\"" + kTunedKernel + "\",\"shapes\":[3]}")) == unreadable);
  CHECK(reason(forged(std::string(30'000, '['))) == unreadable);
  for (const char* const block : {"0", "-64", "1025", "4294967296", "18446744073709551615", "1e3", "\"64\"", "null"}) {
    CHECK(reason(forged(with(json, "\"block\":128", std::string("\"block\":") + block))) == unreadable);
  }
  for (const char* const accesses : {"0", "17", "-1"}) {
    CHECK(reason(forged(with(json, "\"accesses\":4", std::string("\"accesses\":") + accesses))) == unreadable);
  }
  CHECK(reason(forged(with(json, "\"elements\":1000", "\"elements\":0"))) == unreadable);
  CHECK(reason(forged(with(json, "\"ms\":0.5", "\"ms\":-1"))) == unreadable);
  CHECK(reason(forged(with(json, "\"ms\":0.5", "\"ms\":1e999"))) == unreadable);
  CHECK(reason(forged(with(json, "\"model\":false", "\"model\":0"))) == unreadable);
  CHECK(reason(forged(with(json, "\"device\":\"GPU", "\"device\":\"" + std::string(300, 'x')))) == unreadable);
  // Names are for people: nothing in them moves a terminal's cursor.
  const auto steering = decode_tuning(forged(with(json, "GPU,", "G\\u001bU,")), kTunedKernel, nullptr);
  REQUIRE(steering);
  CHECK(steering->front().device == "G?U, 4 multiprocessors");
}

TEST_CASE("tuning file: a shape takes the place of those of its device and size class, and the oldest goes") {
  CHECK(size_class(-1) == 0);
  CHECK(size_class(3) == 0);
  CHECK(size_class(4) == 1);
  CHECK(size_class(15) == 1);
  CHECK(size_class(std::numeric_limits<std::int64_t>::max()) == 31);
  std::vector<TunedShape> shapes{shape_of(1000, "a"), shape_of(1000, "b"), shape_of(100'000, "a")};
  TunedShape later = shape_of(1023, "a");  // between 4^4 and 4^5, too
  later.driver = "CUDA 13.1";
  replace_shape(shapes, later);
  REQUIRE(shapes.size() == 3);
  CHECK(shapes.back().driver == "CUDA 13.1");
  CHECK(std::ranges::count(shapes, std::int64_t{1000}, &TunedShape::elements) == 1);
  for (int i = 0; i < 100; ++i) replace_shape(shapes, shape_of(1000, "device " + std::to_string(i), 100 + i));
  CHECK(shapes.size() == kMaxTunedShapes);
  CHECK(std::ranges::min(shapes, {}, &TunedShape::measured).measured == 136);
  CHECK(decode_tuning(encode_tuning(kTunedKernel, shapes), kTunedKernel, nullptr));
}

TEST_CASE("tuning file: a store keeps shapes beside the entry, and says what of them is damaged") {
  const TemporaryDirectory folder;
  std::vector<std::string> log;
  DiskStore store(folder.path(), {}, 1 << 30, [&](const std::string& line) { log.push_back(line); });
  store.put(key_of(0), sample_entry());
  const std::string digest = kiln::cache::digest(key_of(0));
  CHECK(store.tuning(digest).empty());
  CHECK(log.empty());
  REQUIRE(store.put_tuning(digest, shape_of(1000)));
  REQUIRE(store.put_tuning(digest, shape_of(100'000)));
  CHECK(store.tuning(digest).size() == 2);
  const std::string file = folder / tuning_path(digest);
  struct stat status{};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600U);
  // The estimate counts it, and listings do not.
  CHECK(read_text(folder / "usage").ends_with(" 2\n"));
  CHECK(store.tiers().front()->heads().size() == 1);

  // A program that has it read-only uses it as well, and cannot write there.
  DiskStore other("", {folder.path()}, 1 << 30, nullptr);
  CHECK(other.tuning(digest).size() == 2);
  CHECK_FALSE(other.put_tuning(digest, shape_of(1000)));

  write_text(file, "half");
  CHECK(store.tuning(digest).empty());
  REQUIRE(log.size() == 1);
  CHECK(log[0] == "tuning result " + file + " is not used: no result of kiln tune; remove it");
  CHECK(store.find(key_of(0)));
  REQUIRE(store.put_tuning(digest, shape_of(1000)));
  CHECK(store.tuning(digest).size() == 1);

  // Others could have written it.
  chmod(file.c_str(), 0666);
  CHECK(store.tuning(digest).empty());
  CHECK(log.back() == "tuning result " + file + " is not used: others could have written it; remove it");
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/dev/zero", file);
  CHECK(store.tuning(digest).empty());
  CHECK(log.back() == "tuning result " + file + " is not used: a symbolic link; remove it");
}

TEST_CASE("tuning file: the bound counts it, and it goes with its entry") {
  const TemporaryDirectory folder;
  DiskStore store(folder.path(), {}, 1 << 30, nullptr);
  for (int i = 0; i < 3; ++i) {
    store.put(key_of(i), sample_entry(std::string(1000, 'x')));
    REQUIRE(store.put_tuning(kiln::cache::digest(key_of(i)), shape_of(1000)));
    const timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    utimensat(AT_FDCWD, (folder / kiln::test::entry_file(key_of(i))).c_str(), times, 0);
  }
  const std::string orphan(32, 'e');
  REQUIRE(store.put_tuning(orphan, shape_of(1000)));
  const std::uint64_t entry = std::filesystem::file_size(folder / kiln::test::entry_file(key_of(0)));
  const std::uint64_t tuning = std::filesystem::file_size(folder / tuning_path(orphan));

  const Swept none = remove_entries(own_folder(folder.path()), {.max_bytes = 1 << 30});
  CHECK(none.removed == 0);
  CHECK(none.bytes_left == 3 * entry + 4 * tuning);
  const Swept oldest = remove_entries(own_folder(folder.path()), {.max_bytes = 3 * entry + 4 * tuning - 1});
  CHECK(oldest.removed == 1);
  CHECK(oldest.removed_bytes == entry + tuning);
  CHECK_FALSE(std::filesystem::exists(folder / tuning_path(kiln::cache::digest(key_of(0)))));
  CHECK(std::filesystem::exists(folder / tuning_path(kiln::cache::digest(key_of(1)))));
  const Swept all = remove_entries(own_folder(folder.path()), {.everything = true});
  CHECK(all.removed == 2);  // entries: what was measured for none is not counted
  CHECK(all.removed_bytes == 2 * entry + 3 * tuning);
  CHECK(all.bytes_left == 0);
  CHECK(std::ranges::none_of(list_files(folder.path()), [](const std::string& name) { return name.ends_with(".tune"); }));
}

TEST_CASE("tuning file: verify names what is damaged, and what was measured elsewhere") {
  const TemporaryDirectory folder;
  DiskStore store(folder.path(), {}, 1 << 30, nullptr);
  const auto digest_of = [](int i) { return kiln::cache::digest(key_of(i)); };
  for (int i = 0; i < 4; ++i) store.put(key_of(i), sample_entry());
  REQUIRE(store.put_tuning(digest_of(0), shape_of(1000, "here")));
  REQUIRE(store.put_tuning(digest_of(1), shape_of(1000, "elsewhere")));
  REQUIRE(store.put_tuning(digest_of(2), shape_of(1000, "here")));
  REQUIRE(store.put_tuning(digest_of(3), shape_of(1000, "here")));
  TunedShape old = shape_of(100'000, "here");
  old.driver = "CUDA 12.4";
  REQUIRE(store.put_tuning(digest_of(0), old));
  std::string bytes = read_text(folder / tuning_path(digest_of(2)));
  bytes[40] ^= 1;
  write_text(folder / tuning_path(digest_of(2)), bytes);
  write_text(folder / tuning_path(digest_of(3)), read_text(folder / tuning_path(digest_of(0))));
  write_text(folder / (tuning_path(digest_of(0)) + ".tmp-1-2-3"), "half");

  int asked = 0;
  const auto here = [&] {
    ++asked;
    return std::vector<TunedOn>{{"here", "CUDA 13.0"}};
  };
  for (const bool fix : {false, true}) {
    Verification found = verify_directory(own_folder(folder.path()), fix, here);
    CHECK(found.entries == 4);
    CHECK(found.tuned == 2);
    std::ranges::sort(found.faults, {}, &Verification::Fault::reason);
    REQUIRE(found.faults.size() == 3);
    CHECK(found.faults[0].reason == "left by a process that died");
    CHECK(found.faults[1].reason == "made for another kernel");
    CHECK(found.faults[2].reason == "wrong checksum");
    CHECK(found.faults[2].path == tuning_path(digest_of(2)));
    CHECK(found.faults[2].mended == fix);
    std::ranges::sort(found.not_used, {}, &Verification::Fault::reason);
    REQUIRE(found.not_used.size() == 2);
    CHECK(found.not_used[0].path == tuning_path(digest_of(1)));
    CHECK(found.not_used[0].reason == "measured on elsewhere, which is not here");
    CHECK(found.not_used[1].path == tuning_path(digest_of(0)));
    CHECK(found.not_used[1].reason == "measured with CUDA 12.4, and here has CUDA 13.0 now");
  }
  CHECK(asked == 2);
  CHECK(std::filesystem::exists(folder / tuning_path(digest_of(1))));
  CHECK_FALSE(std::filesystem::exists(folder / tuning_path(digest_of(2))));
  std::filesystem::remove(folder / tuning_path(digest_of(0)));
  std::filesystem::remove(folder / tuning_path(digest_of(1)));
  CHECK(verify_directory(own_folder(folder.path()), false, here).tuned == 0);
  CHECK(asked == 2);  // drivers are opened for results alone
}
