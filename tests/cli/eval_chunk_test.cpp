// kiln eval --chunk and --progress: the results are those without, and a run that fails leaves nothing.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "npy_file.hpp"

namespace {

using cli::contains;
using cli::read_npy;
using cli::run;
using cli::sample;
using cli::Scratch;
namespace fs = std::filesystem;

/// The same command with and without chunks of that size: the bytes of its files are the same.
void check_same(std::vector<std::string> arguments, const std::string& bytes, std::size_t outputs = 1) {
  const Scratch scratch;
  std::vector<std::string> whole = arguments;
  for (std::size_t o = 0; o < outputs; ++o) {
    whole.insert(whole.end(), {"-o", scratch.file("whole" + std::to_string(o) + ".npy")});
    arguments.insert(arguments.end(), {"-o", scratch.file("chunks" + std::to_string(o) + ".npy")});
  }
  arguments.insert(arguments.end(), {"--chunk", bytes});
  REQUIRE(run(whole).status == 0);
  const auto result = run(arguments);
  CHECK(result.err == "");
  CHECK(result.out == "");
  REQUIRE(result.status == 0);
  for (std::size_t o = 0; o < outputs; ++o) {
    CHECK(read_npy(scratch.file("whole" + std::to_string(o) + ".npy")) ==
          read_npy(scratch.file("chunks" + std::to_string(o) + ".npy")));
  }
  CHECK(scratch.count() == 2 * outputs);  // no temporary folder is left
}

/// A .npy file of zeros that takes no room on the disk.
void make_zeros(const std::string& path, std::uint64_t count) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.resize(117, ' ');
  header += '\n';
  cli::write_file(path, std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header);
  fs::resize_file(path, 128 + 4 * count);
}

}  // namespace

TEST_CASE("eval --chunk: the results are those of the whole call") {
  for (const char* const bytes : {"1K", "100", "1G"}) {
    CAPTURE(bytes);
    check_same(
        {"eval", "float32 disc(float32 a, float32 b, float32 c) = fabs(b*b - 4*a*c)", sample("a"), sample("b"), sample("c")},
        bytes);
    check_same({"eval", "add", sample("row"), sample("column")}, bytes);
    check_same({"eval", "multiply", sample("matrix_f"), "3"}, bytes);
    check_same({"eval", "multiply", sample("big_endian"), sample("matrix")}, bytes);
    check_same({"eval", "(int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }", sample("dividend"), "7"},
               bytes, 2);
    check_same({"eval", "add", sample("counts"), "1", "--where", sample("mask")}, bytes);
    check_same({"eval", "add", sample("dividend"), "--method", "reduce"}, bytes);
    check_same({"eval", "maximum", sample("matrix"), "--method", "reduce", "--axis", "1", "--keepdims"}, bytes);
    check_same({"eval", "add", sample("dividend"), "--method", "accumulate"}, bytes);
    check_same({"eval", "--layout", "(n)->()", "void sum(T[:] x, T y) { y = 0; for (index i = 0; i < n; ++i) y += x(i); }",
                sample("matrix")},
               bytes);
    check_same({"eval", "add", sample("empty"), "1"}, bytes);
  }
}

TEST_CASE("eval --progress: a line for each tenth where there is no terminal") {
  const Scratch scratch;
  make_zeros(scratch.file("x.npy"), 1 << 20);
  const auto result =
      run({"eval", cli::kTwice, scratch.file("x.npy"), "-o", scratch.file("y.npy"), "--chunk", "100K", "--progress"});
  REQUIRE(result.status == 0);
  CHECK(result.out == "");
  // Chunks that are done while a line is written have none of their own.
  CHECK(cli::occurrences(result.err, "\n") >= 1);
  CHECK(cli::occurrences(result.err, "\n") <= 10);
  CHECK(contains(result.err, "[64/64] 8.0 MiB, "));
  CHECK(contains(result.err, " GB/s, "));
  // Of a size of kiln's choice, and printed.
  const auto printed = run({"eval", "add", sample("dividend"), "--method", "reduce", "--progress"});
  CHECK(printed.out == "2147483653\n");
  CHECK(contains(printed.err, "[1/1] 28 B, "));
}

TEST_CASE("eval --chunk: what cannot be is told") {
  const Scratch scratch;
  const auto error = [](const std::vector<std::string>& arguments) {
    const auto result = run(arguments);
    CHECK(result.status != 0);
    CHECK(result.out == "");
    return result.err.substr(0, result.err.find('\n'));
  };
  const std::string out = scratch.file("out.npy");
  CHECK(error({"eval", "add", "2", "3", "--chunk", "1M"}) ==
        "kiln: error: --chunk and --progress are for arrays: give a .npy file");
  CHECK(error({"eval", "add", sample("row"), sample("row"), "--method", "outer", "--progress"}) ==
        "kiln: error: --chunk and --progress are for calls, reduce and accumulate, not for --method outer");
  CHECK(error({"eval", "add", sample("row"), "1", "--chunk", "0", "-o", out}) ==
        "kiln: error: --chunk 0 has no room for anything: give a size such as 64M");
  CHECK(error({"eval", "add", sample("row"), "1", "--chunk", "-1", "-o", out}).starts_with("kiln: error: "));
  CHECK(error({"eval", "add", sample("object"), "1", "--chunk", "1M", "-o", out}) ==
        error({"eval", "add", sample("object"), "1", "-o", out}));
  CHECK(error({"eval", "T f(T x) = x +", sample("row"), "--chunk", "1M", "-o", out}).starts_with("kiln: error: "));
  CHECK(scratch.count() == 0);
}

TEST_CASE("eval --chunk: a disk that is full leaves nothing") {
  const Scratch scratch;
  make_zeros(scratch.file("x.npy"), 1 << 20);
  const auto result =
      run({"eval", cli::kTwice, scratch.file("x.npy"), "-o", scratch.file("y.npy"), "--chunk", "1M"}, {.file_limit = 1 << 20});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "\"" + scratch.file("y.npy") + "\""));
  CHECK(contains(result.err, "File too large"));
  CHECK(scratch.count() == 1);
}
