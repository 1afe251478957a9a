#include "manifest/recorder.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <utility>

#include "base/at_exit.hpp"
#include "base/environment.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "kiln/error.hpp"
#include "manifest/calls.hpp"
#include "manifest/definition.hpp"
#include "manifest/kernel_entry.hpp"
#include "manifest/record_file.hpp"
#include "manifest/reduction_entry.hpp"
#include "manifest/work.hpp"

namespace kiln::manifest {
namespace {

/// A program that makes kernels without end must not fill its memory with what it once used.
constexpr std::size_t kMaxCalls = 100'000;

std::atomic<FileRecorder*> of_process{nullptr};

void log(const std::string& line) noexcept {
  base::log_line(line);
}

Json with_call(Json kernel, Json call) {
  kernel["calls"].push_back(std::move(call));
  return kernel;
}

}  // namespace

void FileRecorder::used(const UfuncDefinition& ufunc, const call::Description& call) noexcept {
  add_recorded(ufunc.name, [&] { return with_call(recorded_definition(ufunc), call_json(call)); });
}

void FileRecorder::used(const cupy::ElementwiseDefinition& kernel, const call::Description& call) noexcept {
  add_recorded(kernel.name, [&] { return with_call(recorded_definition(kernel), call_json(call)); });
}

void FileRecorder::used(const cupy::ReductionDefinition& reduction, const call::Description& call) noexcept {
  add_recorded(reduction.name, [&] { return with_call(recorded_definition(reduction), call_json(call)); });
}

void FileRecorder::used(const GufuncDefinition& gufunc, const call::Description& call) noexcept {
  add_recorded(gufunc.name, [&] { return with_call(recorded_definition(gufunc), call_json(call)); });
}

void FileRecorder::used(const ReductionDefinition& reduction, bool prepends_identity, const call::Description& call) noexcept {
  add_recorded(reduction.name, [&] {
    return with_call(with_prepended_identity(recorded_definition(reduction), prepends_identity), call_json(call));
  });
}

void FileRecorder::used(const ufunc::RawUse& use) noexcept {
  add_recorded(use.definition.name, [&] {
    Json call = kernel_call_json(use);
    if (use.source == nullptr) return with_call(recorded_definition(use.definition), std::move(call));
    if (use.source->name.empty()) call["kernel"] = use.expression;
    return with_call(recorded_definition(*use.source), std::move(call));
  });
}

template <class Make>
void FileRecorder::add_recorded(const std::string& name, const Make& make) noexcept {
  try {
    const Json kernel = make();
    // What cannot be read back (a header whose name is not UTF-8) must not spoil the file for the others.
    const std::vector<Entry> entries = parse_document(document_text({kernel}), path_, {});
    if (is_new(entries.front())) add(kernel);
  } catch (const std::exception& error) {
    complain("\"" + name + "\" cannot be recorded: " + error.what());
  }
}

/// Whether a CPU or a GPU runs a kernel for it that no call before has run.
bool FileRecorder::is_new(const Entry& entry) {
  Json definition = entry.json;
  definition.erase("calls");
  bool fresh = false;
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    if (!concerns(entry.units.front(), kind)) continue;
    base::Hasher128 hasher;
    hasher.update(definition.dump());
    try {
      hasher.update(entry.units.front().requests(kind).front().source.text);
    } catch (const Error&) {
      continue;  // the call would be an error there: more memory than a team has
    }
    const Lock lock(mutex_);
    fresh = known_.insert(base::to_hex(hasher.result())).second || fresh;
  }
  return fresh;
}

void FileRecorder::add(const Json& kernel) {
  Lock lock(mutex_);
  if (kernels_.calls() >= kMaxCalls) {
    lock.unlock();
    return complain("more than " + std::to_string(kMaxCalls) + " calls: no more are recorded");
  }
  if (!kernels_.add(kernel)) return;
  dirty_ = true;
  if (closed_) return write(lock);
  if (writing_) return;
  if (writer_.joinable()) writer_.join();  // it has ended, or is about to
  writing_ = true;
  // The program's signals are none of that thread's.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    writer_ = std::thread([this] { write_from_now_on(); });
  } catch (const std::exception&) {
    writing_ = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!writing_) write(lock);
}

void FileRecorder::write_from_now_on() noexcept {
  Lock lock(mutex_);
  while (dirty_ && !closed_) {
    if (wake_.wait_until(lock, last_write_ + timing_.pause, [this] { return closed_; })) break;
    try {
      write(lock);
    } catch (const std::exception&) {
      failed_ = true;
    }
    if (!lock.owns_lock()) lock.lock();
    if (failed_) break;  // the next new kernel tries again
  }
  writing_ = false;
}

// The lock is given up while the file is written.
void FileRecorder::write(Lock& lock) {
  const KernelSet kernels = kernels_;
  const auto wait = closed_ ? timing_.last_wait : timing_.lock_wait;
  dirty_ = false;
  lock.unlock();
  std::string failure;
  try {
    failure = add_to_file(path_, kernels, wait).value_or("");
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) complain("cannot write " + path_ + ": " + failure);
  lock.lock();
  last_write_ = std::chrono::steady_clock::now();
  failed_ = !failure.empty();
  dirty_ |= failed_;
}

// The same fault gets one line, not one for each kernel.
void FileRecorder::complain(const std::string& failure) {
  {
    const Lock lock(mutex_);
    if (last_complaint_ == failure) return;
    last_complaint_ = failure;
  }
  log("KILN_RECORD: " + failure);
}

void FileRecorder::close() noexcept {
  try {
    Lock lock(mutex_);
    closed_ = true;
    wake_.notify_all();
    std::thread writer = std::move(writer_);
    lock.unlock();
    if (writer.joinable()) writer.join();
    lock.lock();
    if (dirty_) write(lock);
  } catch (const std::exception& error) {
    log(std::string("KILN_RECORD: ") + error.what());
  }
}

void FileRecorder::after_fork_in_child() {
  // The writer is not in this process: its handle is forgotten, not destroyed, and so is whoever waited.
  new (&writer_) std::thread();
  new (&wake_) std::condition_variable();
  writing_ = false;
  mutex_.unlock();
}

namespace {

ufunc::Recorder* open_recorder() {
  try {
    const std::optional<std::string> path = base::env("KILN_RECORD");
    if (!path || path->empty()) return nullptr;
    // The process may change its folder later.
    auto made = std::make_unique<FileRecorder>(std::filesystem::absolute(*path).string());
    FileRecorder* known = nullptr;
    if (!of_process.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return known;
    static_cast<void>(made.release());
    pthread_atfork([] { of_process.load()->before_fork(); }, [] { of_process.load()->after_fork_in_parent(); },
                   [] { of_process.load()->after_fork_in_child(); });
    base::at_exit<[] { of_process.load()->close(); }>();
    return of_process.load();
  } catch (const std::exception& error) {
    base::log_line(std::string("KILN_RECORD: ") + error.what());
    return nullptr;
  }
}

[[maybe_unused]] const bool provided = ufunc::open_recorder.provide(open_recorder);

}  // namespace
}  // namespace kiln::manifest
