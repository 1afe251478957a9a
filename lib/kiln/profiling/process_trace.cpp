// KILN_TRACE and KILN_TRACE_RANGES: what a whole process did.
#include <unistd.h>
#include <array>

#include <filesystem>

#include "base/at_exit.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "profiling/collector.hpp"
#include "profiling/trace.hpp"

namespace kiln::profiling {
namespace {

struct ProcessTrace {
  std::string path;
  std::shared_ptr<Collector> collector;
};
constinit ProcessTrace* process_trace = nullptr;

std::string with_process_number(std::string path) {
  const std::string number = std::to_string(getpid());  // a forked child has its own
  for (std::size_t at = 0; (at = path.find("%p", at)) != std::string::npos; at += number.size()) path.replace(at, 2, number);
  return path;
}

void write_at_exit() {
  try {
    process_trace->collector->settle();
    write_trace(with_process_number(process_trace->path), process_trace->collector->records(),
                process_trace->collector->dropped());
  } catch (const std::exception& error) {
    base::tell_line(std::string("KILN_TRACE: ") + error.what());
  }
}

}  // namespace

std::shared_ptr<Collector> open_process_trace() noexcept {
  try {
    const std::string path = base::env("KILN_TRACE").value_or("");
    static constexpr std::array<std::string_view, 2> kWords{"0", "1"};
    const bool ranges = base::env_word("KILN_TRACE_RANGES", kWords, "calls are no ranges").value == "1";
    if (path.empty() && !ranges) return nullptr;
    ProfileOptions options{.all_threads = true, .ranges = ranges};
    if (path.empty()) options.limit = 0;
    auto collector = std::make_shared<Collector>(std::move(options), std::nullopt);
    if (path.empty()) return collector;
    // The process may change its folder later.
    auto made = std::make_unique<ProcessTrace>(ProcessTrace{std::filesystem::absolute(path).string(), collector});
    process_trace = made.release();
    base::at_exit<write_at_exit>();
    return collector;
  } catch (const std::exception& error) {
    base::tell_line(std::string("KILN_TRACE: ") + error.what());
    return nullptr;
  }
}

}  // namespace kiln::profiling
