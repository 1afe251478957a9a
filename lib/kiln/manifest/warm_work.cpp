#include "manifest/warm_work.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.hpp"
#include "base/have_cpu.hpp"
#include "cache/folder.hpp"
#include "compiler/compiler.hpp"
#include "kiln/device.hpp"
#include "kiln/error.hpp"
#include "kiln/version.hpp"
#include "manifest/warm_plan.hpp"
#include "program/cache_impl.hpp"

namespace kiln::manifest {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs compiles on several threads until all are done, one fails, or the time is over.
class Compiles {
 public:
  Compiles(std::vector<const Wanted*> kernels, Clock::time_point end) : kernels_(std::move(kernels)), end_(end) {}

  void run(int threads) {
    const auto work = [&] {
      for (std::size_t i = next_.fetch_add(1); i < kernels_.size() && !failed_.load(); i = next_.fetch_add(1))
        one(*kernels_[i]);
    };
    std::vector<std::jthread> others;
    try {
      for (int i = 1; i < threads && static_cast<std::size_t>(i) < kernels_.size(); ++i) others.emplace_back(work);
    } catch (const std::system_error&) {
      // Fewer will do.
    }
    work();
  }
  [[nodiscard]] CompileResults take() { return {std::move(done_), std::move(error_)}; }

 private:
  void one(const Wanted& kernel) {
    bool shortened = false;
    try {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
      if (left.count() <= 0) {
        return fail(fmt::format("the time limit ended after {} of its {} compiles", count(), kernels_.size()));
      }
      program::Request request = kernel.request;
      shortened = request.time_limit.count() == 0 || request.time_limit > left;
      if (shortened) request.time_limit = left;
      const program::Job job = program::make_job(request, *kernel.job.by);
      program::Code code = program::build(request, *job.by);
      if (!code.kept && keeps(request.cache)) return fail(not_kept(kernel, request.cache));
      const std::lock_guard lock(mutex_);
      done_.push_back({&kernel, std::move(code)});
    } catch (const CompileError& error) {
      // A compile that met the limit took all of the time that was left.
      const bool late = shortened && Clock::now() >= end_ - std::chrono::milliseconds(1);
      fail((late ? "the time limit ended during a compile: " : "") + std::string(error.what()));
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  static bool keeps(const Cache& cache) { return program::impl_of(cache).has_directory(); }
  static std::string not_kept(const Wanted& kernel, const Cache& cache) {
    const cache::DiskStore& store = *program::impl_of(cache).store();
    return fmt::format("kernel \"{}\" cannot be stored in the cache {}{}", kernel.job.compile.name,
                       store.directory().empty() ? "directory, which is refused" : store.directory(), store.why_not_written());
  }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return done_.size();
  }
  void fail(const std::string& error) {
    const std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) error_ = error;
  }

  const std::vector<const Wanted*> kernels_;
  const Clock::time_point end_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string error_;
  std::vector<Compiled> done_;
};

}  // namespace

CompileResults compile_wanted(std::vector<const Wanted*> kernels, int threads, Clock::time_point end) {
  Compiles compiles(std::move(kernels), end);
  compiles.run(threads);
  return compiles.take();
}

std::vector<std::uint8_t> usable_processors() {
  std::vector<std::uint8_t> bits;
  for (int processors = 1024; processors <= 65536 && bits.empty(); processors *= 4) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(processors));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(processors));
    if (sched_getaffinity(0, bytes, set) == 0) {
      for (int i = 0; i < processors; ++i) {
        if (CPU_ISSET_S(static_cast<std::size_t>(i), bytes, set)) set_bit(bits, static_cast<std::size_t>(i));
      }
    }
    CPU_FREE(set);
  }
  if (bits.empty()) bits.push_back(1);
  return bits;
}

// Containers of one machine may have names of their own, and machines the same.
base::Hash128 this_host() {
  base::FileError error;
  std::string text;
  if (const auto id = base::read_file("/proc/sys/kernel/random/boot_id", {}, &error)) text = id->bytes;
  char name[256] = {};
  if (text.empty() && ::gethostname(name, sizeof name - 1) == 0) text = name;
  return base::hash128(text);
}

/// The processor and the GPUs of this process.
base::Hash128 environment_of(const std::string& manifest, const std::vector<std::string>& targets, int rank) {
  // What is stored where, or only reported.
  constexpr std::string_view kOthers[] = {"KILN_CACHE", "KILN_DEVICE", "KILN_LOG", "KILN_RECORD", "KILN_TEST"};
  std::vector<std::string> lines{KILN_VERSION, program::templates_digest(), gnu_get_libc_version()};
  for (const std::string& target : targets) {
    const auto compiler = backend::compiler_for(target);
    lines.push_back(
        fmt::format("{} {} {}", compiler->name(), compiler->version(), target == "native" ? target : compiler->target()));
  }
  const std::size_t ordered = lines.size();
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const bool other = std::ranges::any_of(kOthers, [&](std::string_view prefix) { return variable.starts_with(prefix); });
    if ((variable.starts_with("KILN_") && !other) || variable.starts_with("HIPRTC_")) lines.emplace_back(variable);
  }
  std::sort(lines.begin() + static_cast<std::ptrdiff_t>(ordered), lines.end());
  // Such files may differ from node to node.
  const bool of_files =
      manifest.find("\"include_dirs\"") != std::string::npos || manifest.find("\"link\"") != std::string::npos;
  if (of_files) lines.push_back(std::to_string(rank));
  return base::hash128(fmt::format("{}", fmt::join(lines, "\n")));
}

base::Hash128 place_of(const Cache& cache, int rank) {
  const detail::CacheImpl& impl = program::impl_of(cache);
  if (impl.has_directory()) {
    static_cast<void>(impl.open_directory());  // throws where it is refused
    struct stat status{};
    const cache::Folder folder = impl.store()->find_directory();
    if (folder && ::fstat(folder.get(), &status) == 0) {
      return base::hash128(fmt::format("{} {} {}", base::to_hex(this_host()), status.st_dev, status.st_ino));
    }
  }
  return base::hash128(fmt::format("rank {}", rank));
}

std::vector<std::string> targets_here() {
  std::set<std::string> targets;
#if KILN_HAVE_CPU
  targets.insert("native");
#endif
  for (const Device& device : Device::all()) {
    if (!device.is_cpu()) targets.insert(device.info().target);
  }
  return {targets.begin(), targets.end()};
}

}  // namespace kiln::manifest
