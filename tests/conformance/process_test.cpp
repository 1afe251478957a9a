// What holds for a whole process: definitions before main(), a clean end, fork(), and what it finds in the cache.
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::test::TemporaryDirectory;

namespace {

// Made before main(): a definition opens nothing.
const kiln::Ufunc global_hypotenuse = kiln::vectorize(
    {.name = "hypotenuse", .signatures = {"float64(float64 a, float64 b)"}, .body = "return sqrt(a * a + b * b);"});

struct Ended {
  int status;  ///< exit status, -1 where a signal ended it
  std::string output;
  /// The rest of the line that begins so; "absent" where there is none.
  [[nodiscard]] std::string after(const std::string& start) const {
    const std::string text = "\n" + output;
    const std::size_t at = text.find("\n" + start);
    if (at == std::string::npos) return "absent";
    const std::size_t from = at + 1 + start.size();
    return text.substr(from, text.find('\n', from) - from);
  }
};

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

/// Runs the probe beside this program with that cache.
Ended probe(const std::string& arguments, const std::filesystem::path& cache) {
  const std::filesystem::path folder = std::filesystem::canonical("/proc/self/exe").parent_path();
  const std::string command = "KILN_CACHE_DIR=" + quoted(cache.string()) +
                              " KILN_CACHE_READONLY_DIRS= " + quoted((folder / "kiln-conformance-probe").string()) + " " +
                              arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ended ended{-1, {}};
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ended.output.append(buffer, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  return ended;
}

constexpr std::initializer_list<Mode> kOnce = {Mode::device};

}  // namespace

TEST_CASE("process: a definition at namespace scope") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::float64, {3, 5}));
    const Array b = target.place(make(DType::float64, {4, 12}));
    CHECK(difference(read(target.fetch(target.call(global_hypotenuse, {a, b}))), {5, 13}) == "");
  });
}

TEST_CASE("process: one that calls nothing loads no compiler") {
  const TemporaryDirectory folder;
  const Ended ended = probe("idle", folder / "cache");
  CHECK(ended.status == 0);
  CHECK(ended.output == "compiler_started 0\n");
  CHECK(!std::filesystem::exists(folder / "cache"));
}

TEST_CASE("process: it ends cleanly with work in the queue and everything in static storage") {
  const TemporaryDirectory folder;
  on_every_device(
      [&](const Target& target) {
        const Ended ended = probe("leave " + to_string(target.device()), folder / "cache");
        CHECK(ended.status == 0);
        CHECK(ended.output == "");
      },
      kOnce);
}

TEST_CASE("process: after fork the CPU works, a GPU is a clear error, and the parent goes on") {
  const TemporaryDirectory folder;
  on_every_device(
      [&](const Target& target) {
        if (!kiln::Device::all().front().is_cpu()) return;  // a build without the CPU backend has nothing to run in the child
        const std::string device = to_string(target.device());
        const Ended ended = probe("split " + device + " m" + std::to_string(seed()), folder / "cache");
        INFO(ended.output);
        CHECK(ended.status == 0);
        CHECK(ended.after("parent ") == "1");
        CHECK(ended.after("child known ") == "1");
        CHECK(ended.after("child new ") == "1");
        CHECK(ended.after("child left ") == "3");
        CHECK(ended.after("parent again ") == "1");
        CHECK(ended.after("parent new ") == "1");
        if (target.device().is_cpu()) return;
        CHECK(ended.after("child gpu: ") ==
              "cannot use " + device +
                  " in a process forked from one that used kiln: GPU contexts do not survive fork(); "
                  "restart the process (exec) or use the CPU");
      },
      kOnce);
}

TEST_CASE("process: a warm start takes kernels from the disk and loads no compiler") {
  on_every_device(
      [&](const Target& target) {
        const TemporaryDirectory folder;
        const std::string arguments = "run " + to_string(target.device()) + " warm";
        const Ended cold = probe(arguments, folder / "cache");
        INFO(cold.output);
        CHECK(cold.status == 0);
        CHECK(cold.after("right ") == "1");
        CHECK(cold.after("compiles ") == "1");
        CHECK(cold.after("disk_hits ") == "0");
        CHECK(cold.after("compiler_started ") == (target.device().is_cpu() ? "1" : "0"));
        const Ended warm = probe(arguments, folder / "cache");
        INFO(warm.output);
        CHECK(warm.after("right ") == "1");
        CHECK(warm.after("compiles ") == "0");
        CHECK(warm.after("disk_hits ") == "1");
        CHECK(warm.after("compiler_started ") == "0");
        CHECK(warm.after("log: ") == "absent");
      },
      kOnce);
}

TEST_CASE("process: a cache that cannot be used costs a line in the log, not the call") {
  on_every_device(
      [&](const Target& target) {
        const TemporaryDirectory folder;
        const std::string arguments = "run " + to_string(target.device()) + " unwritable";
        const auto check = [&](const std::filesystem::path& cache) {
          const Ended ended = probe(arguments, cache);
          INFO(ended.output);
          CHECK(ended.status == 0);
          CHECK(ended.after("right ") == "1");
          CHECK(ended.after("compiles ") == "1");
          CHECK(ended.after("log: ").find(cache.string()) != std::string::npos);
        };
        std::ofstream(folder / "file") << "no folder";
        check(folder / "file/cache");
        check(folder / "file");
        const std::filesystem::path open = folder / "open";
        std::filesystem::create_directory(open);
        REQUIRE(chmod(open.c_str(), 0777) == 0);
        check(open);
        CHECK(std::filesystem::is_empty(open));
      },
      kOnce);
}

TEST_CASE("process: damaged entries are compiled again") {
  on_every_device(
      [&](const Target& target) {
        const TemporaryDirectory folder;
        const std::string arguments = "run " + to_string(target.device()) + " damaged";
        CHECK(probe(arguments, folder / "cache").after("compiles ") == "1");
        std::size_t damaged = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "cache")) {
          if (!entry.is_regular_file() || entry.file_size() < 1000) continue;
          std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
          file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
          file << "damage";
          ++damaged;
        }
        CHECK(damaged == 1);
        const Ended ended = probe(arguments, folder / "cache");
        INFO(ended.output);
        CHECK(ended.after("right ") == "1");
        CHECK(ended.after("compiles ") == "1");
        CHECK(ended.after("log: ") != "absent");
        CHECK(probe(arguments, folder / "cache").after("disk_hits ") == "1");
      },
      kOnce);
}

TEST_CASE("process: several that want one kernel compile it once") {
  on_every_device(
      [&](const Target& target) {
        const TemporaryDirectory folder;
        int compiles = 0;
        std::vector<Ended> ended(4);
        std::vector<std::thread> threads;
        for (Ended& one : ended) {
          threads.emplace_back(
              [&one, &target, &folder] { one = probe("run " + to_string(target.device()) + " together", folder / "cache"); });
        }
        for (std::thread& thread : threads) thread.join();
        for (const Ended& one : ended) {
          INFO(one.output);
          CHECK(one.after("right ") == "1");
          compiles += one.after("compiles ") == "1" ? 1 : 0;
        }
        CHECK(compiles == 1);
      },
      kOnce);
}

TEST_CASE("process: calls work in handlers of atexit() and in destructors of static objects") {
  on_every_device(
      [&](const Target& target) {
        const TemporaryDirectory folder;
        const Ended ended = probe("use_late " + to_string(target.device()), folder / "cache");
        INFO(ended.output);
        const std::string values = " 600000 6 3000 9 CompileError\n";
        CHECK(ended.status == 0);
        const std::string before_end = "main" + values + "behind" + values;
        if (target.device().is_cpu()) {
          CHECK(ended.output == before_end + "before" + values + "destructor" + values);
        } else {
          // Then a vendor's library may be gone: an error.
          CHECK(ended.output.starts_with(before_end + "before"));
          CHECK(ended.output.find("\ndestructor") != std::string::npos);
        }
      },
      kOnce);
}

TEST_CASE("process: exit() while other threads compile ends it at once") {
  on_every_device(
      [&](const Target& target) {
        if (!target.device().is_cpu()) return;
        for (int turn = 0; turn < 5; ++turn) {
          const TemporaryDirectory folder;
          const Ended ended = probe("exit_early cpu turn" + std::to_string(turn), folder / "cache");
          INFO(ended.output);
          CHECK(ended.status == 7);
        }
      },
      kOnce);
}
