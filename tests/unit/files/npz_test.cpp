// .npz archives that NumPy wrote, and what damage is told.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../base/temporary_directory.hpp"
#include "kiln/kiln.hpp"
#include "support/message.hpp"

namespace {

using namespace kiln;
using test::message_of;
using test::TemporaryDirectory;

std::string npz_of(const std::string& name) {
  return std::string(KILN_GOLDEN_DIR) + "/npz/" + name + ".npz";
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_all(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<float> quarters() {
  std::vector<float> values(12);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 4;
  return values;
}

/// Of arrays without gaps, as files give them.
bool same_bytes(const Array& a, const Array& b) {
  return a.strides() == b.strides() && a.nbytes() == b.nbytes() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.nbytes())) == 0;
}

void check_arrays(const std::string& path) {
  CHECK(npz_names(path) == std::vector<std::string>{"x", "y", "flags", "none", "one"});
  const Array x = load_npz(path, "x");
  CHECK(x.shape() == Shape{3, 4});
  CHECK(x.to_vector<float>() == quarters());
  const Array y = load_npz(path, "y");
  CHECK(y.dtype() == DType::float64);
  CHECK(y.is_f_contiguous());
  CHECK(y.astype(DType::float32).to_vector<float>() == quarters());
  CHECK(load_npz(path, "flags").to_vector<bool>() == std::vector<bool>{true, false, true});
  CHECK(load_npz(path, "none").shape() == Shape{0, 3});
  CHECK(load_npz(path, "one").item<std::int64_t>() == 7);
  const auto all = load_npz(path);
  REQUIRE(all.size() == 5);
  CHECK(all[4].first == "one");
  CHECK(all[0].second.to_vector<float>() == quarters());
}

}  // namespace

TEST_CASE("npz: stored and deflated archives, and one of 64-bit sizes") {
  for (const char* const name : {"stored", "deflated", "large_table"}) {
    CAPTURE(name);
    check_arrays(npz_of(name));
  }
  const auto many = load_npz(npz_of("many"));
  REQUIRE(many.size() == 300);
  CHECK(many[299].first == "a299");
  CHECK(many[299].second.to_vector<std::int32_t>() == std::vector<std::int32_t>(100, 299));
}

TEST_CASE("npz: a large member that is packed well") {
  // As numpy.savez_compressed packs zeros: a thousand to one.
  const TemporaryDirectory folder;
  CHECK(std::system(("cd '" + folder.path() +
                     "' && python3 -c \"import zipfile; n = 1 << 22; h = (\\\"{'descr': '<f8', 'fortran_order': False, "
                     "'shape': (%d,), }\\\" % n).ljust(117).encode() + b'\\n'; zipfile.ZipFile('z.npz', 'w', "
                     "zipfile.ZIP_DEFLATED).writestr('z.npy', b'\\x93NUMPY\\x01\\x00' + bytes([118, 0]) + h + bytes(8 * n))\"")
                        .c_str()) == 0);
  CHECK(std::filesystem::file_size(folder / "z.npz") < 100'000);
  const Array zeros = load_npz(folder / "z.npz", "z");
  CHECK(zeros.size() == 1 << 22);
  CHECK(zeros.as<double>()[12345] == 0);
}

TEST_CASE("npz: what is wrong is told, with the member and the place") {
  const TemporaryDirectory folder;
  const std::string path = folder / "a.npz";
  const auto error = [&](const std::string& bytes) {
    write_all(path, bytes);
    const std::string said = message_of([&] { static_cast<void>(load_npz(path, "x")); });
    const std::string begin = "failed to read \"" + path + "\": ";
    CHECK(said.starts_with(begin));
    return said.substr(std::min(begin.size(), said.size()));
  };
  const std::string stored = read_all(npz_of("stored"));
  const std::string deflated = read_all(npz_of("deflated"));
  CHECK(message_of([&] { static_cast<void>(load_npz(folder / "none.npz", "x")); }) ==
        "failed to read \"" + (folder / "none.npz") + "\": No such file or directory");
  CHECK(message_of([&] { static_cast<void>(load_npz(npz_of("stored"), "z")); }) ==
        "failed to read \"" + npz_of("stored") + "\": it has no array \"z\"; its arrays: x, y, flags, none, one");
  CHECK(error("") == "it is no ZIP archive, or cut off: no table of members at its end (at byte 0)");
  CHECK(error(stored.substr(0, stored.size() - 1)).starts_with("it is no ZIP archive, or cut off"));
  // In x's elements, of which the checksum knows.
  std::string damaged = stored;
  damaged[200] = static_cast<char>(damaged[200] ^ 1);
  CHECK(error(damaged) == "member \"x.npy\": its checksum is another than the archive's: it is damaged (at byte 176)");
  // The table's first record: method, sizes, flags.
  const std::size_t table = deflated.find("PK\x01\x02");
  std::string changed = deflated;
  changed[table + 10] = 9;
  CHECK(error(changed) ==
        "member \"x.npy\": it is compressed in way 9; of ZIP's only storing (0) and deflate (8) are read (at byte 0)");
  changed = deflated;
  changed.replace(table + 24, 4, "\xff\xff\xff\x7f");
  CHECK(error(changed).starts_with("member \"x.npy\": it claims 2147483647 bytes, which its "));
  changed = deflated;
  changed[table + 8] = static_cast<char>(changed[table + 8] | 1);
  CHECK(error(changed).starts_with("its member \"x.npy\" is encrypted (at byte "));
  changed = deflated;
  changed.replace(deflated.find("PK\x01\x02", table + 4) + 42, 4, std::string(4, '\0'));  // both from byte 0
  CHECK(error(changed).starts_with("two of its members overlap (at byte "));
  changed = deflated;
  changed.replace(table + 42, 4, std::string("\xff\xff\xff\x00", 4));
  CHECK(error(changed) == "member \"x.npy\": it begins behind the archive's end (at byte 0)");
}

TEST_CASE("npz: any byte changed is an error, or changes no array") {
  const TemporaryDirectory folder;
  const std::string path = folder / "a.npz";
  for (const char* const name : {"stored", "deflated", "large_table"}) {
    std::map<std::string, Array> whole;
    for (const auto& [member, array] : load_npz(npz_of(name))) whole[member] = array;
    const std::string bytes = read_all(npz_of(name));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
      write_all(path, changed);
      try {
        for (const auto& [member, array] : load_npz(path)) {
          const auto known = whole.find(member);
          if (known == whole.end()) continue;  // its name was changed
          const bool same = array.shape() == known->second.shape() && array.dtype() == known->second.dtype() &&
                            same_bytes(array, known->second);
          CHECK_MESSAGE(same, name, " at ", at);
        }
      } catch (const IoError&) {
        // Told.
      }
    }
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      write_all(path, bytes.substr(0, size));
      CHECK_THROWS_AS(static_cast<void>(load_npz(path)), IoError);
    }
  }
}

namespace {

std::string bytes_of(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>((i < 8 ? value >> (8 * i) : 0) & 0xffU);
  return bytes;
}

/// What follows the table of an archive of 64-bit sizes.
std::string end_of_archive(std::uint64_t table, std::uint64_t table_bytes, std::uint64_t members) {
  return "PK\6\6" + bytes_of(44, 8) + bytes_of(45, 2) + bytes_of(45, 2) + bytes_of(0, 8) + bytes_of(members, 8) +
         bytes_of(members, 8) + bytes_of(table_bytes, 8) + bytes_of(table, 8) + "PK\6\7" + bytes_of(0, 4) +
         bytes_of(table + table_bytes, 8) + bytes_of(1, 4) + "PK\5\6" + bytes_of(0, 4) + bytes_of(UINT16_MAX, 2) +
         bytes_of(UINT16_MAX, 2) + bytes_of(UINT32_MAX, 4) + bytes_of(UINT32_MAX, 4) + bytes_of(0, 2);
}

/// A file of that many bytes, of which only those at its beginning and its end are on the disk.
void write_sparse(const std::string& path, const std::string& begin, std::uint64_t hole, const std::string& end) {
  write_all(path, begin);
  std::filesystem::resize_file(path, begin.size() + hole);
  std::ofstream(path, std::ios::binary | std::ios::app) << end;
}

constexpr std::uint64_t kHundredGiB = std::uint64_t{100} << 30;

}  // namespace

TEST_CASE("npz: a table that claims more than there is takes no memory") {
  const TemporaryDirectory folder;
  const std::string path = folder / "a.npz";
  const std::uint64_t members = kHundredGiB / 46;
  write_sparse(path, "", members * 46, end_of_archive(0, members * 46, members));
  const std::string said = "failed to read \"" + path + "\": its table of members is damaged (at byte 0)";
  CHECK(message_of([&] { static_cast<void>(npz_names(path)); }) == said);
  CHECK(message_of([&] { static_cast<void>(load_npz(path)); }) == said);
  CHECK_THROWS_AS(static_cast<void>(load_npz(path, "x")), IoError);
  // One member that is there, and then nothing.
  const std::string stored = read_all(npz_of("stored"));
  const std::size_t table = stored.find("PK\x01\x02");
  const std::size_t second = stored.find("PK\x01\x02", table + 4);
  const std::uint64_t all = members * 46;
  write_sparse(path, stored.substr(0, second), all - (second - table), end_of_archive(table, all, members));
  CHECK(message_of([&] { static_cast<void>(load_npz(path)); }) ==
        "failed to read \"" + path + "\": its table of members is damaged (at byte " + std::to_string(second) + ")");
}

TEST_CASE("npz: a member that no memory is there for is named") {
  const TemporaryDirectory folder;
  const std::string path = folder / "a.npz";
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (107374182400,)}";
  header.resize(117, ' ');
  const std::string begin = "\x93NUMPY\1" + std::string(1, '\0') + bytes_of(118, 2) + header + "\n";
  const std::uint64_t bytes = begin.size() + kHundredGiB;
  const std::string local = "PK\3\4" + bytes_of(45, 2) + bytes_of(0, 20) + bytes_of(5, 2) + bytes_of(0, 2) + "x.npy";
  const std::string extra = bytes_of(1, 2) + bytes_of(16, 2) + bytes_of(bytes, 8) + bytes_of(bytes, 8);
  const std::string record = "PK\1\2" + bytes_of(45, 2) + bytes_of(45, 2) + bytes_of(0, 12) + bytes_of(UINT32_MAX, 4) +
                             bytes_of(UINT32_MAX, 4) + bytes_of(5, 2) + bytes_of(extra.size(), 2) + bytes_of(0, 14) + "x.npy" +
                             extra;
  const std::uint64_t table = local.size() + bytes;
  write_sparse(path, local + begin, kHundredGiB, record + end_of_archive(table, record.size(), 1));
  CHECK(npz_names(path) == std::vector<std::string>{"x"});
  set_memory_limit(Device::cpu(), std::int64_t{1} << 30);  // what the machine has must not count
  const std::string said = message_of([&] { static_cast<void>(load_npz(path)); });
  set_memory_limit(Device::cpu(), std::nullopt);
  CHECK(said.starts_with("failed to read \"" + path +
                         "\": member \"x.npy\": failed to allocate 107374182400 bytes of host memory: the limit is 1073741824 "
                         "bytes (kiln::set_memory_limit); "));
  CHECK(said.ends_with("; open_npy() uses a .npy file of any size in its place (at byte 128)"));
  CHECK_THROWS_AS(static_cast<void>(load_npz(path, "y")), IoError);
}
