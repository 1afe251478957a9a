#include "compile_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "interruption.hpp"
#include "kiln/cache.hpp"
#include "manifest_file.hpp"
#include "operand.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "target_option.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

using State = ManifestOutcome::State;
using Json = nlohmann::ordered_json;

constexpr const char* kCompileFooter =
    R"(MANIFEST is a JSON file that lists kernels, or '-' for standard input. A program writes the manifest of what it uses
where it runs with KILN_RECORD=FILE; docs/manifest.md has the format, for those written by hand.

TARGET is a processor, which need not be there:
  sm_90, sm_80, ...       NVIDIA, by compute capability (NVRTC, or Clang)
  gfx90a, gfx1030, ...    AMD, by architecture (hipRTC, or Clang)
  x86-64, x86-64-v2 .. v4 any CPU of that level
  native                  this machine's CPU

Examples:
  KILN_RECORD=kernels.json ./simulation --short-run
  kiln compile kernels.json --target sm_90,gfx90a,native
  kiln compile kernels.json --target sm_90 --dir ./shipped-kernels -j 8

Exit status: 0 every kernel is in the cache. 1: a kernel does not compile or could not be kept (a cache that is refused, a full
disk), or something else failed. The other kernels are in the cache. 2: the command line is wrong. 130: Ctrl-C stopped it; what
was compiled until then is in the cache.)";

constexpr const char* name_of(State state) {
  switch (state) {
    case State::found:
      return "found";
    case State::compiled:
      return "compiled";
    case State::failed:
      break;
  }
  return "failed";
}

/// Counts the faults of the cache, and shows them.
class Warnings {
 public:
  Warnings() {
    cache::set_log([this](std::string_view line) {
      count_.fetch_add(1, std::memory_order_relaxed);
      print_warning(line);
    });
  }
  ~Warnings() { cache::set_log(print_warning); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  [[nodiscard]] int count() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> count_{0};
};

std::string line_of(const ManifestKernel& kernel, const ManifestOutcome& outcome) {
  const std::string time = outcome.state == State::compiled ? fmt::format(" in {:.0f} ms", outcome.compile_ms) : "";
  // It is not known where the source could not be made.
  const std::string variant = kernel.variant.empty() ? "" : ", " + kernel.variant;
  return fmt::format("{} {} for {}: {}{}{}{}", name_of(outcome.state), kernel.kernel, kernel.target, kernel.signature, variant,
                     time, outcome.kept ? "" : ", not kept");
}

Json json_of(const std::string& manifest, const ManifestKernel& kernel, const ManifestOutcome& outcome) {
  Json json{{"manifest", manifest},           {"where", kernel.where},     {"kernel", kernel.kernel},
            {"signature", kernel.signature},  {"variant", kernel.variant}, {"target", kernel.target},
            {"state", name_of(outcome.state)}};
  if (outcome.state == State::failed) {
    json["error"] = outcome.error;
  } else {
    json["compile_ms"] = outcome.compile_ms;
    json["kept"] = outcome.kept;
  }
  return json;
}

}  // namespace

CompileCommand::CompileCommand(CLI::App& app) {
  set_usage(app, "kiln compile [OPTIONS] MANIFEST... --target TARGET[,TARGET...]");
  set_footer(app, kCompileFooter);
  add_words(app, "manifests", paths_, "What lists the kernels", "MANIFEST");
  add_target_option(app, targets_, "Compile for these processors; may be repeated");
  add_number(app, "-j,--jobs", jobs_, "Compile N kernels at a time; the number of CPUs by default", "N", 1, 1024);
  choice_.add_to(app);
  add_flag(app, "-q,--quiet", quiet_, "Print nothing but errors and warnings");
  add_flag(app, "--exact", exact_, "Compile what the calls load, and nothing for arrays of other sizes and alignments");
  add_flag(app, "--strict", strict_, "Fail also for warnings: of a kernel, a damaged entry, a disk that fails");
}

std::vector<std::string> CompileCommand::targets() const {
  if (targets_.empty()) throw UsageError("no target: give --target, as in --target sm_90,gfx90a,x86-64-v3,native");
  return unique_targets(targets_);
}

std::vector<CompileCommand::Source> CompileCommand::read() const {
  if (paths_.empty()) throw UsageError("no manifest: give a JSON file that lists kernels, or '-' for standard input");
  if (std::count_if(paths_.begin(), paths_.end(), is_standard_stream) > 1) {
    throw UsageError("standard input ('-') can be read only once");
  }
  std::vector<Source> sources;
  for (const std::string& path : paths_) {
    sources.push_back({is_standard_stream(path) ? "standard input" : path, read_manifest(path)});
  }
  return sources;
}

int CompileCommand::run() {
  using Clock = std::chrono::steady_clock;
  const std::vector<std::string> targets = this->targets();
  const std::vector<Source> sources = read();
  const Clock::time_point start = Clock::now();
  // What cannot be done at all is reported before anything is compiled.
  std::size_t total = 0;
  for (const Source& source : sources) {
    for (const std::string& target : targets) total += count_kernels(source.manifest, target, !exact_);
  }
  const bool json = choice_.json();
  const Cache cache = choice_.writable(/*made=*/true);
  Progress progress(json || quiet_ ? Progress::Style::none : Progress::style_of_terminal(), total);
  const Warnings warnings;
  const Interruption interruption;
  Manifest::CompileReport sum;
  Json kernels = Json::array();
  for (const Source& source : sources) {
    Manifest::CompileOptions options;
    options.jobs = jobs_;
    options.cache = cache;
    options.other_sizes = !exact_;
    options.progress = [&](const ManifestKernel& kernel, const ManifestOutcome& outcome) {
      progress.advance(line_of(kernel, outcome), fmt::format("{} {}", kernel.target, kernel.kernel));
      if (outcome.state == State::failed) {
        progress.clear();
        print_error(fmt::format("{}: {}: the kernel does not compile\n{}", source.name, kernel.where, outcome.error));
      }
      if (json) kernels.push_back(json_of(source.name, kernel, outcome));
      return Interruption::signal() == 0;
    };
    const Manifest::CompileReport report = source.manifest.compile(targets, options);
    sum.found += report.found;
    sum.compiled += report.compiled;
    sum.failed += report.failed;
    sum.not_kept += report.not_kept;
    if (Interruption::signal() != 0) break;
  }
  progress.clear();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const std::size_t left = total - sum.found - sum.compiled - sum.failed;
  if (json) {
    print_json({{"compiled", sum.compiled},
                {"found", sum.found},
                {"failed", sum.failed},
                {"not_kept", sum.not_kept},
                {"left", left},
                {"seconds", seconds},
                {"warnings", warnings.count()},
                {"kernels", std::move(kernels)}});
  } else if (!quiet_) {
    print(fmt::format("{} compiled, {} found, {} failed in {:.1f} s{}\n", sum.compiled, sum.found, sum.failed, seconds,
                      left > 0 ? fmt::format("; stopped with {} left", left) : ""));
  }
  if (sum.not_kept > 0) {
    const std::string place = choice_.directory().empty() ? cache.directory() : choice_.directory();
    print_error(fmt::format(
        "{} of {} compiled kernels could not be kept: {}", sum.not_kept, sum.compiled,
        place.empty() ? "there is no cache directory that can be used; give --dir" : "failed to write to " + place));
  }
  if (left > 0 && Interruption::signal() != 0) return 128 + Interruption::signal();
  return sum.failed > 0 || sum.not_kept > 0 || (strict_ && warnings.count() > 0) ? kFailed : kDone;
}

}  // namespace kiln::tool
