// Where the command writes: through links, into pipes, in place of older files; and what stays behind where it is stopped.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "command.hpp"
#include "evaluation.hpp"

using cli::contains;
using cli::run;
using cli::sample;
using cli::Scratch;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kPair{"eval", "(int32 q, int32 r) f(int32 a) { q = a; r = a; }", sample("dividend")};

std::vector<std::string> pair_to(const std::string& q, const std::string& r) {
  std::vector<std::string> words = kPair;
  words.insert(words.end(), {"-o", q, "-o", r});
  return words;
}

std::vector<std::string> twice_to(const std::string& name) {
  return {"eval", cli::kTwice, sample("a"), "-o", name};
}

fs::perms mode_of(const std::string& path) {
  return fs::status(path).permissions();
}

/// A .npy file of so many zeros.
std::string zeros(std::size_t count) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\1\0\x76\0", 10) + header + "\n" + std::string(8 * count, '\0');
}

}  // namespace

TEST_CASE("a link whose target is missing keeps pointing, and the target is made") {
  const Scratch scratch;
  fs::create_symlink("later.npy", scratch.file("link"));
  CHECK(run(twice_to(scratch.file("link"))).status == 0);
  CHECK(fs::is_symlink(scratch.file("link")));
  CHECK(cli::read_npy(scratch.file("later.npy")).shape == "203,");
  CHECK(scratch.count() == 2);
  fs::create_symlink("circle", scratch.file("circle"));
  const auto circle = run(twice_to(scratch.file("circle")));
  CHECK(circle.status == 1);
  CHECK(circle.err == "kiln: error: cannot write \"" + scratch.file("circle") + "\": its symbolic links lead in a circle\n");
}

TEST_CASE("two outputs of one file are refused, however it is spelled; a device takes both") {
  const Scratch scratch;
  fs::create_symlink("o.npy", scratch.file("link"));
  const auto refused = [&](const std::string& one, const std::string& other) {
    const auto result = run(pair_to(one, other), {.folder = scratch.path()});
    CHECK(result.status == 2);
    CHECK(scratch.count() == 1);
    return result.err.substr(0, result.err.find('\n'));
  };
  CHECK(refused("o.npy", "o.npy") == "kiln: error: two outputs would go to \"o.npy\": give each its own -o");
  CHECK(refused("o.npy", "./o.npy") ==
        "kiln: error: two outputs would go to \"./o.npy\", which is \"o.npy\": give each its own -o");
  CHECK(refused("link", "o.npy") == "kiln: error: two outputs would go to \"o.npy\", which is \"link\": give each its own -o");
  CHECK(refused("-", "-") == "kiln: error: two outputs would go to \"-\": give each its own -o");
  CHECK(run(pair_to("/dev/null", "/dev/null")).status == 0);
}

TEST_CASE("a file that is replaced keeps its mode; one that its owner protected stays") {
  const Scratch scratch;
  cli::write_file(scratch.file("o.npy"), "older");
  for (const unsigned mode : {0600U, 0666U}) {
    fs::permissions(scratch.file("o.npy"), fs::perms(mode));
    CHECK(run(twice_to(scratch.file("o.npy"))).status == 0);
    CHECK(mode_of(scratch.file("o.npy")) == fs::perms(mode));
  }
  if (geteuid() == 0) return;  // root may write anywhere
  cli::write_file(scratch.file("o.npy"), "older");
  fs::permissions(scratch.file("o.npy"), fs::perms(0444));
  CHECK(run(twice_to(scratch.file("o.npy"))).status == 1);
  CHECK(cli::read_file(scratch.file("o.npy")) == "older");
}

TEST_CASE("outputs have any name that a file can have") {
  const Scratch scratch;
  const std::string longest = std::string(251, 'n') + ".npy";
  CHECK(run(twice_to(longest), {.folder = scratch.path()}).status == 0);
  CHECK(run(twice_to("-1"), {.folder = scratch.path()}).status == 0);
  CHECK(fs::is_regular_file(scratch.file(longest)));
  CHECK(fs::is_regular_file(scratch.file("-1")));
  CHECK(scratch.count() == 2);
}

TEST_CASE("a disk that is full is told with the user's name for the file") {
  const Scratch scratch;
  // A limit on the size of files stands in for it.
  cli::write_file(scratch.file("i.npy"), zeros(1 << 18));
  const std::string shell = std::string("trap '' XFSZ; ulimit -f 1024; KILN_CACHE_DIR= ") + KILN_CLI_COMMAND +
                            " eval negative " + scratch.file("i.npy") + " -o " + scratch.file("o.npy") + " 2> " +
                            scratch.file("err");
  const int status = std::system(shell.c_str());  // NOLINT(concurrency-mt-unsafe): this program has one thread
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(cli::read_file(scratch.file("err")) ==
        "kiln: error: failed to write \"" + scratch.file("o.npy") + "\": cannot write: File too large\n");
  CHECK(scratch.count() == 2);
}

TEST_CASE("a limit on the size of files is told, and leaves nothing behind") {
  const Scratch scratch;
  const Scratch temporary;
  cli::write_file(scratch.file("i.npy"), zeros(1 << 16));
  const auto limited = [&](std::vector<std::string> words, std::uint64_t limit, const std::string& input = "") {
    words.insert(words.begin(), {"eval", "negative"});
    const auto result = run(words, {.input = input,
                                    .environment = {{"TMPDIR", temporary.path()}, {"KILN_CACHE_DIR", ""}},
                                    .folder = scratch.path(),
                                    .file_limit = limit});
    CHECK(result.status == 1);
    CHECK(result.out == "");
    CHECK(temporary.count() == 0);
    CHECK(scratch.count() == 1);
    return result.err;
  };
  constexpr std::uint64_t kRoomForAKernel = 1 << 16;
  CHECK(limited({"i.npy", "-o", "o.npy"}, kRoomForAKernel) ==
        "kiln: error: failed to write \"o.npy\": cannot write: File too large\n");
  CHECK(limited({"i.npy", "-o", "-"}, kRoomForAKernel) ==
        "kiln: error: failed to write standard output: cannot write: File too large\n");
  const std::string copy = limited({"-"}, kRoomForAKernel, zeros(1 << 16));
  CHECK(copy.starts_with("kiln: error: cannot copy standard input to \"" + temporary.path() + "/kiln-"));
  CHECK(copy.ends_with("/standard-input.npy\": File too large\n"));
  CHECK(limited({"i.npy", "-o", "o.npy"}, 1024).ends_with(": File too large\n"));  // of the kernel's own files
}

TEST_CASE("a pipe that nobody reads any longer leaves no copy behind") {
  const Scratch scratch;
  const Scratch temporary;
  cli::write_file(scratch.file("big.npy"), zeros(1 << 17));
  const std::string shell = "TMPDIR=" + temporary.path() + " " + KILN_CLI_COMMAND + " eval negative " +
                            scratch.file("big.npy") + " -o - | head -c 10 > " + scratch.file("out");
  CHECK(std::system(shell.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe): this program has one thread
  CHECK(fs::file_size(scratch.file("out")) == 10);
  CHECK(temporary.count() == 0);
}

TEST_CASE("a signal while standard input is read leaves no copy behind") {
  const Scratch scratch;
  const Scratch temporary;
  REQUIRE(mkfifo(scratch.file("in").c_str(), 0600) == 0);
  const int input = open(scratch.file("in").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(input >= 0);
  const std::string begin = zeros(1000).substr(0, 4000);
  REQUIRE(write(input, begin.data(), begin.size()) == static_cast<ssize_t>(begin.size()));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, scratch.file("in").c_str(), O_RDONLY, 0);
  std::string words[] = {KILN_CLI_COMMAND, "eval", "negative", "-"};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  std::string folder = "TMPDIR=" + temporary.path();
  std::string cache = "KILN_CACHE_DIR=";
  char* const environment[] = {folder.data(), cache.data(), nullptr};
  for (const int number : {SIGTERM, SIGINT}) {
    pid_t child = 0;
    REQUIRE(posix_spawn(&child, KILN_CLI_COMMAND, &actions, nullptr, arguments, environment) == 0);
    for (int i = 0; i < 6000 && temporary.count() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(temporary.count() == 1);
    kill(child, number);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK(temporary.count() == 0);
  }
  posix_spawn_file_actions_destroy(&actions);
  close(input);
}

TEST_CASE("help that cannot be written is a failure") {
  for (const char* word : {"--help", "--version"}) {
    const auto result = run({word}, {.out_path = "/dev/full"});
    CHECK(result.status == 1);
    CHECK(result.err == "kiln: error: cannot write to standard output: No space left on device\n");
  }
}

TEST_CASE("a message that cannot be written changes no status") {
  const std::vector<std::string> wrong{"eval", "-d", "cpu", "float32 f(float32 a) = a + zz", "2"};
  CHECK(run(wrong, {.err_path = "/dev/full"}).status == 1);
  CHECK(run({"--help"}, {.out_path = "/dev/full", .err_path = "/dev/full"}).status == 1);
  CHECK(run({"--help"}, {.closed = {1, 2}}).status == 1);
  CHECK(run({"nocmd"}, {.closed = {2}}).status == 2);
  CHECK(run({"eval", "--nope"}, {.closed = {1, 2}}).status == 2);
  CHECK(run({"eval", "negative", "1", "--time"}, {.err_path = "/dev/full"}).out == "-1\n");
}

TEST_CASE("a standard descriptor that is closed is taken by no other file") {
  const std::map<std::string, std::string> cold{{"KILN_CACHE_DIR", ""}};
  const std::vector<std::string> words{"eval", "-d", "cpu", cli::kTwice, "2"};
  const auto no_output = run(words, {.environment = cold, .closed = {1}});
  CHECK(no_output.status == 1);
  CHECK(no_output.err == "kiln: error: cannot write to standard output: Bad file descriptor\n");
  CHECK(run(words, {.environment = cold, .closed = {0, 2}}).out == "4.0\n");
  const auto no_input = run({"eval", "negative", "-"}, {.closed = {0}});
  CHECK(no_input.status == 1);
  CHECK(no_input.err ==
        "kiln: error: failed to read standard input: the file ends after 0 bytes, within the magic string (at byte 0)\n");
}
