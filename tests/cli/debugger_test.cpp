// Debuggers and profilers of the host see kernels in debug mode: by their names, with the user's text.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "command.hpp"

namespace {

const std::string kKernel = "float32 squash(float32 x) = x * 2 + deeper(x)";
const std::string kFunctions = "__attribute__((noinline)) float32 deeper(float32 a) {\n  return a > 3 ? a : -a;\n}\n";

/// The only folder in the cache's "debug".
std::string debug_folder(const std::string& cache) {
  return std::filesystem::directory_iterator(cache + "/debug")->path().string();
}

bool have(const char* program) {
  if (std::system((std::string(program) + " --version > /dev/null 2>&1").c_str()) == 0) return true;
  std::printf("KILN-NOT-RUN %s 1\n", program);
  return false;
}

}  // namespace

TEST_CASE("debugger: gdb stops inside a body by the kernel's name, and shows its text") {
  if (!have("gdb")) return;
  const cli::Scratch scratch;
  cli::write_file(scratch.file("functions.hpp"), kFunctions);
  const cli::Result result =
      cli::run({"eval", "--debug", "--functions", "@" + scratch.file("functions.hpp"), kKernel, cli::sample("a"), "-o",
                scratch.file("out.npy")},
               {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}, {"KILN_DEVICE", "cpu"}, {"DEBUGINFOD_URLS", ""}},
                .under = {"gdb",      "-nx",          "-batch",   "-ex",          "set breakpoint pending on",
                          "-ex",      "break squash", "-ex",      "break deeper", "-ex",
                          "run",      "-ex",          "delete 1", "-ex",          "continue",
                          "-ex",      "backtrace 2",  "-ex",      "delete",       "-ex",
                          "continue", "--args"}});
  CAPTURE(result.out);
  CAPTURE(result.err);
  const std::string folder = debug_folder(scratch.file("cache"));
  CHECK(result.out.find("Breakpoint 1, kiln::user::squash (x=") != std::string::npos);
  CHECK(result.out.find(" at " + folder + "/squash:1\n1\t") != std::string::npos);
  CHECK(result.out.find("Breakpoint 2, kiln::user::deeper (a=") != std::string::npos);
  CHECK(result.out.find(" at " + folder + "/squash.functions:2\n2\t  return a > 3 ? a : -a;\n") != std::string::npos);
  CHECK(result.out.find("in kiln::user::squash (x=") != std::string::npos);
  CHECK(result.out.find("exited normally") != std::string::npos);
  CHECK(std::filesystem::exists(scratch.file("out.npy")));
}

TEST_CASE("debugger: perf has the kernel's name and file") {
  if (!have("perf")) return;
  const cli::Scratch scratch;
  const std::string kernel =
      "int64 spin(int64 n) { int64 s = 0; for (int64 i = 0; i < 40000000; ++i) s = s * 3 + (i ^ n); return s; }";
  const auto record = [&](const std::vector<std::string>& more, const char* map) {
    std::vector<std::string> words{"eval", kernel, "3", "-o", scratch.file("out.npy")};
    words.insert(words.begin() + 1, more.begin(), more.end());
    const cli::Result run = cli::run(
        words, {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}, {"KILN_DEVICE", "cpu"}, {"KILN_PERF_MAP", map}},
                .under = {"perf", "record", "-q", "-e", "cpu-clock", "-o", scratch.file("perf.data"), "--"}});
    CAPTURE(run.err);
    if (run.status != 0) {
      std::printf("KILN-NOT-RUN perf 1\n");  // not allowed here
      return std::string();
    }
    const std::string report = "perf report -q --stdio --sort dso,symbol -i " + scratch.file("perf.data") + " > " +
                               scratch.file("report") + " 2> /dev/null";
    CHECK(std::system(report.c_str()) == 0);
    return cli::read_file(scratch.file("report"));
  };
  const std::string debugged = record({"--debug"}, "");
  if (debugged.empty()) return;
  CAPTURE(debugged);
  CHECK(debugged.find("spin.so") != std::string::npos);
  CHECK(debugged.find("kiln_kernel") != std::string::npos);
  const std::string plain = record({}, "1");  // code that is placed in memory has its names in a map
  CAPTURE(plain);
  CHECK(plain.find("spin") != std::string::npos);
}
