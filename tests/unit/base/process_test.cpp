#include "base/process.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include "temporary_directory.hpp"

using kiln::base::describe;
using kiln::base::ProcessOptions;
using kiln::base::ProcessResult;
using kiln::base::run_program;

namespace {

ProcessResult shell(const std::string& script, const ProcessOptions& options = {}) {
  return run_program("/bin/sh", {"-c", script}, options);
}

/// For a script that prints and then hangs: the limit grows until a machine under load has had the time to print.
std::pair<ProcessResult, ProcessOptions> until_output(const std::string& script) {
  ProcessOptions options{.time_limit = std::chrono::milliseconds(500)};
  ProcessResult result = shell(script, options);
  while (result.output.empty() && options.time_limit < std::chrono::seconds(60)) {
    options.time_limit *= 10;
    result = shell(script, options);
  }
  return {result, options};
}

}  // namespace

TEST_CASE("a program's output, errors and status") {
  const ProcessResult result = shell("echo one; echo two >&2; cat; exit 3");
  CHECK(result.end == ProcessResult::End::exited);
  CHECK(result.status == 3);
  CHECK(result.output == "one\n");
  CHECK(result.errors == "two\n");
  CHECK(describe(result) == "exited with status 3");
}

TEST_CASE("arguments are passed as they are") {
  const ProcessResult result = run_program("/bin/echo", {"a b", "$HOME", "*", ""});
  CHECK(result.output == "a b $HOME * \n");
}

TEST_CASE("more output than a pipe holds") {
  const ProcessResult result = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2");
  CHECK(result.end == ProcessResult::End::exited);
  CHECK(result.output.size() == 3000000);
  CHECK(result.errors.size() == 3000000);
}

TEST_CASE("a program that does not end is killed, with what it started") {
  const kiln::test::TemporaryDirectory directory;
  const auto [result, options] = until_output("sleep 1000 & echo $!; wait");
  CHECK(result.end == ProcessResult::End::timed_out);
  CHECK(describe(result, options) == "did not end within " + std::to_string(options.time_limit.count() / 1000) + " s");
  const int started = std::atoi(result.output.c_str());
  REQUIRE(started > 1);
  // Gone, or waiting for whoever adopts it. The signal takes its time to arrive.
  const auto gone = [&] {
    const std::string status = kiln::test::read_text("/proc/" + std::to_string(started) + "/status");
    return status.empty() || status.find("State:\tZ") != std::string::npos || status.find("State:\tX") != std::string::npos;
  };
  for (int attempt = 0; attempt < 1000 && !gone(); ++attempt) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(gone());
}

TEST_CASE("a program that closes its output and does not end is killed") {
  const ProcessResult result = until_output("echo all; exec >&- 2>&-; sleep 1000").first;
  CHECK(result.end == ProcessResult::End::timed_out);
  CHECK(result.output == "all\n");
}

TEST_CASE("a program that prints without end is killed") {
  const ProcessOptions options{.output_limit = 1000};
  const ProcessResult result = shell("yes", options);
  CHECK(result.end == ProcessResult::End::too_much_output);
  CHECK(describe(result, options) == "printed more than 1000 bytes");
}

TEST_CASE("a signal, and a program that is not there") {
  const ProcessResult result = shell("kill -KILL $$");
  CHECK(result.end == ProcessResult::End::signalled);
  CHECK(result.status == SIGKILL);
  CHECK(describe(result) == "was ended by signal 9");
  CHECK(describe(run_program("/nowhere/tool", {})) == "could not be started: No such file or directory");
}
