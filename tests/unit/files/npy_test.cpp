// .npy files: NumPy's own read back, written byte for byte as NumPy writes them, and hostile ones.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "../types/golden.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/memory.hpp"
#include "kiln/npy.hpp"

using namespace kiln;
using golden::message_of;
namespace fs = std::filesystem;

namespace {

// A folder that is gone after the test.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "kiln-npy-XXXXXX").string()) { REQUIRE(mkdtemp(path_.data()) != nullptr); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] fs::path operator/(const std::string& name) const { return fs::path(path_) / name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  std::string path_;
};

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string elements(const Array& array) {
  const Array packed = array.copy();
  return {static_cast<const char*>(packed.data()), static_cast<std::size_t>(packed.nbytes())};
}

// A file of version 1 with that dictionary; the header's length is as it should be.
std::string file_with(const std::string& dictionary, const std::string& data = "") {
  std::string bytes = std::string("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(dictionary.size() & 0xff);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary + data;
}

// What load_npy says of a file with these bytes, without the part that names it.
std::string refusal(const std::string& bytes) {
  const Folder folder;
  const fs::path path = folder / "f.npy";
  write(path, bytes);
  const std::string text = message_of<IoError>([&] { (void)load_npy(path); });
  const std::string start = "failed to read \"" + path.string() + "\": ";
  return text.substr(0, start.size()) == start ? text.substr(start.size()) : text;
}

std::string dictionary_refusal(const std::string& dictionary) {
  return refusal(file_with(dictionary, "12345678"));
}

}  // namespace

TEST_CASE("files that NumPy wrote are read, and written back byte for byte") {
  const Folder folder;
  int cases = 0;
  for (const std::string& line : golden::lines("npy/expected.txt")) {
    const auto words = golden::words(line);
    CAPTURE(line);
    const fs::path file = golden::path("npy/" + words[0] + ".npy");
    const Array array = load_npy(file);
    CHECK(array.is_host());
    CHECK(array.dtype() == dtype_from_name(words[1]));
    CHECK(array.shape() == golden::dims(words[2]));
    CHECK((array.is_f_contiguous() && !array.is_c_contiguous()) == (words[3] == "F"));
    CHECK(elements(array) == golden::from_hex(words[4]));
    save_npy(folder / "out.npy", array);
    const bool other_form = words[0].starts_with("version") || words[0].find("big") != std::string::npos;
    CHECK((golden::bytes(folder / "out.npy") == golden::bytes(file)) == !other_form);
    CHECK(elements(load_npy(folder / "out.npy")) == golden::from_hex(words[4]));
    ++cases;
  }
  CHECK(cases == 33);
}

TEST_CASE("windows are written as what they show") {
  const Folder folder;
  const Array a = Array::from<int>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  save_npy(folder / "a.npy", a[{all, Slice{.step = -2}}]);
  const Array back = load_npy(folder / "a.npy");
  CHECK(back.to_vector<int>() == std::vector<int>{3, 1, 6, 4});
  save_npy(folder / "a.npy", a.transpose());  // over an old file
  CHECK(load_npy(folder / "a.npy").is_f_contiguous());
  CHECK(load_npy(folder / "a.npy").to_vector<int>() == std::vector<int>{1, 4, 2, 5, 3, 6});
  save_npy(folder / "a.npy", to_device(a, Device::cpu()));
  CHECK(load_npy(folder / "a.npy").to_vector<int>() == a.to_vector<int>());
  CHECK(folder.files() == 1);
}

TEST_CASE("files have as many axes as NumPy's arrays, 64") {
  const Folder folder;
  const Shape most(64, 1);
  save_npy(folder / "a.npy", Array::zeros(most, DType::int8));
  CHECK(load_npy(folder / "a.npy").shape() == most);
  const std::string path = (folder / "b.npy").string();
  CHECK(message_of<ShapeError>([&] { save_npy(path, Array::zeros(Shape(65, 1), DType::int8)); }) ==
        "failed to write \"" + path + "\": an array of 65 axes, and NumPy has 64 at most: reshape it");
  std::string ones;
  for (int i = 0; i < 20000; ++i) ones += "1,";
  write(path, file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (" + ones + ")}", "abcd"));
  CHECK(message_of<IoError>([&] { (void)load_npy(path); }) ==
        "failed to read \"" + path + "\": the shape has more than 64 axes, the most that NumPy has (at byte 189)");
}

TEST_CASE("a header may be written in many ways") {
  const auto read = [](const std::string& dictionary, const std::string& data) {
    const Folder folder;
    write(folder / "f.npy", file_with(dictionary, data));
    return load_npy(folder / "f.npy");
  };
  CHECK(read("{'shape':(2,),'fortran_order':False,'descr':'|u1'}", "ab").shape() == Shape{2});
  CHECK(read("  { \"descr\" : \"<i2\" ,\t'fortran_order' : True, 'shape' : ( 1 , 2 ) , } \n\n", "abcd").shape() == Shape{1, 2});
  CHECK(read("{'descr': 'u1', 'fortran_order': False, 'shape': (2L, 1L)}", "ab").shape() == Shape{2, 1});
  CHECK(read("{'descr': '=u2', 'fortran_order': False, 'shape': ()}", "ab").shape() == Shape{});
  CHECK(read("{'descr': 'bfloat16', 'fortran_order': False, 'shape': (1,)}", "ab").dtype() == DType::bfloat16);
  CHECK(read("{'descr': '|i1', 'fortran_order': False, 'shape': (0, 9223372036854775807)}", "").size() == 0);
  // A bool is 0 or 1, whatever the file says.
  CHECK(elements(read("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string("\0\2\1", 3))) ==
        std::string("\0\1\1", 3));
}

TEST_CASE("a file cut off anywhere is refused, and says where") {
  const Folder folder;
  save_npy(folder / "whole.npy", Array::from<float>({1, 2, 3}));
  const std::string whole = golden::bytes(folder / "whole.npy");
  REQUIRE(whole.size() == 140);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string text = refusal(whole.substr(0, size));
    if (size < 6) {
      CHECK(text == "the file ends after " + std::to_string(size) + " bytes, within the magic string (at byte " +
                        std::to_string(size) + ")");
    } else if (size < 8) {
      CHECK(text == "the file ends before its version number (at byte " + std::to_string(size) + ")");
    } else if (size < 10) {
      CHECK(text == "the file ends within the length of its header (at byte " + std::to_string(size) + ")");
    } else if (size < 128) {
      CHECK(text == "the header claims 118 bytes, the file has " + std::to_string(size - 10) + " left (at byte 8)");
    } else {
      CHECK(text == "shape (3,) of float32 takes 12 bytes of data, the file has " + std::to_string(size - 128) +
                        ": it is truncated (at byte " + std::to_string(size) + ")");
    }
  }
  CHECK(refusal(whole + "x") ==
        "shape (3,) of float32 takes 12 bytes of data, the file has 13: it holds something else behind them (at byte 140)");
  // One wrong byte anywhere in the header never does worse than an IoError.
  for (std::size_t at = 0; at < 128; ++at) {
    for (const char c : {'\0', '\xff', '(', '9', '\'', ' '}) {
      std::string bytes = whole;
      bytes[at] = c;
      const std::string text = refusal(bytes);
      CHECK(text.find("another type") == std::string::npos);
    }
  }
}

TEST_CASE("other files and versions") {
  CHECK(refusal("PK\3\4 a zip file, as .npz") == "not a .npy file: the magic string \\x93NUMPY is missing (at byte 0)");
  CHECK(refusal("\x93NUMPX\1") == "not a .npy file: the magic string \\x93NUMPY is missing (at byte 5)");
  CHECK(refusal(std::string("\x93NUMPY\4\0\0\0\0\0", 12)) == "unknown version 4.0: known are 1.0, 2.0 and 3.0 (at byte 6)");
  CHECK(refusal(std::string("\x93NUMPY\0\0\0\0\0\0", 12)) == "unknown version 0.0: known are 1.0, 2.0 and 3.0 (at byte 6)");
  CHECK(refusal(std::string("\x93NUMPY\1\1\0\0\0\0", 12)) == "unknown version 1.1: known are 1.0, 2.0 and 3.0 (at byte 6)");
  CHECK(refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)) ==
        "the header claims 4294967295 bytes, more than the limit of 1048576 (at byte 8)");
}

TEST_CASE("sizes that lie take no memory") {
  const auto shaped = [](const std::string& shape, const std::string& descr = "<f8") {
    return dictionary_refusal("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}");
  };
  CHECK(shaped("(1000000000000,)") ==
        "shape (1000000000000,) of float64 takes 8000000000000 bytes of data, the file has 8: it is truncated (at byte 85)");
  CHECK(shaped("(4294967296, 4294967296)") ==
        "shape (4294967296, 4294967296) of 8-byte elements has more than 2^63-1 bytes (at byte 10)");
  CHECK(shaped("(0, 4294967296, 4294967296)") ==
        "shape (0, 4294967296, 4294967296) of 8-byte elements has more than 2^63-1 bytes (at byte 10)");
  CHECK(shaped("(99999999999999999999,)") == "an extent in the shape does not fit in 63 bits (at byte 61)");
  CHECK(shaped("(9223372036854775808,)") == "an extent in the shape does not fit in 63 bits (at byte 61)");
  CHECK(shaped("(3, -1)") == "a negative extent in the shape (at byte 64)");
}

TEST_CASE("a file that no memory is there for can still be opened in its place") {
  const Folder folder;
  const std::int64_t bytes = std::int64_t{100} << 30;
  write(folder / "a.npy", file_with("{'descr': '|i1', 'fortran_order': False, 'shape': (107374182400,)}"));
  const auto header = static_cast<std::int64_t>(fs::file_size(folder / "a.npy"));
  fs::resize_file(folder / "a.npy", static_cast<std::uintmax_t>(header + bytes));
  set_memory_limit(Device::cpu(), std::int64_t{1} << 30);  // what the machine has must not count
  const std::string said = message_of<IoError>([&] { (void)load_npy(folder / "a.npy"); });
  set_memory_limit(Device::cpu(), std::nullopt);
  CHECK(said.starts_with("failed to read \"" + (folder / "a.npy").string() +
                         "\": failed to allocate 107374182400 bytes of host memory: the limit is 1073741824 bytes "));
  CHECK(said.ends_with("; open_npy() uses a .npy file of any size in its place (at byte " + std::to_string(header) + ")"));
  const Array opened = open_npy(folder / "a.npy");
  CHECK(opened.size() == bytes);
  CHECK(opened[-1].item<std::int8_t>() == 0);
}

TEST_CASE("dtypes that are refused") {
  const auto with = [](const std::string& descr) {
    return dictionary_refusal("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}");
  };
  CHECK(with("'|O'") == "dtype '|O' is not supported: Python objects cannot be read (at byte 20)");
  CHECK(with("'O'") == "dtype 'O' is not supported: Python objects cannot be read (at byte 20)");
  CHECK(with("'<U3'") == "dtype '<U3' is not supported: strings are not numbers (at byte 20)");
  CHECK(with("'|S8'") == "dtype '|S8' is not supported: strings are not numbers (at byte 20)");
  CHECK(with("'<M8[ns]'") == "dtype '<M8[ns]' is not supported: convert dates and time spans to int64 first (at byte 20)");
  CHECK(with("'|V2'") ==
        "dtype '|V2' is not supported: raw bytes have no type; view them as another dtype before saving (at byte 20)");
  CHECK(with("'<f16'") ==
        "dtype '<f16' is not supported: kiln reads bool, integers of 8 to 64 bits, float16 to float64, bfloat16, complex64 and "
        "complex128, written as '<f8' or '|b1' are (at byte 20)");
  CHECK(with("'float64'").find("dtype 'float64' is not supported: ") == 0);
  CHECK(with("''").find("dtype '' is not supported: ") == 0);
  CHECK(with("'\x01'").find("dtype '?' is not supported: ") == 0);
  CHECK(with("[('a', '<f4')]") == "structured dtypes are not supported: save each field as an array of its own (at byte 20)");
  CHECK(with("3") == "the dtype in quotes is missing (at byte 20)");
}

TEST_CASE("dictionaries that are none") {
  const std::string rest = "'fortran_order': False, 'shape': (1,)}";
  CHECK(dictionary_refusal("") == "the header is not a dictionary (at byte 10)");
  CHECK(dictionary_refusal("[1, 2]") == "the header is not a dictionary (at byte 10)");
  CHECK(dictionary_refusal("{}") == "the key 'descr' is missing (at byte 12)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'shape': (1,)}") == "the key 'fortran_order' is missing (at byte 41)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False}") == "the key 'shape' is missing (at byte 50)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'descr': '<f4', " + rest) == "the key 'descr' stands twice (at byte 27)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'x': 3, " + rest) == "unknown key 'x' (at byte 27)");
  CHECK(dictionary_refusal("{'descr' '<f4', " + rest) == "':' is missing after the key 'descr' (at byte 19)");
  CHECK(dictionary_refusal("{'descr': '<f4' " + rest) == "',' or '}' is missing after the value of 'descr' (at byte 26)");
  CHECK(dictionary_refusal("{'descr': '<f4") == "a string is not closed (at byte 20)");
  CHECK(dictionary_refusal("{'descr': '<f\\x34', " + rest) == "a string holds an escape or a line break (at byte 20)");
  CHECK(dictionary_refusal("{descr: '<f4', " + rest) == "a key in quotes is missing (at byte 11)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}") ==
        "fortran_order is neither True nor False (at byte 44)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': [1]}") ==
        "the shape is not a tuple (at byte 60)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1)}") ==
        "the shape is a number in parentheses, not a tuple: (n,) has a comma (at byte 60)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}") ==
        "',' or ')' is missing in the shape (at byte 63)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}") ==
        "',' or ')' is missing in the shape (at byte 62)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (a,)}") ==
        "the shape is not a tuple of integers (at byte 61)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}") ==
        "a number in the shape starts with 0 (at byte 61)");
  CHECK(dictionary_refusal("{'descr': '<f4', " + rest + " + 1") == "text after the dictionary (at byte 66)");
  CHECK(dictionary_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1,") ==
        "the shape is not a tuple of integers (at byte 63)");
}

TEST_CASE("paths that are no files") {
  const Folder folder;
  const auto load = [](const fs::path& path) { return message_of<IoError>([&] { (void)load_npy(path); }); };
  const std::string where = (folder / "x").string();
  CHECK(load(where) == "failed to read \"" + where + "\": No such file or directory");
  fs::create_directory(where);
  CHECK(load(where) == "failed to read \"" + where + "\": it is not a regular file");
  const std::string fifo = (folder / "fifo").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(load(fifo) == "failed to read \"" + fifo + "\": it is not a regular file");
  CHECK(load("/dev/zero") == "failed to read \"/dev/zero\": it is not a regular file");
}

TEST_CASE("writing that fails leaves nothing behind") {
  const Folder folder;
  const Array a = Array::from<float>({1, 2});
  const auto save = [&](const fs::path& path) { return message_of<IoError>([&] { save_npy(path, a); }); };
  const std::string missing = (folder / "no/a.npy").string();
  CHECK(save(missing) == "failed to write \"" + missing + "\": cannot create a file in its folder: No such file or directory");
  write(folder / "file", "x");
  const std::string below = (folder / "file/a.npy").string();
  CHECK(save(below) == "failed to write \"" + below + "\": cannot create a file in its folder: Not a directory");
  const std::string directory = (folder / "d").string();
  fs::create_directory(directory);
  CHECK(save(directory) == "failed to write \"" + directory + "\": it is not a regular file");
  CHECK(save("/dev/null") == "failed to write \"/dev/null\": it is not a regular file");
  CHECK(save("") == "failed to write \"\": the path is empty");
  CHECK(save("/proc/kiln.npy") ==
        "failed to write \"/proc/kiln.npy\": cannot create a file in its folder: No such file or directory");
  if (::geteuid() != 0) {  // root may write anywhere
    const std::string closed = (folder / "closed").string();
    fs::create_directory(closed);
    fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(save(closed + "/a.npy") ==
          "failed to write \"" + closed + "/a.npy\": cannot create a file in its folder: Permission denied");
  }
  CHECK(message_of<TypeError>([&] { save_npy(folder / "a.npy", Array()); }) ==
        "an empty Array handle was used: make or assign an array first");
  CHECK_FALSE(fs::exists(folder / "a.npy"));
}

TEST_CASE("a disk that is full in the middle of a file leaves the old one") {
  const Folder folder;
  const std::string path = (folder / "a.npy").string();
  save_npy(path, Array::from<int>({1, 2, 3}));
  // A limit on the size of files stands in for a full disk.
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string text = message_of<IoError>([&] { save_npy(path, Array::zeros({1000}, DType::float64)); });
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(text == "failed to write \"" + path + "\": cannot write: File too large");
  CHECK(load_npy(path).to_vector<int>() == std::vector<int>{1, 2, 3});
  CHECK(folder.files() == 1);
}

TEST_CASE("a symbolic link keeps pointing, and its target is replaced") {
  const Folder folder;
  save_npy(folder / "target.npy", Array::from<int>({1}));
  fs::create_symlink("target.npy", folder / "link.npy");
  save_npy(folder / "link.npy", Array::from<int>({2, 3}));
  CHECK(fs::is_symlink(folder / "link.npy"));
  CHECK(load_npy(folder / "target.npy").to_vector<int>() == std::vector<int>{2, 3});
  CHECK(folder.files() == 2);
  // Also where there is no target yet.
  fs::create_symlink("later.npy", folder / "dangling.npy");
  save_npy(folder / "dangling.npy", Array::from<int>({4}));
  CHECK(fs::is_symlink(folder / "dangling.npy"));
  CHECK(load_npy(folder / "later.npy").to_vector<int>() == std::vector<int>{4});
  const std::string circle = (folder / "circle.npy").string();
  fs::create_symlink("circle.npy", circle);
  CHECK(message_of<IoError>([&] { save_npy(circle, Array::from<int>({5})); }) ==
        "failed to write \"" + circle + "\": its symbolic links lead in a circle");
  CHECK(fs::is_symlink(circle));
}

TEST_CASE("a file that is replaced keeps its mode; one that its owner protected stays") {
  const Folder folder;
  const std::string path = (folder / "a.npy").string();
  save_npy(path, Array::from<int>({1}));
  for (const unsigned mode : {0600U, 0666U}) {
    fs::permissions(path, fs::perms(mode));
    save_npy(path, Array::from<int>({2}));
    CHECK(fs::status(path).permissions() == fs::perms(mode));
  }
  if (::geteuid() == 0) return;  // root may write anywhere
  fs::permissions(path, fs::perms(0444));
  CHECK(message_of<IoError>([&] { save_npy(path, Array::from<int>({3})); }) ==
        "failed to write \"" + path + "\": the file that is there may not be written to");
  CHECK(load_npy(path).to_vector<int>() == std::vector<int>{2});
}

TEST_CASE("a name may have all the bytes that a name can have") {
  const Folder folder;
  const fs::path path = folder / (std::string(251, 'n') + ".npy");
  save_npy(path, Array::from<int>({1}));
  CHECK(load_npy(path).to_vector<int>() == std::vector<int>{1});
}
