// Manifest::compile(): a few threads take one kernel after another.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/usable_threads.hpp"
#include "compiler/compiler.hpp"
#include "kiln/manifest.hpp"
#include "manifest/manifest.hpp"
#include "manifest/work.hpp"

namespace kiln {
namespace {

struct Task {
  manifest::Work work;
  const std::string* target;
  std::shared_ptr<const backend::Compiler> compiler;
};

program::Code build(const Task& task, const Cache& cache, ManifestKernel& kernel) {
  program::Request request = std::move(task.work.unit->requests(task.compiler->kind()).at(task.work.which));
  request.cache = cache;
  kernel.key = program::make_job(request, *task.compiler).key;
  kernel.variant = request.source.variant;
  return program::build(request, *task.compiler);
}

ManifestOutcome outcome_of(const Task& task, const Cache& cache, ManifestKernel& kernel) {
  ManifestOutcome outcome;
  try {
    const program::Code code = build(task, cache, kernel);
    outcome.state = code.origin == program::Origin::compiled ? ManifestOutcome::State::compiled : ManifestOutcome::State::found;
    outcome.compile_ms = code.compile_ms;
    outcome.kept = code.kept;
  } catch (const std::exception& error) {
    outcome.state = ManifestOutcome::State::failed;
    outcome.error = error.what();
  }
  return outcome;
}

/// Shared by the threads.
class Progress {
 public:
  explicit Progress(const std::function<bool(const ManifestKernel&, const ManifestOutcome&)>& callback) : callback_(callback) {}

  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  void add(const ManifestKernel& kernel, const ManifestOutcome& outcome) {
    const std::lock_guard lock(mutex_);
    using State = ManifestOutcome::State;
    ++(outcome.state == State::found ? report_.found : outcome.state == State::compiled ? report_.compiled : report_.failed);
    if (!outcome.kept) ++report_.not_kept;
    if (!callback_ || failure_) return;
    try {
      if (!callback_(kernel, outcome)) stopped_.store(true, std::memory_order_relaxed);
    } catch (...) {
      failure_ = std::current_exception();
      stopped_.store(true, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] Manifest::CompileReport report() const {
    if (failure_) std::rethrow_exception(failure_);
    return report_;
  }

 private:
  const std::function<bool(const ManifestKernel&, const ManifestOutcome&)>& callback_;
  std::mutex mutex_;
  std::atomic<bool> stopped_{false};
  Manifest::CompileReport report_;
  std::exception_ptr failure_;
};

}  // namespace

Manifest::CompileReport Manifest::compile(const std::vector<std::string>& targets, const CompileOptions& options) const {
  std::vector<Task> tasks;
  for (const std::string& target : targets) {
    const auto compiler = backend::compiler_for(target);
    for (const manifest::Work& work : manifest::work_of(impl_->entries, *compiler, options.other_sizes))
      tasks.push_back({work, &target, compiler});
  }
  Progress progress(options.progress);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < tasks.size() && !progress.stopped(); i = next.fetch_add(1)) {
      ManifestKernel kernel = manifest::describe(*tasks[i].work.unit, *tasks[i].target);
      const ManifestOutcome outcome = outcome_of(tasks[i], options.cache, kernel);
      progress.add(kernel, outcome);
    }
  };
  const auto wanted = static_cast<std::size_t>(options.jobs > 0 ? options.jobs : base::usable_threads());
  const std::size_t jobs = std::min(wanted, tasks.size());
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 1; i < jobs; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer will do.
  }
  work();
  threads.clear();
  return progress.report();
}

}  // namespace kiln
