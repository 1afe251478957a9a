// Arrays in their files: open_npy, create_npy, and what happens to a file meanwhile.
#include <doctest/doctest.h>

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "base/have_cpu.hpp"
#include "kiln/array.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/math.hpp"
#include "kiln/npy.hpp"
#include "support/message.hpp"

namespace {

using namespace kiln;
using test::message_of;
using test::TemporaryDirectory;

Array counting(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0F);
  return Array::from(values);
}

}  // namespace

TEST_CASE("mapped: a file that save_npy wrote is the same array, in either order, without its bytes being read") {
  const TemporaryDirectory folder;
  const Array grid = counting(12).reshape({3, 4});
  for (const Array& saved : {grid, grid.transpose(), grid[{0}], Array::scalar(2.5), Array::zeros({0, 3}, DType::int8)}) {
    save_npy(folder / "a.npy", saved);
    const Array opened = open_npy(folder / "a.npy");
    CHECK(opened.shape() == saved.shape());
    CHECK(opened.dtype() == saved.dtype());
    CHECK(opened.is_host());
    CHECK(opened.read_only());
    CHECK(opened.is_f_contiguous() == load_npy(folder / "a.npy").is_f_contiguous());
    CHECK(to_string(opened) == to_string(saved));
  }
  save_npy(folder / "a.npy", grid);
  CHECK(message_of([&] { static_cast<void>(open_npy(folder / "a.npy").fill(1.0F)); }).find("read-only") != std::string::npos);
  // A view keeps the file.
  const Array row = open_npy(folder / "a.npy")[{1}];
  std::filesystem::remove(folder / "a.npy");
  CHECK(row.to_vector<float>() == std::vector<float>{4, 5, 6, 7});
#if KILN_HAVE_CPU
  CHECK(math::add.reduce(row).item<float>() == 22);
#endif
}

TEST_CASE("mapped: what is written to the array is written to the file") {
  const TemporaryDirectory folder;
  {
    const Array made = create_npy(folder / "b.npy", {2, 3}, DType::float64, Order::fortran);
    CHECK(made.is_f_contiguous());
    CHECK(to_string(made) == to_string(Array::zeros({2, 3}, DType::float64)));
    made.assign(Array::from<double>({1, 2, 3, 4, 5, 6}, Shape{2, 3}));
    flush_npy(made[{Slice{}, 1}]);
    CHECK(load_npy(folder / "b.npy").to_vector<double>() == std::vector<double>{1, 2, 3, 4, 5, 6});
  }
  CHECK(load_npy(folder / "b.npy").is_f_contiguous());
  open_npy(folder / "b.npy", {.writable = true})[{1, 2}].fill(-1.0);
  CHECK(load_npy(folder / "b.npy").to_vector<double>() == std::vector<double>{1, 2, 3, 4, 5, -1});
  // An old file is replaced: who has it open keeps it.
  const Array old = open_npy(folder / "b.npy");
  const Array fresh = create_npy(folder / "b.npy", {2}, DType::int32);
  CHECK(old.size() == 6);
  CHECK(load_npy(folder / "b.npy").to_vector<std::int32_t>() == std::vector<std::int32_t>{0, 0});
  CHECK(create_npy(folder / "c.npy", {0}, DType::bool_).size() == 0);
}

TEST_CASE("mapped: files that cannot be used in their place, and room that is not there") {
  const TemporaryDirectory folder;
  CHECK(message_of([&] { static_cast<void>(open_npy(folder / "none.npy")); }) ==
        "failed to read \"" + (folder / "none.npy") + "\": No such file or directory");
  CHECK(message_of([&] { static_cast<void>(open_npy(folder.path())); }).find("it is not a regular file") != std::string::npos);
  const auto written = [&](const char* name, const std::string& descr, const std::string& data) {
    const std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,)}\n";
    const std::string prelude{'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(header.size()), 0};
    test::write_text(folder / name, prelude + header + data);
    return prelude.size() + header.size();
  };
  written("big.npy", ">f4", std::string{'\x3f', '\x80', 0, 0});
  CHECK(message_of([&] { static_cast<void>(open_npy(folder / "big.npy")); }) ==
        "failed to read \"" + (folder / "big.npy") +
            "\": its numbers are big-endian, and cannot be used in their place: load_npy() reads it");
  const std::size_t begin = written("odd.npy", "<f8", std::string(8, '\0'));
  CHECK(message_of([&] { static_cast<void>(open_npy(folder / "odd.npy")); }) ==
        "failed to read \"" + (folder / "odd.npy") + "\": its data begin at byte " + std::to_string(begin) +
            ", where a float64 cannot be used in its place: load_npy() reads it");
  CHECK(load_npy(folder / "odd.npy").item<double>() == 0);
  const std::string full =
      message_of([&] { static_cast<void>(create_npy(folder / "huge.npy", {std::int64_t{1} << 56}, DType::int8)); });
  CAPTURE(full);
  CHECK(full.starts_with("failed to write \"" + (folder / "huge.npy") + "\": cannot make it 72057594037928064 bytes long: "));
  CHECK_FALSE(std::filesystem::exists(folder / "huge.npy"));
  CHECK(message_of([&] { static_cast<void>(create_npy(folder / "x.npy", {-1}, DType::int8)); }).find("-1") !=
        std::string::npos);
  CHECK(message_of([] { flush_npy(Array::zeros({2}, DType::int8)); }) ==
        "flush_npy: an array in host memory that is in no file: open_npy() and create_npy() make such");
}

#if KILN_HAVE_CPU
TEST_CASE("mapped: a generalized ufunc that runs as before finds a file that became shorter") {
  const TemporaryDirectory folder;
  const Gufunc sum = guvectorize("(n)->()", "void(float32[:] x, float32 y)", "y = 0; for (index i = 0; i < n; ++i) y += x(i);");
  save_npy(folder / "a.npy", Array::full({100, 100}, 1.0F));
  save_npy(folder / "b.npy", Array::full({100, 100}, 1.0F));
  const Array whole = open_npy(folder / "a.npy");
  const Array torn = open_npy(folder / "b.npy");
  CHECK(sum(whole).to_vector<float>() == std::vector<float>(100, 100.0F));
  std::filesystem::resize_file(folder / "b.npy", 4096);
  CHECK(message_of([&] { static_cast<void>(sum(torn, {})); }).find("the file became shorter") != std::string::npos);
}
#endif

TEST_CASE("mapped: an array without elements is in its file, too") {
  const TemporaryDirectory folder;
  const Array none = create_npy(folder / "none.npy", {0, 3}, DType::float32);
  flush_npy(none);
  flush_npy(open_npy(folder / "none.npy", {.writable = true}));
  CHECK(load_npy(folder / "none.npy").shape() == Shape{0, 3});
}

TEST_CASE("mapped: a file that becomes shorter under its array is an error of the call, and of later ones") {
  const TemporaryDirectory folder;
  const std::string path = folder / "a.npy";
  const std::int64_t count = 1 << 20;
  save_npy(path, Array::full({count}, 1.0F));
  const Array whole = open_npy(path);
  const Array other = counting(3);
  std::filesystem::resize_file(path, 8192);
  const std::string expected =
      "failed to read \"" + path +
      "\": the file became shorter, or its disk failed, while it was mapped: what was not there counted as zeros";
#if KILN_HAVE_CPU
  Array out = Array::full({count}, -1.0F);
  CHECK(message_of([&] { math::add(whole, 1, {.out = out}); }) == expected);
  CHECK(out[{0}].item<float>() == 2);
  CHECK(out[{count - 1}].item<float>() == 1);
  CHECK(message_of([&] { static_cast<void>(math::add.reduce(whole[Slice{.stop = 10}])); }) == expected);
#endif
  CHECK(message_of([&] { static_cast<void>(whole.copy()); }) == expected);
  CHECK(message_of([&] { static_cast<void>(whole.to_vector<float>()); }) == expected);
  CHECK(message_of([&] { flush_npy(whole); }) == expected);
  const Array unread = [&] {
    save_npy(folder / "b.npy", Array::full({count}, 1.0F));
    return open_npy(folder / "b.npy");
  }();
  std::filesystem::resize_file(folder / "b.npy", 8192);
  CHECK(message_of([&] { save_npy(folder / "copy.npy", unread); }) ==
        "failed to write \"" + (folder / "copy.npy") + "\": its array is in a file that became shorter");
  CHECK_FALSE(std::filesystem::exists(folder / "copy.npy"));
  // Others are as they were.
  CHECK(other.copy().to_vector<float>() == std::vector<float>{0, 1, 2});
  save_npy(path, Array::full({count}, 1.0F));
  CHECK(open_npy(path).to_vector<float>() == std::vector<float>(static_cast<std::size_t>(count), 1.0F));
}

TEST_CASE("mapped: a bus error elsewhere ends the process as before [child]" * doctest::skip()) {
  const TemporaryDirectory folder;
  save_npy(folder / "a.npy", counting(3));
  const Array opened = open_npy(folder / "a.npy");
  raise(SIGBUS);
}
TEST_CASE("mapped: a bus error elsewhere ends the process as before") {
  CHECK(test::ChildProcess("mapped: a bus error elsewhere ends the process as before [child]", {}).wait() != 0);
}

TEST_CASE("mapped: threads open, read and close files at the same time") {
  const TemporaryDirectory folder;
  save_npy(folder / "a.npy", counting(1000));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const Array opened = open_npy(folder / "a.npy");
        if (opened[{999}].item<float>() != 999) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
