// Another program, run without a shell: its output and how it ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace kiln::base {

struct ProcessOptions {
  std::chrono::milliseconds time_limit = std::chrono::seconds(60);  ///< then it is killed, with what it started
  std::size_t output_limit = std::size_t{256} << 20;                ///< bytes of output or errors; beyond it, too
};

struct ProcessResult {
  enum class End { exited, signalled, timed_out, too_much_output, not_started } end = End::not_started;
  int status = 0;      ///< the exit status, the signal, or errno where it was not started
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Waits for it. It gets this process's environment, an empty standard input, and a process group of its own. `program` is a
/// path; `arguments` do not include it.
[[nodiscard]] ProcessResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                                        const ProcessOptions& options = {});

/// "exited with status 1", "was ended by signal 9", "did not end within 60 s", …
[[nodiscard]] std::string describe(const ProcessResult& result, const ProcessOptions& options = {});

}  // namespace kiln::base
