#include "manifest/recorder.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "gufunc/impl.hpp"
#include "kiln/error.hpp"
#include "manifest/definition.hpp"
#include "manifest/gufunc_entry.hpp"
#include "manifest/gufunc_variant.hpp"
#include "manifest/kernel_entry.hpp"
#include "manifest/method_variant.hpp"
#include "manifest/record_file.hpp"
#include "manifest/reduction_entry.hpp"
#include "manifest/ufunc_entry.hpp"
#include "manifest/ufunc_variant.hpp"
#include "reduce/impl.hpp"

namespace kiln::manifest {
namespace {

/// A program that makes kernels without end must not fill its memory with what it once used.
constexpr std::size_t kMaxVariants = 100'000;

std::atomic<FileRecorder*> of_process{nullptr};

void log(const std::string& line) noexcept {
  base::log_line(line);
}

Json recorded_definition(UfuncDefinition definition) {
  collect_headers(definition.name, definition.compile, definition.body + definition.expression);
  return ufunc_json(definition);
}

}  // namespace

Json recorded_kernel(const ufunc::Use& use) {
  Json json = recorded_definition(use.definition);
  json["variants"].push_back(variant_json(use.loop, use.storage, use.layout, use.processors));
  return json;
}

Json recorded_kernel(const ufunc::MethodUse& use) {
  Json json = recorded_definition(use.definition);
  const bool reorderable = use.definition.reorderable || !use.definition.identity.empty();
  json["variants"].push_back(method_variant_json(use.loop, use.variant, ufunc::Processors::all, reorderable));
  return json;
}

Json recorded_kernel(const gufunc::Use& use) {
  GufuncDefinition definition = use.gufunc.definition();
  collect_headers(definition.name, definition.compile, definition.body);
  Json json = gufunc_json(definition);
  json["variants"].push_back(variant_json(use.gufunc, {use.loop, use.spec, use.processors}));
  return json;
}

Json recorded_kernel(const reduce::Use& use) {
  ReductionDefinition definition = use.reduction.definition_of(use.loop);
  collect_headers(definition.name, definition.compile,
                  definition.accumulator + "\n" + definition.map + "\n" + definition.reduce + "\n" + definition.post + "\n" +
                      definition.identity);
  Json json = reduction_json(definition, use.reduction.leads());
  json["variants"].push_back(
      reduction_variant_json(use.loop, use.storage, use.how, use.processors, use.reduction.reorderable()));
  return json;
}

Json recorded_kernel(const ufunc::RawUse& use) {
  RawKernelDefinition definition = use.definition;
  collect_headers(definition.name, definition.compile, definition.body);
  Json json = kernel_json(definition);
  json["variants"].push_back(kernel_variant_json(use.types, use.form));
  return json;
}

void FileRecorder::used(const ufunc::Use& use) noexcept {
  add_recorded(use, use.definition.name);
}

void FileRecorder::used(const ufunc::MethodUse& use) noexcept {
  add_recorded(use, use.definition.name);
}

void FileRecorder::used(const ufunc::RawUse& use) noexcept {
  add_recorded(use, use.definition.name);
}

void FileRecorder::used(const gufunc::Use& use) noexcept {
  add_recorded(use, use.gufunc.name());
}

void FileRecorder::used(const reduce::Use& use) noexcept {
  add_recorded(use, use.reduction.name());
}

template <class Use>
void FileRecorder::add_recorded(const Use& use, const std::string& name) noexcept {
  try {
    const Json kernel = recorded_kernel(use);
    // What cannot be read back (a header whose name is not UTF-8) must not spoil the file for the others.
    const std::string text = document_text({kernel});
    static_cast<void>(parse_document(text, path_, {}));
    add(kernel);
  } catch (const std::exception& error) {
    complain("\"" + name + "\" cannot be recorded: " + error.what());
  }
}

void FileRecorder::add(const Json& kernel) {
  Lock lock(mutex_);
  if (kernels_.variants() >= kMaxVariants) {
    lock.unlock();
    return complain("more than " + std::to_string(kMaxVariants) + " variants: no more are recorded");
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

}  // namespace kiln::manifest

namespace kiln::ufunc {

Recorder* open_recorder() noexcept {
  using manifest::FileRecorder;
  using manifest::of_process;
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
    std::atexit([] { of_process.load()->close(); });
    return of_process.load();
  } catch (const std::exception& error) {
    base::log_line(std::string("KILN_RECORD: ") + error.what());
    return nullptr;
  }
}

}  // namespace kiln::ufunc
