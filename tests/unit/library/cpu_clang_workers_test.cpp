// Clang in processes of its own: however a compile ends there, here it is an error, and the next one works.
#include "library/clang_workers.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.hpp"
#include "compiler/compiler_ended.hpp"
#include "compiler/cpu/compiler.hpp"
#include "device/cpu_kernels.hpp"
#include "kiln/cache.hpp"
#include "kiln/device_code.hpp"
#include "library/clang_module.hpp"
#include "library/compile_limits.hpp"

namespace kiln {
namespace {

using test::binary_request;

/// A body whose preprocessing takes longer than anybody waits: 2^60 expansions, each of which is `of`.
std::string endless(const std::string& of) {
  std::string text = "#define D0 " + of + "\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string before = " D" + std::to_string(i - 1);
    text += "#define D" + std::to_string(i) + before + before + "\n";
  }
  return text + "return a D60;";
}

backend::CompilerEnded end_of(const backend::CompileRequest& request) {
  try {
    static_cast<void>(backend::cpu::native_compiler()->compile(request));
  } catch (const backend::CompilerEnded& error) {
    return error;
  }
  FAIL("it compiled");
  throw std::logic_error("unreachable");
}

std::string text_of(const CompileError& error) {
  return error.diagnostics().at(0).text;
}

bool compiles(const std::string& body) {
  return !backend::cpu::native_compiler()->compile(binary_request(body)).code.empty();
}

std::string repeated(std::size_t times, const std::string& what) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += what;
  return all;
}

/// The processes that compile for the one whose environment has this variable.
std::vector<pid_t> workers_with(const std::string& variable) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto read = [&](const char* file) {
      std::ifstream stream(entry.path() / file);
      return std::string((std::istreambuf_iterator<char>(stream)), {});
    };
    if (read("comm") == "kiln-clang\n" && read("environ").find(variable) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace

TEST_CASE("clang workers: a text that is nested too deeply is an error, and the next one compiles") {
  CHECK(compiles("return " + repeated(5000, "- ") + "a;"));
  const std::string body = "return " + repeated(1'000'000, "- ") + "a;";
  const backend::CompilerEnded error = end_of(binary_request(body));
  CHECK(text_of(error) ==
        "clang's stack of 256 MiB is full: the text, or what its macros and templates make of it, is nested too deeply");
  CHECK_FALSE(error.by_chance());
  CHECK(error.source().find(body) != std::string::npos);
  CHECK(error.compiler() == "Clang " + std::string(backend::cpu::clang_version()));
  CHECK(compiles("return a;"));
}

TEST_CASE("clang workers: limits [child]" * doctest::skip()) {
  const bool of_time = test::from_parent("KILN_COMPILE_MAX_BYTES") == "0";
  const backend::CompilerEnded error = end_of(binary_request(endless(of_time ? "" : "+ a")));
  CHECK(text_of(error) ==
        (of_time ? "clang did not end within 0.2 s of the processor's time: simplify the text, or raise the limit "
                   "(KILN_COMPILE_SECONDS)"
                 : "clang needs more than 64 MiB of memory: simplify the text, or raise the limit "
                   "(KILN_COMPILE_MAX_BYTES)"));
  CHECK(error.by_chance() == of_time);
  // Where it was; a compile that is interrupted while it asks for memory cannot tell.
  if (!of_time) CHECK(error.log().find("probe:") != std::string::npos);
}
TEST_CASE("clang workers: a compile ends at its limit of time") {
  test::ChildProcess child("clang workers: limits [child]", {{"KILN_COMPILE_SECONDS", "0.2"}, {"KILN_COMPILE_MAX_BYTES", "0"}});
  CHECK(child.wait() == 0);
}
TEST_CASE("clang workers: a compile ends at its limit of memory") {
  test::ChildProcess child("clang workers: limits [child]", {{"KILN_COMPILE_SECONDS", "0"}, {"KILN_COMPILE_MAX_BYTES", "64M"}});
  CHECK(child.wait() == 0);
}

TEST_CASE("clang workers: a request has a limit of time of its own") {
  backend::CompileRequest request = binary_request(endless(""));
  request.time_limit = std::chrono::milliseconds(50);
  CHECK(
      text_of(end_of(request)) ==
      "clang did not end within 0.05 s of the processor's time: simplify the text, or raise the limit (KILN_COMPILE_SECONDS)");
}

TEST_CASE("clang workers: signals [child]" * doctest::skip()) {
  const std::string mark = "KILN_TEST_WORKER=" + test::from_parent("KILN_TEST_WORKER");
  const auto ended_by = [&](int signal) {
    REQUIRE(compiles("return a;"));  // and starts the worker
    const std::jthread sender([&](const std::stop_token& stop) {
      for (int tenths = 0; !stop.stop_requested(); ++tenths) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (tenths % 20 > 0) continue;
        for (const pid_t worker : workers_with(mark)) ::kill(worker, signal);
      }
    });
    const backend::CompilerEnded error = end_of(binary_request(endless("")));
    CHECK(error.by_chance() == (signal == SIGKILL || signal == SIGALRM));
    return text_of(error);
  };
  const std::pair<int, const char*> signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
                                                 {SIGFPE, "SIGFPE"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},
                                                 {SIGSYS, "SIGSYS"}};
  for (const auto& [signal, name] : signals) {
    CHECK(ended_by(signal) ==
          "clang crashed (" + std::string(name) + "): simplify the text, and report source() and log() of this error");
  }
  // Its clock's.
  CHECK(ended_by(SIGALRM) == "clang did not end within 1200 s, as it does where it waits for ever");
  CHECK(ended_by(SIGKILL) ==
        "clang's process ended without an answer, as it does where memory runs out, or where it is killed");
  CHECK(compiles("return a;"));
}
TEST_CASE("clang workers: a signal that ends the compiler is an error") {
  test::ChildProcess child("clang workers: signals [child]", {{"KILN_TEST_WORKER", std::to_string(::getpid())}});
  CHECK(child.wait() == 0);
}

TEST_CASE("clang workers: one that is kept ends with the question [child]" * doctest::skip()) {
  REQUIRE(compiles("return a;"));
  const std::vector<pid_t> kept = workers_with("KILN_TEST_WORKER=" + test::from_parent("KILN_TEST_WORKER"));
  REQUIRE(kept.size() == 1);
  ::kill(kept[0], SIGSTOP);
  const std::jthread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(kept[0], SIGKILL);
  });
  CHECK(compiles("return a + b;"));
}
TEST_CASE("clang workers: where one that is kept ends with the question a new one compiles") {
  test::ChildProcess child("clang workers: one that is kept ends with the question [child]",
                           {{"KILN_TEST_WORKER", std::to_string(::getpid())}});
  CHECK(child.wait() == 0);
}

TEST_CASE("clang workers: one that is kept is not asked by a thread that has fewer rights [child]" * doctest::skip()) {
  const std::string mark = "KILN_TEST_WORKER=" + test::from_parent("KILN_TEST_WORKER");
  REQUIRE(compiles("return a;"));
  const std::vector<pid_t> before = workers_with(mark);
  REQUIRE(before.size() == 1);
  REQUIRE(compiles("return a + b;"));
  CHECK(workers_with(mark) == before);
  REQUIRE(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(compiles("return a - b;"));
  for (int tenths = 0; tenths < 100 && workers_with(mark).size() > 1; ++tenths)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::vector<pid_t> after = workers_with(mark);
  REQUIRE(after.size() == 1);
  CHECK(after != before);
}
TEST_CASE("clang workers: one that is kept is not asked by a thread that has fewer rights") {
  test::ChildProcess child("clang workers: one that is kept is not asked by a thread that has fewer rights [child]",
                           {{"KILN_TEST_WORKER", std::to_string(::getpid())}});
  CHECK(child.wait() == 0);
}

TEST_CASE("clang workers: a program may close what it did not open and use its number [child]" * doctest::skip()) {
  REQUIRE(compiles("return a;"));
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  std::vector<int> taken;
  for (int number = 3; number < 256; ++number) {
    if (number == ends[0] || number == ends[1]) continue;
    struct stat file{};
    if (::fstat(number, &file) != 0 || !S_ISSOCK(file.st_mode)) continue;
    REQUIRE(::dup2(ends[1], number) == number);
    taken.push_back(number);
  }
  REQUIRE_FALSE(taken.empty());
  CHECK(compiles("return a + b;"));
  for (const int number : taken) CHECK(::fcntl(number, F_GETFD) >= 0);
  pollfd waiting{.fd = ends[0], .events = POLLIN, .revents = 0};
  CHECK(::poll(&waiting, 1, 0) == 0);  // nothing was written there
}
TEST_CASE("clang workers: a program may close what it did not open and use its number") {
  test::ChildProcess child("clang workers: a program may close what it did not open and use its number [child]", {});
  CHECK(child.wait() == 0);
}

TEST_CASE("clang workers: a program that gets the orphans keeps no dead ones [child]" * doctest::skip()) {
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
  const std::string mark = "KILN_TEST_WORKER=" + test::from_parent("KILN_TEST_WORKER");
  for (int round = 0; round < 3; ++round) {
    REQUIRE(compiles("return a;"));
    for (const pid_t worker : workers_with(mark)) ::kill(worker, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  CHECK(compiles("return a;"));
  siginfo_t dead{};
  ::waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT);
  CHECK(dead.si_pid == 0);
}
TEST_CASE("clang workers: a program that gets the orphans keeps no dead ones") {
  test::ChildProcess child("clang workers: a program that gets the orphans keeps no dead ones [child]",
                           {{"KILN_TEST_WORKER", std::to_string(::getpid())}});
  CHECK(child.wait() == 0);
}

TEST_CASE("clang workers: damaged bitcode is an error at most") {
  const backend::Compiler& compiler = *backend::cpu::native_compiler();
  const std::string functions = "extern \"C\" { __attribute__((used)) float twice(float x) { return x + x; } }";
  const std::string whole = compiler.device_code(binary_request("return twice(a);", functions), DeviceCodeForm::bitcode);
  backend::CompileRequest request = binary_request("return twice(a);", "extern \"C\" float twice(float);");
  std::mt19937 random(44);  // NOLINT: the same damage in every run
  int errors = 0;
  for (int round = 0; round < 100; ++round) {
    std::string damaged = whole;
    for (std::uint64_t bytes = 1 + random() % 6; bytes > 0; --bytes)
      damaged[8 + random() % (whole.size() - 8)] = static_cast<char>(random());
    request.link = {
        {.name = "damaged.bc", .format = backend::LinkFormat::bitcode, .bytes = std::make_shared<const std::string>(damaged)}};
    try {
      static_cast<void>(compiler.compile(request));
    } catch (const CompileError& error) {
      ++errors;
      CHECK_FALSE(text_of(error).empty());
    }
  }
  CHECK(errors > 50);
}

TEST_CASE("clang workers: without their program kernels are compiled in this process [child]" * doctest::skip()) {
  std::string log;
  cache::set_log([&](std::string_view line) { log += line; });
  CHECK(compiles("return a + b;"));
  cache::set_log({});
  const std::filesystem::path module = test::from_parent("KILN_CLANG");
  CHECK(log == "kernels are compiled in this process, which ends where Clang crashes: failed to start " +
                   (module.parent_path() / "kiln-clang").string() + ": No such file or directory");
}
TEST_CASE("clang workers: without their program kernels are compiled in this process") {
  std::string module;
  for (const std::string& candidate : backend::cpu::clang_module_candidates()) {
    if (module.empty() && std::filesystem::exists(candidate)) module = std::filesystem::absolute(candidate);
  }
  REQUIRE_FALSE(module.empty());
  const auto folder = std::filesystem::temp_directory_path() / ("kiln-workers-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink(module, folder / "libkiln-clang.so");
  test::ChildProcess child("clang workers: without their program kernels are compiled in this process [child]",
                           {{"KILN_CLANG", folder / "libkiln-clang.so"}});
  CHECK(child.wait() == 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("clang workers: limits are read from two variables") {
  std::string complaint;
  const backend::CompileLimits limits = backend::parse_compile_limits("0.5", "500M", complaint);
  CHECK(limits.time == std::chrono::milliseconds(500));
  CHECK(limits.memory == std::uint64_t{500} << 20);
  CHECK(complaint.empty());
  const backend::CompileLimits usual = backend::parse_compile_limits({}, "", complaint);
  CHECK(usual.time == std::chrono::minutes(2));
  CHECK(usual.memory == std::uint64_t{2} << 30);
  for (const char* wrong : {"soon", "-1", "1e300", "nan", "1,5"}) {
    CHECK(backend::parse_compile_limits(wrong, {}, complaint).time == usual.time);
    CHECK(complaint == "KILN_COMPILE_SECONDS is \"" + std::string(wrong) +
                           "\", which is no number of seconds; the limit is the default; write it as 0, 0.5 or 300");
  }
  CHECK(backend::parse_compile_limits({}, "much", complaint).memory == usual.memory);
  CHECK(complaint ==
        "KILN_COMPILE_MAX_BYTES is \"much\", which is no number of bytes; the limit is the default; write it as 0, "
        "500M or 2G");
}

}  // namespace kiln
