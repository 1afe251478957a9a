// kiln eval as several ranks: each computes its rows, and one file has the bytes that one process would have written.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "command.hpp"
#include "npy_file.hpp"

namespace {

using cli::contains;
using cli::read_npy;
using cli::Result;
using cli::run;
using cli::sample;
using cli::Scratch;

/// The same command as so many processes at once.
std::vector<Result> run_ranks(const std::vector<std::string>& arguments, int size, bool by_launcher = false,
                              const std::vector<std::string>& of_first = {}) {
  std::vector<Result> results(static_cast<std::size_t>(size));
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      std::vector<std::string> own = arguments;
      std::map<std::string, std::string> environment;
      if (by_launcher) {
        environment = {{"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
                       {"OMPI_COMM_WORLD_SIZE", std::to_string(size)},
                       {"PMIX_NAMESPACE", "a job/1"}};
      } else {
        own.insert(own.end(), {"--ranks", std::to_string(rank) + "/" + std::to_string(size)});
      }
      if (rank == 0) own.insert(own.end(), of_first.begin(), of_first.end());
      results[static_cast<std::size_t>(rank)] = run(own, {.environment = environment});
    });
  }
  ranks.clear();
  return results;
}

void check_same(const std::vector<std::string>& arguments, int size, std::size_t outputs = 1, bool by_launcher = false) {
  CAPTURE(arguments[1]);
  CAPTURE(size);
  const Scratch scratch;
  std::vector<std::string> whole = arguments;
  std::vector<std::string> cut = arguments;
  for (std::size_t o = 0; o < outputs; ++o) {
    whole.insert(whole.end(), {"-o", scratch.file("whole" + std::to_string(o) + ".npy")});
    cut.insert(cut.end(), {"-o", scratch.file("ranks" + std::to_string(o) + ".npy")});
  }
  REQUIRE(run(whole).status == 0);
  for (const Result& result : run_ranks(cut, size, by_launcher)) {
    CHECK(result.err == "");
    CHECK(result.out == "");
    REQUIRE(result.status == 0);
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    CHECK(read_npy(scratch.file("whole" + std::to_string(o) + ".npy")) ==
          read_npy(scratch.file("ranks" + std::to_string(o) + ".npy")));
  }
  CHECK(scratch.count() == 2 * outputs);  // where the ranks met is gone
}

void check_refused(const std::vector<std::string>& arguments, const std::string& why) {
  const Scratch scratch;
  std::vector<std::string> cut = arguments;
  cut.insert(cut.end(), {"-o", scratch.file("x.npy")});
  for (const Result& result : run_ranks(cut, 2)) {
    CHECK(result.status != 0);
    CHECK(contains(result.err, why));
  }
  CHECK(scratch.count() == 0);
}

const std::string kCumsum = "void cumsum(T[:] x, T[:] y) { T s = 0; for (index i = 0; i < n; ++i) y(i) = s += x(i); }";

}  // namespace

TEST_CASE("eval as ranks: one file has what one process writes") {
  for (const int size : {2, 3, 7}) {
    check_same(
        {"eval", "float32 disc(float32 a, float32 b, float32 c) = fabs(b*b - 4*a*c)", sample("a"), sample("b"), sample("c")},
        size);
    check_same({"eval", "add", sample("row"), sample("column")}, size);
    check_same({"eval", "multiply", sample("matrix"), "3"}, size);
  }
  check_same({"eval", "add", sample("row"), sample("column")}, 4, 1, true);
  check_same({"eval", "(int64 q, int64 r) both(int64 a) { q = a / 2; r = a % 2; }", sample("dividend")}, 3, 2);
  check_same({"eval", "add", sample("matrix"), "--method", "reduce", "--axis", "1"}, 3);
  check_same({"eval", "add", sample("matrix"), "--method", "accumulate", "--axis", "-1"}, 2);
  check_same({"eval", "--layout", "(n)->(n)", kCumsum, sample("matrix")}, 2);
  check_same({"eval", "multiply", sample("matrix"), "3", "--chunk", "100"}, 2);
}

TEST_CASE("eval as ranks: what cannot be cut is an error of every rank") {
  check_refused({"eval", "add", sample("matrix"), "--method", "reduce"},
                "ranks divide the work along axis 0, and --method reduce works along it: give another --axis");
  check_refused({"eval", "add", sample("matrix"), "--method", "reduce", "--axis", "all"}, "--axis all works along it");
  check_refused({"eval", "add", sample("matrix"), sample("row"), "--method", "outer"}, "--method outer cannot be cut there");
  check_refused({"eval", "add", "1", "2"}, "ranks divide the work along axis 0, and there is none");
  check_refused({"eval", "--layout", "(n)->(n)", kCumsum, sample("matrix"), "--axis", "0"},
                "--axis and --axes may make one of a core");
  check_refused({"eval", "float32 wrong(float32 a) = b", sample("a")}, "wrong");
  for (const Result& result : run_ranks({"eval", "add", sample("row"), "1"}, 2))
    CHECK(contains(result.err, "several ranks write one file: give -o FILE"));
  CHECK(contains(run({"eval", "add", sample("row"), "1", "-o", "-", "--ranks", "0/2"}).err, "standard output is none"));
  for (const char* const text : {"4/4", "x", "1", "-1/2", "1/"}) {
    CHECK(contains(run({"eval", "add", "1", "2", "--ranks", text}).err, "give none, or a rank and the number of ranks"));
  }
}

TEST_CASE("eval as ranks: one that fails or ends is an error of the others, and nothing is written") {
  const Scratch scratch;
  const std::vector<std::string> arguments{"eval", "add", sample("row"), "1", "-o", scratch.file("x.npy")};
  // Rank 0 alone has an option that fails.
  const auto results = run_ranks(arguments, 3, false, {"--timeout", "x"});
  for (const Result& result : results) CHECK(result.status != 0);
  CHECK_FALSE(std::filesystem::exists(scratch.file("x.npy")));
  CHECK(scratch.count() == 0);
}

TEST_CASE("eval as ranks: --ranks none computes all, and one bar is shown") {
  const Scratch scratch;
  const std::map<std::string, std::string> launcher{{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}};
  const Result result = run({"eval", "add", "1", "2", "--ranks", "none"}, {.environment = launcher});
  CHECK(result.status == 0);
  CHECK(result.out == "3\n");
  const auto shown = run_ranks({"eval", "add", sample("matrix"), "1", "--progress", "--time", "-o", scratch.file("x.npy")}, 3);
  for (std::size_t rank = 0; rank < shown.size(); ++rank) {
    CHECK(shown[rank].status == 0);
    CHECK(shown[rank].err.empty() == (rank > 0));
  }
}
